// Role: what a job gets for launching over its hosts (blaunch, mpirun, Hydra) and for consoles:
// when a host's part of a job needs an agent, the agent's own variables and those of tasks. Pure,
// as launch_env.h, which calls it.
//
//   several hosts or groups, elastic, interactive, a trial, or its owner wants in ──► an agent on
//   every host of it
#pragma once

#include <map>
#include <string>

#include "libwm/launch/launch_env.h"
#include "libwm/launch/launcher.h"
#include "libwm/model/node/node.h"

namespace wm::launch {

/// Variables by name.
using VariableMap = std::map<std::string, std::string>;

/// Does this host's part of the job have an agent from the start? @cost O(tasks)
bool wants_agent(const HostOrder& order);
/// Is this host's part nothing but room for commands that blaunch starts? @cost O(tasks)
bool is_bare_part(const HostOrder& order);

/// Where the agent takes commands of this host's tasks, and consoles.
std::string launch_socket(const HostOrder& order, const HostFacts& host);
std::string console_socket(const HostOrder& order, const HostFacts& host);

/// Where the agent tells ranks that this host starts of the others.
std::string rank_socket(const HostOrder& order, const HostFacts& host);

/// Do launchers of several hosts write to the job's files, which its first host alone opens? Those
/// of the other hosts reach them through its agents. @cost O(1)
bool shares_output(const HostOrder& order);

/// Variables by which launchers inside a task find blaunch and the hosts; those of MPI: mpi_env.h.
void add_launch(VariableMap& vars, const HostOrder& order, const HostFacts& host);
/// Of type notebook: where to listen for the job's owner, and when it counts as forgotten.
void add_web(VariableMap& vars, const HostOrder& order, const HostFacts& host);
/// Variables of the agent itself.
void add_agent_part(VariableMap& vars, const HostOrder& order, const HostFacts& host);

/// Makes the task one of the ranks that find each other by the agents.
void plan_rank(const HostOrder& order, const HostFacts& host, TaskSpec& task);

/// Makes the task one with a shared output: on the first host it is written in whole lines, on
/// others passed on.
void plan_shared_output(const HostOrder& order, TaskSpec& task);

/// Gives the task a console when the job is interactive and this is its first task.
void plan_console(const HostOrder& order, const HostFacts& host, TaskSpec& task);

}  // namespace wm::launch
