#include "libwm/replay/work.h"

#include <algorithm>
#include <numeric>

namespace wm::replay {
namespace {

// Counted in seconds on what was asked for.
class LinearWork : public Work {
 public:
  LinearWork(double seconds, std::uint32_t tasks) : seconds_(seconds), tasks_(tasks) {}
  double total() const override { return seconds_; }
  double after(double done, double seconds, const Shape& shape, Batch) const override {
    return std::min(seconds_, done + seconds * speed(shape));
  }
  double left_s(double done, const Shape& shape, Batch) const override {
    return std::max(0.0, seconds_ - done) / speed(shape);
  }
  Report report(double, const Shape&, Batch) const override { return {}; }

 private:
  double speed(const Shape& shape) const { return static_cast<double>(tasks_of(shape)) / tasks_; }

  double seconds_;
  double tasks_;
};

}  // namespace

std::uint32_t tasks_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint32_t{0});
}

Shape packed(std::uint32_t tasks, std::uint32_t per_host) {
  Shape shape(tasks / per_host, per_host);
  if (tasks % per_host) shape.push_back(tasks % per_host);
  return shape;
}

std::shared_ptr<const Work> linear_work(double seconds, std::uint32_t tasks) {
  return std::make_shared<LinearWork>(seconds, std::max(1u, tasks));
}

}  // namespace wm::replay
