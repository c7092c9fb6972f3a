// Role: the log line of an event: what it is about, who asked for it and why, so that the log alone
// tells which host or queue somebody closed. Called by Core for each event that became durable.
#pragma once

#include <vector>

#include "libwm/base/log.h"
#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::master {

/// seq=, then job= of an event about a job, else host=, queue=, gpu=, by= and why= where it has
/// them. `after`: knows the names of hosts. @cost O(length)
std::vector<log::Field> event_fields(const Event& event, const Cluster& after);

/// How severe an event is: what costs work or hosts, or hints at a fault of the site, is a warning
/// or an error; all else is Info. @cost O(1)
log::Level event_level(const EventBody& body);

}  // namespace wm::master
