// Role: jobs and a cluster small enough to do by hand, for the tests of the engine and of the ideal
// that it is compared with.
#pragma once

#include <algorithm>
#include <string>

#include "libwm/replay/run.h"

namespace wm::replay {

/// Two hosts of two GPUs.
inline constexpr Setup kFour{2, 2, 2};

/// `seconds` long on `tasks` tasks of a GPU each; elastic: on 1 to 64, with linear speed.
inline TraceJob job(double submit, std::uint32_t tasks, double seconds, bool elastic = false) {
  TraceJob made;
  made.name = "job" + std::to_string(static_cast<int>(submit));
  made.submit_s = submit;
  made.tasks = made.min_tasks = made.max_tasks = tasks;
  if (elastic) made.min_tasks = 1, made.max_tasks = 64;
  made.milli_gpus = 1000;
  made.work = linear_work(seconds, tasks);
  return made;
}

/// Work that is done at a speed by shape.
class WorkBySpeed : public Work {
 public:
  explicit WorkBySpeed(double total) : total_(total) {}
  double total() const override { return total_; }
  double after(double done, double seconds, const Shape& shape, Batch) const override {
    return std::min(total_, done + seconds * speed(tasks_of(shape)));
  }
  double left_s(double done, const Shape& shape, Batch) const override {
    return (total_ - done) / speed(tasks_of(shape));
  }
  Report report(double, const Shape&, Batch) const override { return {}; }

 private:
  virtual double speed(std::uint32_t tasks) const = 0;
  double total_;
};

}  // namespace wm::replay
