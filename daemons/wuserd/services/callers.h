// Role: services of other users. The owner's wuserd alone knows who may call one (`callers` of its
// profile); the caller's asks it at the guests' socket, where the kernel names the account that
// asks.
//
//   bob ─► nginx ─► wuserd of bob ──FOLDER/UID.guests.sock──► wuserd of ann ─► router of ann's
//   <results>/bob/services/.owners   a line each: who has told bob of services that bob may call
//
// Where the master shows others' jobs, owners are found by these, too. In a private cluster there
// is nobody else.
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/site/guest.h"

namespace wm::user {

/// May that user call this user's service? @errors NotFound: none of that name; Denied: no
Result<void> check_caller(Site& site, const std::string& name, const Guest& guest);
/// This user's services that the guest may call. @cost a file or two of each
std::vector<DlimService> services_for(Site& site, const Guest& guest);

/// Passes the request on to the wuserd of whom the service is, as `what` below it ("/inference";
/// empty: the service itself). @errors NotFound: nobody's that is known here; Denied: its owner
/// does not name this user; Unavailable   @cost of the first in 5 s: its owner is looked for, 2 s
/// at most
Result<Answer> at_owner(Call& call, const std::string& what);
/// What others let this user call, as their wuserd say: JSON objects. Who does not answer within 2
/// s is left out. @cost the slowest of them
std::vector<std::string> models_of_others(Call& call);

/// Each is an account or a group, or everybody. @errors BadArgument: which is not
Result<void> check_callers_exist(const std::vector<std::string>& callers);
/// Those who are logged on hear that this user lets them call something. Nobody waits for it.
void tell_callers(const Site& site, const std::vector<std::string>& callers);
/// That user lets this one call something. @cost a file, written where it changes
void know_service_owner(const Site& site, const std::string& user);

}  // namespace wm::user
