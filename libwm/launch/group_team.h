// Role: groups of one role as one team. A driver and its workers ask for different things and are
// groups for that reason, yet they are the ranks of one training: they meet at one place, count
// through, and write to one folder. TF_CONFIG counts groups of one role as one likewise
// (group_env.h). Elastic and independent groups, which change in size, are teams of their own.
// Pure, as launch_env.h, which calls it.
//
//   {"name": "driver", "role": "worker"}              RANK 0                 ┐
//   {"name": "worker", "role": "worker", "tasks": 2}  RANK 1, 2   WORLD_SIZE ┴ 3
#pragma once

#include <cstdint>
#include <string>

#include "libwm/launch/placing.h"

namespace wm::launch {

/// Is the order's group one of several of its role that are a team? @cost O(groups)
bool is_in_team(const HostOrder& order);

/// Where a task stands in its team, or in its job where that has no team. What runs of a group on a
/// host is a host of its own in it. @cost O(tasks)
Place team_place(const HostOrder& order, TaskNumber task);

/// Where the team's processes meet: at the first task of its first group, by the port that the
/// master gave that task. Port 0: none is known.
struct TeamMeeting {
  std::string address;
  std::uint32_t port = 0;
};
/// The same of a job without a team: master_address(), master_port(). @cost O(groups)
TeamMeeting meeting_of(const HostOrder& order);

/// The job under which results are kept: the whole one's, not the group's, where that is in a team.
/// @cost O(groups)
JobId results_id(const HostOrder& order);

/// The number of a task among those that write to one folder of results. @cost O(tasks)
std::uint32_t log_number(const HostOrder& order, TaskNumber task);

}  // namespace wm::launch
