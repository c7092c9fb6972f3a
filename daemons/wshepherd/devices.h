// Role: which of the host's guarded devices the attempt's processes may open: those of tasks that
// run, or wait for the commands before them.
#pragma once

#include "daemons/wshepherd/attempt.h"

namespace wm::shepherd {

/// Makes it so; to be called when a task starts or ends.
void guard_devices(Attempt& attempt);

}  // namespace wm::shepherd
