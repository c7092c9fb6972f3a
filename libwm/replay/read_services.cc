// Services beside a list of jobs: name,low,high,period_s; kernels of one GPU each.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "libwm/replay/lines.h"
#include "libwm/replay/read.h"

namespace wm::replay {
namespace {

constexpr double kEver = std::numeric_limits<double>::infinity();

// It serves until nobody needs it any more.
class Endless : public Work {
 public:
  double total() const override { return kEver; }
  double after(double done, double, const Shape&, Batch) const override { return done; }
  double left_s(double, const Shape&, Batch) const override { return kEver; }
  Report report(double, const Shape&, Batch) const override { return {}; }
};

Result<TraceJob> service_of(const Line& line) {
  TraceJob job;
  Wave wave;
  WM_TRY(job.name, line.word_at(0, "name"));
  WM_TRY(wave.low, line.count_at(1, "low", 1, 100'000));
  WM_TRY(wave.high, line.count_at(2, "high", wave.low, 100'000));
  WM_TRY(wave.period_s, line.number_at(3, "period_s", 60, 1e8));
  job.user = "services";
  job.plan = kPlanOfServices;
  job.tasks = job.min_tasks = wave.low;
  job.max_tasks = wave.high;
  job.milli_gpus = 1000;
  job.work = std::make_shared<Endless>();
  job.wave = wave;
  return job;
}

}  // namespace

std::uint32_t Wave::wanted(double at_s) const {
  constexpr double kExact = 1e-9;  // the cosine of a whole period is not quite 1
  double part = (1 - std::cos(2 * std::numbers::pi * at_s / period_s)) / 2;
  return low + static_cast<std::uint32_t>(std::ceil((high - low) * part - kExact));
}

Result<std::vector<TraceJob>> read_services(std::string_view text) {
  WM_TRY(auto lines, table_lines(text, "name,low,high,period_s"));
  std::vector<TraceJob> services;
  for (const Line& line : lines) {
    WM_TRY(auto service, service_of(line));
    services.push_back(std::move(service));
  }
  return services;
}

void add_services(Workload& workload, std::vector<TraceJob> services) {
  workload.jobs.insert(workload.jobs.begin(), std::make_move_iterator(services.begin()),
                       std::make_move_iterator(services.end()));
}

}  // namespace wm::replay
