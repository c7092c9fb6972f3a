// Role: what each task of an execution needs, in bsub's words: -R, -gpu, -M. Node selectors, limits
// and affinity of pods, as WMLA's clients say them, become these; the rest is named in warnings.
// Pure.
//
//   --msd-task12n-node-selector rack=a,ssd=true ─► select[(rack=='a') && (ssd)]
//   --msd-podaffinity-rule required … kubernetes.io/hostname ─► span[hosts=1]
//                                     … another key           ─► same[key]
//   --workerMemoryLimit ─► -M
//   --workerCPULimit    ─► affinity[core(n)]
//   --driver…           ─► of the first task, which is a group of its own then (exec_words.h);
//   where
//                          all tasks have to be alike, the larger amounts of each
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/model/config/catalog.h"
#include "libwm/rest/exec_request.h"

namespace wm::rest {

/// Its name here.
using wm::Framework;

/// Where an execution runs.
struct ExecPlace {
  std::string out_file;  ///< of the job's report
  std::string data_dir;  ///< DATA_DIR of the cluster
  bool gpus = false;     ///< the cluster has some
};

/// Kinds of tasks.
enum class Whose : std::uint8_t {
  Workers,  ///< the first of them is the driver: what it needs is asked for of each, being alike
  Servers,  ///< of parameters
  Driver,   ///< the first alone
  Others,   ///< workers but the first
};

/// What a task asks for.
struct TaskNeeds {
  std::vector<std::string> resreqs;  ///< each an -R
  std::string gpu;                   ///< -gpu; empty: none
  bool operator==(const TaskNeeds&) const = default;
};

/// Does it compute on GPUs? @cost O(1)
bool on_gpus(const ExecRequest& request, const ExecPlace& place);

/// What each of them asks for.
/// @errors BadArgument: a selector or key that does not read, a limit below what is asked for
Result<TaskNeeds> needs_of(const ExecRequest& request, const ExecPlace& place, Whose whose);

/// Does the driver ask for something else than the workers, and can it be a group of its own? Tasks
/// of elastic trainings, of trials and such as have to be together are one group.
/// @errors as needs_of
Result<bool> driver_is_apart(const ExecRequest& request, const Framework& framework,
                             const ExecPlace& place);

/// What one task may use of memory at most, as -M: a job has one limit for all of its groups, the
/// larger one, and no smaller one than what is asked for. Empty: none. @cost O(1)
std::string memory_limit_of(const ExecRequest& request);

/// "a=b,c=true" as a select expression; empty for an empty one.
/// @errors BadArgument: not NAME=VALUE
Result<std::string> select_of(std::string_view selector);

/// Options that change nothing here, each with the reason: "--ig: …". Empty: all had their effect.
/// `driver_apart`: its driver is a group of its own. @cost O(options)
std::vector<std::string> warnings_of(const ExecRequest& request, bool driver_apart);

}  // namespace wm::rest
