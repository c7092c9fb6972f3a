// Role: where the tasks of an attempt are, as one host of it has to know: all hosts with how many
// tasks each, for host lists and the sizes of groups; of single tasks only its own, for ranks.
// What that costs goes with runs of like-named hosts, not with tasks. Made by the master, read by
// what plans a launch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/ids.h"

namespace wm {

/// A host of the job and how many tasks it has.
struct HostTasks {
  std::string host;  ///< name
  std::uint32_t tasks = 0;
  bool operator==(const HostTasks&) const = default;
};

/// Hosts side by side with names that differ by a number that goes up, with as many tasks each:
/// head, number (with leading zeros up to `width` digits), tail. Width 0: one host, no number.
struct HostRun {
  std::string head, tail;
  std::uint32_t first = 0, width = 0;
  std::uint32_t hosts = 1, tasks = 1;  ///< how many; on each of them
  bool operator==(const HostRun&) const = default;
};

/// The same hosts in fewer words. @cost O(hosts)
std::vector<HostRun> folded(const std::vector<HostTasks>& hosts);
/// Each of them again. @cost O(hosts)
std::vector<HostTasks> unfolded(const std::vector<HostRun>& runs);

/// One host's picture of its job.
struct JobHosts {
  std::vector<HostRun> runs;       ///< all hosts, in the order of their first task
  std::string first_address;       ///< numeric: of the first task's host
  std::vector<TaskNumber> here;    ///< on this host, rising
  std::uint32_t hosts_before = 0;  ///< how many hosts come before this one,
  std::uint32_t tasks_before = 0;  ///< and their tasks
  bool operator==(const JobHosts&) const = default;
};

/// How many there are in all. @cost O(runs)
std::uint32_t host_count(const JobHosts& job);
std::uint32_t task_count(const JobHosts& job);

/// A task with its host, as a job is laid out.
struct PlacedTask {
  TaskNumber task;
  std::string host;     ///< name
  std::string address;  ///< numeric
  bool operator==(const PlacedTask&) const = default;
};
/// What `host` has to know of such a layout. @cost O(tasks log tasks)
JobHosts job_hosts_of(std::vector<PlacedTask> tasks, std::string_view host);

}  // namespace wm
