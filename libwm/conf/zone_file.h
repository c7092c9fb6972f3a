// Role: a time zone from the system's database, without asking the process's own: the master's
// threads share that. Used where budgets' periods are worked out.
#pragma once

#include <string>

#include "libwm/base/result.h"
#include "libwm/report/zone.h"

namespace wm::conf {

/// What a file of the database says; later changes, until 2062, by the rule of its last line.
/// @errors BadArgument: no such file's bytes   @source RFC 8536, POSIX TZ
Result<report::Zone> zone_of(const std::string& name, const std::string& bytes);
/// The zone "Europe/Berlin" of $TZDIR, else /usr/share/zoneinfo. @errors BadArgument: there is none
Result<report::Zone> read_zone(const std::string& name);

}  // namespace wm::conf
