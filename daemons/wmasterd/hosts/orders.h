// Role: what hosts and agents are told, made from the state: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/node/node.h"

namespace wm::master {

/// True when the job has a task that holds a slot on `host`, or leaves something there that is
/// still written. @cost O(tasks)
bool has_work_on(const Job& job, HostId host);

/// Where all tasks of a job are: made once for the orders to all its hosts.
struct JobPlaces {
  struct Part {
    std::vector<std::size_t> tasks;  ///< in Job::tasks, those that a host still hears of
    std::vector<TaskNumber> here;    ///< those of them that count for ranks
    std::uint32_t hosts_before = 0, tasks_before = 0;
  };
  std::vector<HostRun> runs;  ///< hosts in the order of their first task
  std::string first_address;
  std::map<HostId, Part> parts;
};
/// @cost O(tasks log hosts)
JobPlaces places_of(const Cluster& cluster, const Job& job);

/// All that the attempt shall be on `host`, without the blobs. @cost O(tasks there), beside what
/// `job` itself says; without `places` O(tasks)
HostOrder order_for(const Cluster& cluster, const Job& job, const JobPlaces& places, HostId host,
                    WallTime now);
HostOrder order_for(const Cluster& cluster, const Job& job, HostId host, WallTime now);

/// The same of an attempt that a host without its tasks is to hold ready (standby.h): the job's, or
/// the one that comes next. @cost O(tasks)
HostOrder standby_order(const Cluster& cluster, const Job& job, Attempt attempt, HostId host,
                        WallTime now);

/// True when a task of the order has not been reported as started: blobs must go along.
bool starts_something(const HostOrder& order, const Job& job);

/// The wanted membership of an elastic job, as its lead has to know it; for the agents of other
/// hosts `tasks` may be left out. @cost O(tasks)
AgentOrder agent_order_for(const Cluster& cluster, const Job& job);

/// Grace before a leaver is killed: the application's, else the plan's, else the cluster's.
Duration leave_grace_of(const Cluster& cluster, const Job& job);

}  // namespace wm::master
