// Role: what happened to a job in words: those of LSF where it has any, for bhist -l, and WM's own.
// Pure. @source LSF bhist -l
#pragma once

#include <string>
#include <vector>

#include "libwm/model/verbs/acct.h"

namespace wm::view {

/// An event as WM calls it, with its numbers and its reason: bhist -t. @cost O(text)
std::string event_text(const HistoryEvent& event);
/// The same in LSF's words, a text a line without its date; none: its end says it. @cost O(text)
std::vector<std::string> event_lines(const HistoryJob& job, const HistoryEvent& event);
/// How its processes ended and, of one that was ended, why. @cost O(1)
std::vector<std::string> end_of_history(const HistoryJob& job);

}  // namespace wm::view
