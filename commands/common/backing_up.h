// Role: badmin backup and badmin take-over: what is done to the master's state folder itself, on
// its host, whether the master runs or not.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"

namespace wm::cmd {

/// Copies every store of the master into one tar file, which is there whole or not at all.
/// Returns the exit status.
/// @errors BadArgument: not one file; NotFound: no store here; Denied: neither root nor the
///         master's account; Conflict: the file is there; Store, Damaged, System: as it says
Result<int> back_up(const std::vector<std::string>& files);

/// Decides that the store of this host goes on, though a host has obeyed a newer one; done at the
/// master's next start. @errors NotFound: nothing was met; Denied: as back_up; System
Result<int> take_over(const std::string& why);

}  // namespace wm::cmd
