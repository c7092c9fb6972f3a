#include "libwm/client/retry.h"

#include <algorithm>

namespace wm::client {

std::optional<Retry> RetryPlan::next(Duration elapsed, double chance) {
  if (options_.give_up_after && elapsed >= *options_.give_up_after) return {};
  delay_ = delay_ == Duration(0) ? options_.first_delay : delay_ * 2;
  delay_ = std::min(delay_, options_.longest_delay);
  Retry retry;
  retry.delay = Duration(
      static_cast<Duration::rep>(static_cast<double>(delay_.count()) * (0.5 + chance / 2)));
  if (options_.give_up_after)
    retry.delay = std::min(retry.delay, *options_.give_up_after - elapsed);
  auto due = noticed_at_ ? *noticed_at_ + options_.notice_every : options_.notice_after;
  retry.notice = elapsed >= due;
  if (retry.notice) noticed_at_ = elapsed;
  return retry;
}

}  // namespace wm::client
