// Role: the loop of a shepherd's process: polls its socket, its signals and its pipes, gives the
// orders to the Shepherd and then a turn. Plain C++, single-threaded.
#pragma once

#include "daemons/wshepherd/place.h"
#include "daemons/wshepherd/rim/node_link.h"

namespace wm::shepherd {

/// Runs to the end of the attempt. `signals` is a signalfd with SIGCHLD and SIGTERM.
void run_loop(const Place& place, launch::AttemptSpec spec, NodeLink link, const Fd& signals);

}  // namespace wm::shepherd
