// Role: what a newly appointed lead makes of the agents' statuses: which epoch is in force, is
// it whole, is a plan in flight. Pure; the lead goes on from the answer as if it had been there.
//
//   statuses ──note_past──► Remembered ──rebuild──► Recalled {current, intact, planned, last}
//
// Invariants: a number that anybody was told is dead is never taken up; an epoch that all its
// members train in is found intact, so training is not disturbed. Called by Lead (PROTOCOL L-11).
#pragma once

#include <map>
#include <optional>

#include "libwm/elastic/roster.h"

namespace wm::elastic {

/// Plans and dead numbers that the agents remember.
struct Remembered {
  std::map<EpochNumber, EpochPlan> plans;
  EpochNumber broken;
  EpochNumber withdrawn;
};

/// Where a job stands.
struct Recalled {
  EpochPlan current;                 ///< the group in force; epoch 0: there is none
  bool intact = false;               ///< nobody was told that it is broken
  std::optional<EpochPlan> planned;  ///< in flight above `current`
  EpochNumber last;                  ///< highest number anybody has seen
};

/// Collects what one agent remembers. @cost O(plans)
void note_past(Remembered& past, const AgentStatus& status);

/// Puts the pieces together. In a broken `current` only those are members that carry its state.
/// @cost O(tasks + plans)
Recalled rebuild(const Roster& roster, const Remembered& past);

}  // namespace wm::elastic
