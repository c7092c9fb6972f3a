// Role: job groups (bsub -g): paths under which jobs are found, counted and limited. A group is
// there as soon as a job names it; bgadd makes one that stays, and may say how many jobs of it and
// of the groups below it may run at a time. Values; only libwm/fsm changes them, by events.
//
// @source LSF: bgadd, bgmod, bgdel, bjgroup
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/units.h"

namespace wm {

/// A group that somebody made.
struct JobGroup {
  std::string owner;
  std::optional<std::uint32_t> limit;  ///< jobs that may run at a time; none: any number
  WallTime made{};
  bool operator==(const JobGroup&) const = default;
};

/// Is `path` the group, or one below it? "/" holds every group. @cost O(path)
bool is_in_group(std::string_view path, std::string_view group);
/// The group above it; empty: it is "/". @cost O(path)
std::string_view group_above(std::string_view path);

}  // namespace wm
