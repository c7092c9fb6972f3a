// Role: unpacks what a user uploaded, by libarchive, with the rules of rest/archive_rules.h. Runs
// under the user's own account.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/rest/archive_rules.h"

namespace wm::user {

/// What another user's archive may hold.
inline constexpr rest::ArchiveLimits kFromOthers{.links = false};

/// Unpacks the archive at `path` (tar, compressed or not, or zip) below `folder`, which exists.
/// No link is followed, whether it came before or somebody puts it there meanwhile. What was
/// unpacked before a refusal stays: the caller takes the folder away as a whole.
/// @errors NotFound: no archive; BadArgument, Limit: refused; System
Result<void> unpack(const std::string& path, const std::string& folder,
                    const rest::ArchiveLimits& limits = {});

/// Writes a zip of the files below `folder` to `fd`, but not what lies below the names in `but`,
/// nor what this account may not read. Links are left out.
/// @errors NotFound, Denied: `folder` is none; Limit: it is too deep; System
Result<void> zip_folder(const std::string& folder, const std::vector<std::string>& but, int fd);

}  // namespace wm::user
