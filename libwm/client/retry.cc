#include "libwm/client/retry.h"

#include <algorithm>

namespace wm::client {

std::optional<Retry> RetryPlan::next(Duration elapsed) {
  if (options_.give_up_after && elapsed >= *options_.give_up_after) return {};
  Retry retry{.delay = pauses_.next()};
  if (options_.give_up_after)
    retry.delay = std::min(retry.delay, *options_.give_up_after - elapsed);
  auto due = noticed_at_ ? *noticed_at_ + options_.notice_every : options_.notice_after;
  retry.notice = elapsed >= due;
  if (retry.notice) noticed_at_ = elapsed;
  return retry;
}

}  // namespace wm::client
