#include "libwm/model/clock_watch.h"

#include <algorithm>
#include <utility>

namespace wm {
namespace {

constexpr Duration kLongestHold = std::chrono::minutes(5);
constexpr Duration kCalm = std::chrono::hours(1);  // after it the allowance is whole again

}  // namespace

Duration ClockWatch::look(const ClockReading& now) {
  auto before = std::exchange(last_, now);
  if (!before) return {};
  auto drift = (now.wall - before->wall) - (now.boot - before->boot);
  if (std::chrono::abs(drift) < kClockStep) return {};
  steps_s_ += std::abs(std::chrono::duration<double>(drift).count());
  auto step = std::chrono::duration_cast<std::chrono::seconds>(drift);
  if (std::chrono::abs(drift) >= kLongClockStep) hold(step, now.boot);
  return step;
}

void ClockWatch::hold(Duration step, TimePoint boot) {
  if (!holds(boot)) {
    spent_ += held_until_ - held_since_;
    if (stepped_ && boot - *stepped_ >= kCalm) spent_ = {};
    net_ = {};
    held_since_ = boot;
    held_until_ = boot + std::max(Duration{}, kLongestHold - spent_);
  }
  stepped_ = boot;
  net_ += step;
  if (std::chrono::abs(net_) < kLongClockStep) trust(boot);
}

void ClockWatch::trust(TimePoint boot) {
  if (holds(boot)) held_until_ = boot;
}

}  // namespace wm
