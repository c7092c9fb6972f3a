#include "libwm/sched/order.h"

#include <algorithm>

#include "libwm/sched/claim.h"

namespace wm::sched {

bool goes_before(const Claim& a, const Claim& b) {
  return a.rank != b.rank ? a.rank < b.rank : a.id < b.id;
}

void put_in_order(std::vector<Claim>& claims) {
  if (std::is_sorted(claims.begin(), claims.end(), goes_before)) return;
  std::sort(claims.begin(), claims.end(), goes_before);
}

}  // namespace wm::sched
