// Role: whether an mpirun has started fewer ranks than its job has slots without being asked to, as
// one does that does not find the job's hosts: from processes as they were found. Pure; called by
// the shepherd (rank_watch.h).
//
//   launcher (LSB_DJOB_NUMPROC=8) ──► its daemon ──► rank (OMPI_COMM_WORLD_SIZE=2) ──► its children
//
// Unknown options are taken to have a value: a program's own "-n 5" may then count as the
// launcher's, which costs the line, and no launcher that was told is ever blamed.
// @source what Open MPI 4 and 5 (OMPI_COMM_WORLD_SIZE) and PMI-1 launchers (PMI_SIZE) tell ranks; the
//   options of mpirun (Open MPI 4.1, 5.0) and mpiexec.hydra (MPICH 4)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wm::launch {

/// A process of a job. @shape env: "A=1" each, as it was at exec
struct JobProcess {
  std::int32_t pid = 0, parent = 0;
  std::vector<std::string> argv, env;
};

/// A launcher with ranks.
struct MpiLaunch {
  std::int32_t pid = 0;
  std::string program;      ///< "mpirun"
  std::uint32_t ranks = 0;  ///< of its largest world
  std::uint32_t slots = 0;  ///< of the job, as it was when the launcher started; 0: not known
  bool asked = false;       ///< how many ranks, or where, somebody has said
  bool operator==(const MpiLaunch&) const = default;
};

/// The launchers among them that have a rank among them, by pid. A rank without its launcher here
/// tells nothing. @cost O(processes · their depth + their bytes)
std::vector<MpiLaunch> mpi_launches(const std::vector<JobProcess>& processes);

/// The line for the job's report, without its end; empty: all is as it should be. @cost O(1)
std::string few_ranks_line(const MpiLaunch& launch);

}  // namespace wm::launch
