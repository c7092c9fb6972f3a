// Role: what hosts and agents are told, made from the state: pure functions.
#pragma once

#include <string>

#include "libwm/model/cluster.h"
#include "libwm/model/node.h"

namespace wm::master {

/// True when the job has a task that holds a slot on `host`. @cost O(tasks)
bool has_work_on(const Job& job, HostId host);

/// All that the attempt shall be on `host`, without the blobs. @cost O(tasks)
HostOrder order_for(const Cluster& cluster, const Job& job, HostId host, WallTime now);

/// True when a task of the order has not been reported as started: blobs must go along.
bool starts_something(const HostOrder& order, const Job& job);

/// The wanted membership of an elastic job. @cost O(tasks)
AgentOrder agent_order_for(const Cluster& cluster, const Job& job);

/// Grace before a leaver is killed: the application's, else the plan's, else the cluster's.
Duration leave_grace_of(const Cluster& cluster, const Job& job);

}  // namespace wm::master
