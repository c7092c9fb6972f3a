// Role: how much lies below a folder that a user may write to. No link is followed, also none that
// is put there meanwhile, and no other file system is entered.
// @source openat(2), readdir(3); statvfs counts a whole file system, quotas not everywhere
#pragma once

#include <cstdint>
#include <string>

#include "libwm/base/units.h"

namespace wm::proc {

/// The most that is looked at. @units names; folders below one another
inline constexpr std::uint32_t kMostNames = 100'000;
inline constexpr int kDeepestFolder = 100;

/// What was found. A name counts as a KiB at least: each takes an inode. A file of several names
/// counts for each by its part.
struct FolderUse {
  enum class More : std::uint8_t { None, Size, Names, Depth };
  Bytes size{0};
  std::uint32_t names = 0;
  More more = More::None;  ///< why the rest was not looked at; None: it is all of it
};

/// Looks until there is more than `enough`. What cannot be opened counts by itself alone.
/// @thread any   @cost O(names), a few µs each; as many descriptors as it is deep
FolderUse folder_use(const std::string& path, Bytes enough);

}  // namespace wm::proc
