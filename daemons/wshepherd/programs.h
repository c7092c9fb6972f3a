// Role: SIGTERM that asks programs to save their work reaches MPI ranks, on each host by its own
// shepherd, and never their runtime, which would kill them before they have
// (libwm/launch/mpi_runtime.h). Reads what the kernel keeps of processes, nothing of theirs.
#pragma once

#include <set>
#include <vector>

#include "daemons/wshepherd/env.h"

namespace wm::shepherd {

/// Those of `pids` that are an MPI runtime with ranks among them.
/// @shape parents stand before their children
std::set<pid_t> mpi_runtime_of(const Env& env, const std::vector<pid_t>& pids);

/// To `leader` and all below it, but for an MPI runtime that has ranks there. False: there is none,
/// and nobody was told.
bool signal_around_mpi(const Env& env, pid_t leader, int signal);

/// To those of `pids` that are MPI ranks or below one. False: none is.
/// @shape parents stand before their children
bool signal_ranks(const Env& env, const std::vector<pid_t>& pids, int signal);

}  // namespace wm::shepherd
