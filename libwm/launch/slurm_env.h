// Role: variables that scripts written for Slurm read, of jobs with #SBATCH lines that bsub has
// translated (libwm/submit/sbatch_script.h): those that depend on the job's number and hosts. bsub
// sets the others. Pure.
// @source Slurm: sbatch(1), "OUTPUT ENVIRONMENT VARIABLES"
#pragma once

#include "libwm/launch/launch_env.h"
#include "libwm/launch/part_env.h"

namespace wm::launch {

/// Adds them where `vars` has the mark that bsub set, which is by how much the job's indices are
/// higher than Slurm's. Launchers of MPI programs are told that no Slurm is there to start them.
/// @cost O(hosts)
void add_slurm(VariableMap& vars, const HostOrder& order, const HostFacts& host,
               const OrderedTask& task);

}  // namespace wm::launch
