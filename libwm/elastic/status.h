// Role: where one worker stands, built up from its own words. The same merge runs in its agent
// (which keeps the table) and in the lead (which decides), so both see one thing.
//
// Invariants: every field only rises (`step` within one epoch), so words may come late, twice or
// out of order, and a whole status may be merged over single words. Called by Member and Roster.
#pragma once

#include "libwm/model/elastic.h"

namespace wm::elastic {

/// Takes in what a worker said. WorkerHello, WorkerProgress and WorkerConnectFailed leave no
/// trace but the step. @cost O(1)   @thread any
void merge(WorkerStatus& into, const FromWorker& words);

/// Takes in a status heard elsewhere. @cost O(1)   @thread any
void merge(WorkerStatus& into, const WorkerStatus& other);

/// The worker is in a group: its epoch is not closed and it has not ended. @cost O(1)
bool trains(const WorkerStatus& status);

}  // namespace wm::elastic
