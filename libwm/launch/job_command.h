// Role: the words of a job's command line: its command or script, from its checkpoint where it has
// one, through the starter of its profile or queue. Pure. Called by launch_plan.cc for every task.
#pragma once

#include <string>
#include <vector>

#include "libwm/launch/launch_env.h"

namespace wm::launch {

/// What is exec'ed for each task. A job of a site's checkpoint method that runs anew is what
/// erestart.METHOD says, once there is something in its checkpoint folder.
/// @source LSF: erestart leaves LSB_RESTART_CMD=… in .restart_cmd of the folder
std::vector<std::string> command_of(const HostOrder& order, const HostFacts& host);

/// The starter of the job's profile, or else of its queue; empty: none.
const std::string& starter_of(const HostOrder& order);

/// The shell command line in which `command` stands for each %USRCMD of the starter, or follows it
/// where there is none. Inside of quotes the shell finds it as it is, as one word or part of one.
/// @source LSF: JOB_STARTER of lsb.queues   @cost O(starter + command)
std::string started_by(const std::string& starter, const std::string& command);

}  // namespace wm::launch
