// Role: what else the zygote forks: a sweeper that ends everything of an attempt after its
// shepherd was killed, and a reader that gives bpeek a piece of a user's file.
#pragma once

#include "daemons/wshepherd/place.h"
#include "libwm/launch/launcher.h"
#include "libwm/proc/channel.h"

namespace wm::shepherd {

/// Kills by cgroup, environment marker and session until nothing is found, records that the
/// attempt ended with ShepherdLost, tells it on `connection`.
void run_sweep(const Place& place, const launch::Sweep& sweep, int connection);

/// Becomes the user for good, reads, answers on `connection`.
void run_reader(const launch::ReadFile& order, int connection);

}  // namespace wm::shepherd
