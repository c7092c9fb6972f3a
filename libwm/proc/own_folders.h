// Role: folders of a user's below one that all users share, as results_dir: made as the user, and
// believed only when nobody else can have put them there or can write into them. What is read from
// them later, a checkpoint say, runs as the user.
#pragma once

#include <string>

#include "libwm/base/result.h"

namespace wm::proc {

/// Makes `path`, which lies below `root`, folder by folder: each of mode 0755 less umask.
/// @errors Denied: `root` may be written by others and has no sticky bit; a folder below it is a
///         link, somebody else's, or may be written by others; System: with path and reason
/// @thread as the user
Result<void> make_own_folders(const std::string& root, const std::string& path);

}  // namespace wm::proc
