// Role: files that are read and replaced as a whole. Readers of a replaced file find the old text or
// the new, never a part; after a crash, too.
// @source rename(2), fsync(2)
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm {

/// What is read at most of a file that has no limit of its own: a manifest, a list of keys.
inline constexpr Bytes kWholeFile{64 << 20};

/// All of a regular file. @errors NotFound; Denied: a link, or no regular file; Limit: longer than
/// `most`; System: path and reason   @thread any   @cost O(size)
Result<std::string> read_file(const std::string& path, Bytes most = kWholeFile);

/// Writes a new file beside `path` and renames it: every byte is on disk before, and the name after.
/// The folder has to be there. On failure the old file stays and no new one is left. Writers of one
/// path do not disturb each other; the last wins. A link at `path` is replaced, not followed.
/// @errors System: path and reason (no space, no permission)
/// @thread any   @cost O(size) and two fsync
Result<void> replace_file(const std::string& path, std::string_view text, mode_t mode);

/// The same below a folder that is open; `path` is for the words. @errors as above
Result<void> replace_file_at(int folder, const std::string& name, std::string_view text,
                             mode_t mode, const std::string& path);
/// And the reading. @errors as read_file
Result<std::string> read_file_at(int folder, const std::string& name, Bytes most,
                                 const std::string& path);

}  // namespace wm
