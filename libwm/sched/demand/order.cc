#include "libwm/sched/demand/order.h"

#include <algorithm>

#include "libwm/sched/demand/claim.h"

namespace wm::sched {
namespace {

// Below this a job counts as this long: nobody minds waiting so long for a second's work.
// @source bounded slowdown: Feitelson et al., Theory and Practice in Parallel Job Scheduling, 1997
constexpr Duration kShortest = std::chrono::seconds(10);
constexpr double kMost = 4e6;

}  // namespace

bool goes_before(const Claim& a, const Claim& b) {
  if (a.order.goal != b.order.goal) return a.order.goal > b.order.goal;
  if (a.order.rank != b.order.rank) return a.order.rank < b.order.rank;
  if (a.order.place != b.order.place) return a.order.place < b.order.place;
  if (a.order.by_queue != b.order.by_queue) return a.order.by_queue < b.order.by_queue;
  if (a.order.user_priority != b.order.user_priority)
    return a.order.user_priority > b.order.user_priority;
  if (a.sequence() != b.sequence()) return a.sequence() < b.sequence();
  return a.id < b.id;
}

double slowdown_of(Duration wait, Duration limit) {
  Duration run = std::max(kShortest, limit > Duration{} ? limit : kUnstated);
  wait = std::max(Duration{}, wait);
  return 1 + std::chrono::duration<double>(wait) / std::chrono::duration<double>(run);
}

std::uint32_t slowdown_rank(Duration wait, Duration limit) {
  double thousandths = 1000 * std::min(kMost, slowdown_of(wait, limit));
  return ~std::uint32_t{0} - static_cast<std::uint32_t>(thousandths);
}

std::uint32_t risen_priority(std::uint32_t user_priority, WallTime submitted, Duration step) {
  if (step <= Duration{}) return user_priority;
  constexpr std::int64_t kBase = 1u << 31;
  auto steps = submitted.time_since_epoch() / std::max<Duration>(step, std::chrono::seconds(1));
  return static_cast<std::uint32_t>(std::max<std::int64_t>(0, kBase - steps) + user_priority);
}

void put_in_order(std::vector<Claim>& claims) {
  if (std::is_sorted(claims.begin(), claims.end(), goes_before)) return;
  std::sort(claims.begin(), claims.end(), goes_before);
}

}  // namespace wm::sched
