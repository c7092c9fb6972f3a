// Role: a host's folders belong to one cluster and to one wnoded at a time: with another's in them
// it would adopt, bill and end that one's jobs.
#pragma once

#include <string>

#include "libwm/files/fd.h"

namespace wm::node {

/// Takes the folder for this cluster and process: "<folder>/cluster" names the one, its lock is the
/// other's. A folder without that file, as before an upgrade, is taken.
/// @errors Conflict: another cluster's, or another wnoded has it; System
/// @owns the lock, as long as the descriptor is open   @thread any   @cost a few calls
Result<Fd> claim_folder(const std::string& folder, const std::string& cluster);

}  // namespace wm::node
