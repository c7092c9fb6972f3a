// Role: what happened to jobs, for figures over time: the events of one, and the slots that several
// held. Pure: accounting's history in, texts of JSON out.
#pragma once

#include <span>
#include <string>

#include "libwm/model/verbs/acct.h"

namespace wm::rest {

/// {"events":[{"t","event","from","to","reason","pause_ms","steps_lost"},…]}; times are seconds
/// since the epoch, what does not apply is null. @cost O(events)
std::string timeline_json(const HistoryJob& job);

/// {"now","from","capacity","apps":[{"id","name","user","steps":[[t,slots],…]},…],"changes":[…]}:
/// how many slots each job held from `from` on; those that held none then are left out. The newest
/// twelve changes are events as above, with "id" and "name". @cost O(events log events)
std::string slots_json(std::span<const HistoryJob> jobs, WallTime from, WallTime now,
                       std::uint32_t capacity);

}  // namespace wm::rest
