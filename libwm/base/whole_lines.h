// Role: holds back the line that a writer has only begun, so that the lines of several writers to
// one place do not mix. Pure.
//
//   "hel" ─► nothing yet      "lo\nwor" ─► "hello\n"      its end ─► "wor"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wm {

/// One writer's stream. @thread one
class WholeLines {
 public:
  /// Longest line that is waited for; a longer one comes in parts of this size. @units bytes
  static constexpr std::size_t kLongest = 64 << 10;

  /// The lines that these bytes complete, each with its end, and parts of one that is too long,
  /// without: together they are the bytes. @cost O(bytes)
  std::vector<std::string> add(std::string_view bytes);
  /// The line begun last; empty: there is none. @cost O(1)
  std::string rest();

 private:
  std::string begun_;
};

}  // namespace wm
