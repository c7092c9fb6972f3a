#include "libwm/sched/order.h"

#include <algorithm>

#include "libwm/sched/claim.h"

namespace wm::sched {

bool goes_before(const Claim& a, const Claim& b) {
  if (a.rank != b.rank) return a.rank < b.rank;
  if (a.place != b.place) return a.place < b.place;
  if (a.fair_rank != b.fair_rank) return a.fair_rank < b.fair_rank;
  if (a.user_priority != b.user_priority) return a.user_priority > b.user_priority;
  return a.id < b.id;
}

void put_in_order(std::vector<Claim>& claims) {
  if (std::is_sorted(claims.begin(), claims.end(), goes_before)) return;
  std::sort(claims.begin(), claims.end(), goes_before);
}

}  // namespace wm::sched
