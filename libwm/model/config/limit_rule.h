// Role: limits.conf as values: how much jobs of some users, queues, projects, plans … may use at a
// time, all together or each. A part of Config.
//
// @source LSF: Limit sections of lsb.resources
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/units.h"
#include "libwm/model/config/calendar.h"

namespace wm {

/// Whom a limit is about in one respect. `each`: every one of them has it for itself.
/// @shape names: "all" is everybody, "~x" all but x; empty: the respect does not matter
struct Consumers {
  std::vector<std::string> names;
  bool each = false;
  bool operator==(const Consumers&) const = default;
};

/// A section of limits.conf.
struct LimitRule {
  std::string name;
  Consumers users, queues, projects, apps, plans, hosts;
  std::optional<std::uint32_t> slots, jobs;
  std::optional<Bytes> mem;  ///< reserved by rusage[mem=] or -M
  WeekWindows windows;       ///< holds then only; empty: always
  bool reserve = false;      ///< bounds no jobs: `users` may make reservations on `hosts` for then,
                             ///< of `slots` at most
  std::string description;
  bool operator==(const LimitRule&) const = default;
};

}  // namespace wm
