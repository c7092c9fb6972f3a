// Role: one cgroup v2 folder per attempt, where the tree below our own cgroup is writable: it
// proves an attempt gone ("populated 0") and kills it in one write. Where there is none (a
// private cluster, our own cgroup is the hierarchy's root) everything works through the process
// tree instead; these functions then do nothing and say so.
// Invariant: nothing is made at a hierarchy's root unless the administrator named the folder.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"

namespace wm::proc {

/// The folder attempts may be put below: `configured`, or, if that is empty, our own cgroup's
/// v2 folder. Empty result: none is usable ("none" configured, own is the root, not writable).
/// @cost two reads and a mkdir
std::string usable_cgroup_root(const std::string& configured);

/// Makes `<root>/<name>`. @errors System
Result<std::string> make_cgroup(const std::string& root, const std::string& name);
/// Moves the calling process in. @errors System
Result<void> join_cgroup(const std::string& folder);
/// Processes in the folder; empty also when it is gone. @cost one read
std::vector<int> pids_in_cgroup(const std::string& folder);
/// Kills everything inside, frozen or not (kernel 5.14). @errors System
Result<void> kill_cgroup(const std::string& folder);
/// Removes the empty folder; whatever goes wrong is left for the next start. @cost one rmdir
void remove_cgroup(const std::string& folder);

}  // namespace wm::proc
