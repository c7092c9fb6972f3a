// Role: the one table of what WM sets in the environments of jobs: names, when, and where it is
// done; and the list of them that a task has, so that what it submits does not inherit them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace wm::launch {

/// When a variable is set.
enum class SetWhen : std::uint8_t {
  Task,        ///< every task
  Process,     ///< every task, and the agent of the part
  Asked,       ///< an option of the job says so
  Parallel,    ///< the job has several tasks
  Elastic,     ///< the job is elastic
  Array,       ///< an element of an array
  Element,     ///< an element of an open array
  Meets,       ///< its tasks meet at a port
  Launcher,    ///< a launcher of trainings, or one process a host
  Python,      ///< not batch, or it starts a training
  Training,    ///< the profile is not of type batch
  Grouped,     ///< the job has groups
  Agent,       ///< the part has an agent
  InAgent,     ///< the part's agent alone
  Notebook,    ///< the profile is a notebook's
  Container,   ///< the task is in a container
  Bound,       ///< CPUs or memory are bound
  Shares,      ///< its GPUs are shared by MPS
  Beside,      ///< commands around the tasks
  Warm,        ///< a kernel that is kept warm
  Translated,  ///< its #SBATCH lines were translated
};

/// Where that is done.
enum class SetBy : std::uint8_t {
  LaunchEnv,     ///< launch_env.cc
  FrameworkEnv,  ///< framework_env.cc
  GroupEnv,      ///< group_env.cc
  PartEnv,       ///< part_env.cc
  MpiEnv,        ///< mpi_env.cc
  Container,     ///< container.cc
  Around,        ///< launch_around.cc
  Wnoded,        ///< wnoded: core_affinity, mps, core_running
  SlurmEnv,      ///< slurm_env.cc; bsub those that no host is needed for
  Wshepherd,     ///< wshepherd: acts, around, warm tasks
};

/// A variable; a name that ends in '*' stands for all that begin so.
struct OwnVariable {
  std::string_view name;
  SetWhen when;
  SetBy by;
  bool kept = false;  ///< the submitter's own value stays
};

/// All of them, by name. @cost O(1)
std::span<const OwnVariable> own_variables();
/// The row of a name; null: WM never sets it. @cost O(variables)
const OwnVariable* own_variable(std::string_view name);

/// WM_OWN of a task (libwm/model/inheritance.h): what is in `now` and was not so in the submitter's
/// environment `before`, and what wnoded and wshepherd may add to it. Not what every session of an
/// account has: PATH, PYTHONPATH, HOME and their like.
/// @cost O(variables)   @thread any
std::string own_list(const std::map<std::string, std::string>& before,
                     const std::map<std::string, std::string>& now);

}  // namespace wm::launch
