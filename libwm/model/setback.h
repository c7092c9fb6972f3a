// Role: what is remembered of hosts where new tasks of an elastic job failed, and what that keeps
// from being done. Values; fsm/setbacks.cc changes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"

namespace wm {

struct Job;

/// A host where a new task of the attempt has ended before an epoch held it: none is put there
/// again before `until`.
struct Setback {
  HostId host;
  std::uint32_t failures = 0;  ///< one after another
  WallTime until{};
  std::string why;  ///< of the newest, for people
  bool operator==(const Setback&) const = default;
};

/// May it not grow at `now`? @cost O(1)
bool is_grow_blocked(const Job& job, WallTime now);
/// Hosts on which no task of it is to be put at `now`, rising. @cost O(such hosts)
std::vector<HostId> barred_hosts(const Job& job, WallTime now);

}  // namespace wm
