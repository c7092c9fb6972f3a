// Role: a daemon tells the program that started it that it is ready to work: systemd (Type=notify)
// or scripts/minicluster. Without it a start that fails a moment later looks like one that worked.
#pragma once

namespace wm::proc {

/// Says READY=1 on the socket that $NOTIFY_SOCKET names and takes the variable out of the
/// environment, so that no child speaks in our name; nothing where there is none.
/// @errors none: a starter that does not hear it waits until its own limit
/// @source sd_notify(3)   @thread before others read the environment   @cost one datagram
void tell_ready();

}  // namespace wm::proc
