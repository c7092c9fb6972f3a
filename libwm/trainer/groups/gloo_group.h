// Role: groups over gloo (Debian's libgloo), for members on CPUs. gloo does the collectives;
// this adds what it lacks: an abort from any thread, a peaceful leave, a connecting that ends.
// Two things about gloo of 2022 shaped it: it has no abort, so a group's sockets are found and
// shut down (sockets.h); and a send under way when its connection ended can wait for ever, so
// collectives run in a thread of the group's, which is left behind when it does not come back.
#pragma once

#include <memory>
#include <string>

#include "libwm/trainer/groups/group.h"

namespace wm::groups {

/// The backend over gloo at `host`, the numeric IPv4 address that members reach this worker at
/// (host_address in store.h).
/// Null, with the reason in `why`, when that address is not this host's.
/// Ignores SIGPIPE for the whole process where nobody handles it: a peer may die.
/// @thread any   @owns a thread and a listening socket for the store, a thread of gloo's
std::unique_ptr<Backend> make_gloo(const std::string& host, std::string& why);

}  // namespace wm::groups
