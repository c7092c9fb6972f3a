// Role: the variables by which training frameworks and their launchers find the other processes
// of their job: torchrun's, and those of WMLA's training scripts. Pure, as launch_env.h, which
// calls it.
// @source torchrun's worker variables; WMLA's training variables
#pragma once

#include "libwm/launch/launch_env.h"
#include "libwm/launch/part_env.h"
#include "libwm/model/node/node.h"

namespace wm::launch {

/// What torchrun gives a worker. @source torch.distributed.elastic @cost O(tasks)
void add_torchrun(VariableMap& vars, const HostOrder& order, const HostFacts& host,
                  const OrderedTask& task);
/// Defaults of torchrun's own options; what the command line says goes before them.
/// @source torch.distributed.argparse_util: PET_<option>
void add_launcher(VariableMap& vars, const HostOrder& order, const OrderedTask& task);
/// WM's modules: fabric_model, wm_steps and the like in front of what the submitter had in PYTHONPATH;
/// those under names that scripts bring themselves behind it. @cost O(1)
void add_python(VariableMap& vars, const HostFacts& host);
/// Folders of a training script.
void add_training(VariableMap& vars, const HostOrder& order, const HostFacts& host,
                  const OrderedTask& task);

}  // namespace wm::launch
