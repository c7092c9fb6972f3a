// Role: what MPI launchers find in a job's environment: the hosts, blaunch, where their daemons
// keep files, whether ranks yield. Pure; called by part_env.h and launch_env.h.
//
//   mpirun 4 (ORTE) reads OMPI_MCA_orte_…, mpirun 5 (PRRTE) PRTE_MCA_…; ranks of both OMPI_MCA_…
//   mpiexec.hydra (MPICH) reads LSB_MCPU_HOSTS and LSF_BINDIR: launch_env.h
//
// Invariant: both families are always set: which Open MPI is in a user's PATH nobody knows here.
// @source Open MPI 4.1 and 5.0, PRRTE 3.0: MCA parameters; the environments that they give to ranks
#pragma once

#include <string>

#include "libwm/launch/part_env.h"

namespace wm::launch {

/// Do the hosts start the ranks of one MPI program (-mpi pmix)? @cost O(1)
bool starts_ranks(const HostOrder& order);

/// For launchers inside a task, of a job that has several slots or is elastic. What the submitter
/// set stays, but for the host files. @cost O(hosts)
void add_mpi(VariableMap& vars, const HostOrder& order, const HostFacts& host);

/// For the daemons that launchers start elsewhere, and for them alone: their folders are removed
/// with the attempt, and hosts of one machine do not share them. @cost O(1)
void add_mpi_daemon(VariableMap& vars, const HostOrder& order, const HostFacts& host);

/// "node1 slots=2", one line a host, as Open MPI reads it; empty for a job of one task.
std::string mpi_host_file(const HostOrder& order);

/// Of a job that was submitted inside another one: takes out the other's host files, and, where a
/// rank has submitted it, what an MPI runtime tells its ranks. The job is none of that world, and
/// an mpirun in it would look for both. @cost O(variables)
void drop_other_jobs_words(VariableMap& vars);

}  // namespace wm::launch
