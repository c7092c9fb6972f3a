#include "libwm/sched/shares/windows.h"

#include <algorithm>

namespace wm::sched {
namespace {

std::string words(const std::string& whose, const char* what, const WeekWindows& windows) {
  constexpr std::size_t kMost = 3;  // of seven days alike
  WeekWindows some(windows.begin(),
                   windows.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, windows.size())));
  std::string text = std::string("The ") + what + " of " + whose + " is closed: it is open at " +
                     show_windows(some);
  return windows.size() > kMost ? text + " ..." : text;
}

}  // namespace

std::string closed_window(const Config& config, const JobSpec& spec, Duration limit, WallTime now) {
  const ClockSteps& clock = config.clock;
  if (const QueueConf* queue = config.queue(spec.queue)) {
    const std::string whose = "queue <" + queue->name + ">";
    if (!is_open(queue->dispatch_window, clock, now))
      return words(whose, "dispatch window", queue->dispatch_window);
    if (!is_open(queue->run_window, clock, now))
      return words(whose, "run window", queue->run_window);
    auto closes = next_change(queue->run_window, clock, now);
    if (closes && limit > Duration{} && now + limit > *closes)
      return "The run window of " + whose + " closes before the job's run limit of " +
             format_duration(limit) + " is over";
  }
  for (std::string path = spec.plan; !path.empty();) {
    const PlanConf* plan = config.plan(path);
    if (plan && !is_open(plan->run_window, clock, now))
      return words("plan <" + path + ">", "run window", plan->run_window);
    path = std::string(group_above(path));
  }
  return {};
}

WallTime next_window_edge(const Config& config, WallTime now) {
  WallTime next{};
  auto look = [&](const WeekWindows& windows) {
    auto edge = next_change(windows, config.clock, now);
    if (edge && (next == WallTime{} || *edge < next)) next = *edge;
  };
  for (const QueueConf& queue : config.queues) {
    look(queue.run_window);
    look(queue.dispatch_window);
  }
  for (const PlanConf& plan : config.plans) {
    look(plan.run_window);
    for (const TimedShares& timed : plan.shares_at) look(timed.windows);
  }
  return next;
}

std::uint32_t shares_of(const PlanConf& plan, const ClockSteps& clock, WallTime now) {
  for (const TimedShares& timed : plan.shares_at)
    if (is_open(timed.windows, clock, now)) return timed.shares;
  return plan.shares;
}

}  // namespace wm::sched
