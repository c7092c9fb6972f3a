// Role: opens what a shepherd itself writes into an attempt's folder, which belongs to the job's
// user.
// Invariant: whatever lies at the path (a FIFO, a link, another's file by a second name), the
// shepherd neither waits for anybody nor writes elsewhere.
#pragma once

#include <string>

#include "libwm/proc/channel.h"

namespace wm::shepherd {

/// The file at `path` for appending, made with mode 0600 when it is missing; none, which a child
/// takes for /dev/null, when something else than a plain file of one name is there.
/// @cost does not block
Fd open_log(const std::string& path);

}  // namespace wm::shepherd
