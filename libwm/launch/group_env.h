// Role: how the tasks of a job with several groups find each other: variables of ours, and
// TF_CONFIG where the roles are TensorFlow's. Pure, as launch_env.h, which calls it.
#pragma once

#include <string>

#include "libwm/launch/part_env.h"

namespace wm::launch {

/// {"cluster":{"chief":["10.0.0.1:25000"],"worker":[…]},"task":{"type":"worker","index":0}} for task
/// `rank` of its group: numeric addresses, names where an older master says no more. Groups of one
/// role count as one, in the job's order; such as have no task are left out. @source TensorFlow: TF_CONFIG, tf.distribute.cluster_resolver
/// @cost O(tasks)
std::string tf_config(const HostOrder& order, std::uint32_t rank);

/// WM_GROUP, and WM_GROUP_<NAME> ("h1:25000,h2:25000") of each group, for commands that belong to
/// no task. Nothing for a job without groups. @cost O(tasks)
void add_group_places(VariableMap& vars, const HostOrder& order);
/// WM_GROUP, WM_GROUP_RANK, WM_GROUP_PORT, WM_GROUP_<NAME> ("h1:25000,h2:25000") of each group,
/// and TF_CONFIG. Nothing for a job without groups. @cost O(tasks)
void add_groups(VariableMap& vars, const HostOrder& order, const OrderedTask& task);

}  // namespace wm::launch
