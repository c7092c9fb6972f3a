// Role: what bhist shows: time spent in each state, the events of a job in long form, and
// the JSON document of DESIGN 8. Pure; "now" comes in. @source LSF bhist (lsf-surface 4)
#pragma once

#include <span>
#include <string>

#include "libwm/model/verbs/acct.h"

namespace wm::view {

/// "Summary of time in seconds spent in various states": a line per job, whole seconds.
/// `wide`: nothing is cut off. @cost O(jobs)
std::string history_table(std::span<const HistoryJob> jobs, WallTime now, bool wide = false);

/// -l: every event of one job with its time, in LSF's words (history_words.h); `wide`: lines are
/// not wrapped. @cost O(events)
std::string history_long(const HistoryJob& job, WallTime now, bool wide = false);

/// -t, -T: the events of all these jobs in [from, to), in the order of their times; an end of 0 is
/// open. Reasons for waiting are left out. @cost O(events log events)
std::string history_events(std::span<const HistoryJob> jobs, WallTime from, WallTime to);

/// {"COMMAND":"bhist","JOBS":n,"RECORDS":[{"JOBID":…,"EVENTS":[…]}]}: times are seconds since
/// the epoch with fraction; PAUSE_MS and STEPS_LOST only where they apply. @cost O(events)
std::string history_json(std::span<const HistoryJob> jobs);

}  // namespace wm::view
