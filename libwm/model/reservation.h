// Role: advance reservations: slots on hosts that are kept for jobs of some users from a date to a
// date, or in windows that come again every week. Made by brsvadd, used by bsub -U. Values; only
// libwm/fsm changes them, by events.
//
//   waiting ──its window opens──► active ──it closes──► waiting (recurring) or over
//
// @source LSF: brsvadd, brsvs, bsub -U
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libwm/model/config/calendar.h"
#include "libwm/model/job_standing.h"

namespace wm {

/// Who may use a reservation.
enum class ReservedFor : std::uint8_t {
  User = 0,    ///< brsvadd -u
  Group = 1,   ///< brsvadd -g
  System = 2,  ///< brsvadd -s: no job at all
};

/// Slots kept on hosts.
struct Reservation {
  std::string name;  ///< "alice#0", or as its maker called it
  std::string text;  ///< brsvadd -d
  ReservedFor kind = ReservedFor::User;
  std::vector<std::string> users;  ///< users and groups
  bool open = false;               ///< brsvadd -o: what runs at its end goes on
  WallTime begin{}, end{};         ///< of one that comes once
  WeekWindows windows;             ///< of one that comes again
  std::vector<PromisedPlace> places;
  std::string by;
  WallTime made{};
  bool operator==(const Reservation&) const = default;
};

/// What is left of the time in which it is active at `at`, or else the next; none: it is over.
/// @cost O(windows)
std::optional<OpenSpan> span_of(const Reservation& reservation, const ClockSteps& clock,
                                WallTime at);
/// Is it active? @cost O(windows)
bool is_active(const Reservation& reservation, const ClockSteps& clock, WallTime at);
/// Slots that it keeps on a host. @cost O(hosts of it)
std::uint32_t slots_on(const Reservation& reservation, HostId host);

}  // namespace wm
