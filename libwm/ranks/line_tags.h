// Role: makes one text of what many ranks write: whole lines, each with its rank before it, so
// that lines never mix. Pure.
//
//   rank 3: "hel" ─► nothing yet      rank 3: "lo\nwor" ─► "[3] hello\n"      its end ─► "[3]
//   wor\n"
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "libwm/base/whole_lines.h"

namespace wm::ranks {

/// See the head of this file. @thread one
class LineTags {
 public:
  /// What can be written now that this rank wrote these bytes to its `stream` (1 or 2). Each part
  /// of a line longer than WholeLines::kLongest is one.
  /// @cost O(bytes)
  std::string add(std::uint32_t rank, std::uint32_t stream, const std::string& bytes);
  /// What is left of the rank's stream, which is at its end, as a line.
  std::string end(std::uint32_t rank, std::uint32_t stream);

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, WholeLines> begun_;
};

}  // namespace wm::ranks
