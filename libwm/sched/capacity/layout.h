// Role: which of the hosts with room a job's tasks go to, by policy: pack (fewest hosts), spread
// (evenly over most hosts), topology (below as few switches as can be), in the order that the
// job asks for (-m, order[]); and the rules that bind hosts to each other: same[], cu[].
//
//   offers ─► groups that same[] allows ─► units that cu[] allows ─► policy ─► shares
//
// Pure functions of offers; know neither queues nor limits. Ties go to the host that comes
// first, so equal input gives equal places. Called by place.cc and preempt.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "libwm/sched/capacity/switches.h"

namespace wm::sched {

/// So many tasks in the room at that position.
struct Share {
  std::uint32_t room = 0;
  std::int64_t tasks = 0;
  bool operator==(const Share&) const = default;
};

/// Tasks of all. @cost O(shares)
std::int64_t total_of(const std::vector<Share>& shares);

/// How tasks are laid out.
enum class Placing : std::uint8_t {
  Pack,
  Spread,
  Topology,
  InOrder,  ///< hosts as the job prefers them
};

/// Which compute units are taken first.
enum class UnitPref : std::uint8_t { Config, MinAvail, MaxAvail };

/// cu[]: 0 = not said.
struct UnitRule {
  bool any = false;         ///< there is a rule
  std::uint32_t level = 0;  ///< of the units, above the hosts' own switch
  UnitPref pref = UnitPref::Config;
  std::uint32_t max_units = 0;
  std::uint32_t least_slots = 0;  ///< a unit with fewer is not used
  bool balance = false;           ///< evenly over as few units as can be
  bool exclusive = false;         ///< units in which nothing else runs
  bool operator==(const UnitRule&) const = default;
};

/// What a layout has to keep to.
struct LayoutRules {
  Placing placing = Placing::Pack;
  std::int64_t tasks = 0;
  bool whole = true;  ///< all or nothing
  UnitRule unit;
  const Switches* switches = nullptr;  ///< null: none known
  /// By position in the offers: hosts with the same number may be used together (same[]).
  /// Empty: any.
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> held;  ///< rooms in which the job has tasks already
};

/// Lays out up to `rules.tasks` tasks on offers that can each take `tasks`. Empty: they do not
/// fit, or (not whole) none does.
/// @cost O(offers x log offers x depth)
/// @source largest first gives the fewest bins when items are alike; the lowest switch that
///   holds all is the one of least height, then of least room
std::vector<Share> lay_out(const std::vector<Share>& offers, const LayoutRules& rules);

/// Switches that the job's traffic goes through: those of the smallest tree that joins its
/// hosts; 1 where all hang on one. For tests and comparisons. @cost O(shares x depth)
std::size_t switches_crossed(const std::vector<Share>& shares, const Switches& switches);

}  // namespace wm::sched
