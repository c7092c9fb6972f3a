// Role: which archives are unpacked for a user, entry by entry: files, folders, and in one's own
// links that stay inside; everything else makes the whole archive refused. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::rest {

/// One entry as its archive describes it.
struct ArchiveEntry {
  enum class Kind : std::uint8_t { File, Folder, SymbolicLink, HardLink, Other };
  Kind kind = Kind::File;
  std::string path, link;
  std::uint64_t size = 0;
};

/// How large an unpacked archive may get.
struct ArchiveLimits {
  std::uint64_t entries = 200000;
  std::uint64_t bytes = std::uint64_t{64} << 30;
  std::uint64_t expansion = 1000;                  ///< times the archive's own size …
  std::uint64_t small = std::uint64_t{256} << 20;  ///< … from here on
  bool links = true;                               ///< false: it comes from somebody else
};

/// Counts and judges the entries of one archive of `packed` bytes, in order.
class ArchiveRules {
 public:
  ArchiveRules(const ArchiveLimits& limits, std::uint64_t packed)
      : limits_(limits), packed_(packed) {}

  /// @errors BadArgument: leads out of the folder, or through a link of the same archive; a link
  /// where there may be none; neither file, folder nor link; Limit
  /// @cost O(length of its path)
  Result<void> admit(const ArchiveEntry& entry);
  /// So many bytes came out, whatever the entries say. @errors Limit
  Result<void> grow(std::uint64_t bytes);

 private:
  Result<void> admit_link(const ArchiveEntry& entry);

  ArchiveLimits limits_;
  std::uint64_t packed_ = 0, entries_ = 0, bytes_ = 0;
  std::set<std::string> links_;    ///< that came, by their plain paths
  std::set<std::string> through_;  ///< what the links' targets go through
};

/// Does a path stay below the folder that it starts from; "" and "." are that folder? @cost
/// O(length)
bool stays_below(std::string_view path);

/// The same of what a link at `path` points to. @cost O(length)
bool link_stays_below(std::string_view path, std::string_view link);

}  // namespace wm::rest
