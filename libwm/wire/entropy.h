// Role: the one place of the wire that draws random bytes. Called at the rim, by those who
// make sessions (channel.cc, client/connection.cc, tests of real sockets).
#pragma once

#include "libwm/wire/hello.h"

namespace wm::wire {

/// Random bytes for one session from the system's generator. Readies libsodium.
/// @thread any   @cost microseconds
HelloSecrets fresh_secrets();

}  // namespace wm::wire
