// Role: which processes of a job are an MPI runtime and which are its ranks, by their names: who is
// to stop at a step boundary is the ranks. Pure; called by the shepherd (programs.h).
//
//   script ──► mpirun ─┬─► rank ──► its children          the first host
//                      └─► blaunch ┄► prted ──► rank      another
//
// A runtime that is told to end gives its ranks no time: Open MPI 5 kills them 250 ms later, 4 a
// second or two. It ends by itself when they have.
// @source PRRTE 3.0: prte_odls_base_default_kill_local_procs; programs of Open MPI 4, 5, MPICH 4
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wm::launch {

/// A process. @shape name: as the kernel cuts it, at most 15 bytes
struct NamedProcess {
  std::int32_t pid = 0, parent = 0;
  std::string name;
};

/// Pids, in the order given.
struct MpiProcesses {
  std::vector<std::int32_t> runtime;  ///< launchers and daemons, and how they reach other hosts
  std::vector<std::int32_t> ranks;    ///< with all that is below them
};

/// A runtime without a rank here counts as none.
/// @shape parents stand before their children    @cost O(n log n)
MpiProcesses mpi_processes(const std::vector<NamedProcess>& processes);

}  // namespace wm::launch
