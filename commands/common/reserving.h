// Role: what brsvadd and brsvmod say of an advance reservation: for whom, when, where. One reader
// for both. @source LSF brsvadd, brsvmod
#pragma once

#include "libwm/base/result.h"
#include "libwm/model/verbs/reservation_verbs.h"
#include "libwm/submit/options.h"

namespace wm::cmd {

/// -u -g -s -o -d -b -e -t into the reservation; what is not given stays.
/// @errors BadArgument: times that do not go together
Result<void> read_reservation(const Parsed& options, WallTime now, Reservation& what);
/// -n -unit -m -R into the request. @errors BadArgument
Result<void> read_places(const Parsed& options, ReserveRequest& request);

}  // namespace wm::cmd
