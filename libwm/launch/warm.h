// Role: which elastic jobs get a warm parent on their hosts (DESIGN 5.2 no. 7), and how it is
// started. A newcomer pays for importing its framework; a process of the attempt that has
// done so already forks newcomers in milliseconds instead.
//
//   worker says hello ─► wnoded: plan_warm ─KeepWarm─► shepherd ─starts─► warm parent
//                                StartTasks ─────────► shepherd ─asks───► warm parent ─forks─► task
//
// A service's kernels have one before the first of them: the master has hosts open their next
// attempt without a task (daemons/wmasterd/hosts/standby.h).
//
// Invariant: takes only commands that have a fully known effect without a shell: a Python
// interpreter, a script and plain words. Everything else starts cold, as it always did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libwm/launch/launch_env.h"
#include "libwm/launch/launcher.h"
#include "libwm/model/node/node.h"

namespace wm::launch {

/// Nothing is imported for a newcomer before the job's first worker here has run for so long.
inline constexpr Duration kWarmAfter = std::chrono::seconds(10);
/// Name of the variable that holds the number of the warm parent's descriptor.
inline constexpr std::string_view kWarmVariable = "WM_WARM_FD";

/// Is the attempt to be open here without a task, so that one that comes starts at once?
/// @cost O(1)
bool is_standby(const HostOrder& order);

/// The words of a command that is `python SCRIPT WORD…`, or `python3`, or that with exec before it,
/// and nothing else; empty: anything that a shell would have to look at, another program, or an
/// option before the script.
/// @cost O(length)
std::vector<std::string> python_words(const std::string& command);

/// The warm parent of this attempt; none where the job is not resized in place, its application
/// names no warm_imports, or its command is not python_words. @cost that of task_environment
std::optional<KeepWarm> plan_warm(const HostOrder& order, const HostFacts& host);

}  // namespace wm::launch
