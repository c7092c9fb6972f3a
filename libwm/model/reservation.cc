#include "libwm/model/reservation.h"

#include <algorithm>

namespace wm {

std::optional<OpenSpan> span_of(const Reservation& reservation, const ClockSteps& clock,
                                WallTime at) {
  if (!reservation.windows.empty()) return open_span(reservation.windows, clock, at);
  if (at >= reservation.end) return {};
  return OpenSpan{std::max(at, reservation.begin), reservation.end};
}

bool is_active(const Reservation& reservation, const ClockSteps& clock, WallTime at) {
  if (!reservation.windows.empty()) return is_open(reservation.windows, clock, at);
  return reservation.begin <= at && at < reservation.end;
}

std::uint32_t slots_on(const Reservation& reservation, HostId host) {
  std::uint32_t slots = 0;
  for (const PromisedPlace& place : reservation.places)
    if (place.host == host) slots += place.tasks;
  return slots;
}

}  // namespace wm
