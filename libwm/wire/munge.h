// Role: Credentials by MUNGE, the field's authentication service (munged on every host, one
// key per cluster). Called from worker threads by prover.cc and by commands directly.
#pragma once

#include <memory>
#include <string>

#include "libwm/wire/credentials.h"

namespace wm::wire {

/// Credentials made and checked by the munged that listens on `socket` (empty: the system's).
/// Not restricted to a uid: root peers could not read such a credential, and it hides nothing.
/// What verify_signature() has found is kept for the newest few hundred.
/// @errors of decode: whatever munged does not call success is refused, also where it names a
///         uid all the same (expired, replayed)
/// @thread any; each call opens its own connection   @cost about 0.1 ms; seconds if munged is down
/// @source munge(3), munge_ctx(3)
std::unique_ptr<Credentials> munge_credentials(const std::string& socket);

}  // namespace wm::wire
