// Role: collects everything that is wrong with a configuration, so that one run of
// `badmin ckconfig` names it all. Each problem reads "queues.conf:14: text".
// Reading goes on after a problem: what is wrong is left out or keeps its default.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/excerpt.h"
#include "libwm/base/result.h"

namespace wm::conf {

/// A line of a configuration file; line 0 stands for the file as a whole.
struct Place {
  std::string file;
  int line = 0;
};

/// The list of what is wrong, in the order found. @thread one
class Problems {
 public:
  /// One more problem. @cost O(text)
  void add(const Place& at, std::string_view text) {
    std::string line = at.line > 0 ? ":" + std::to_string(at.line) : "";
    lines_.push_back(at.file + line + ": " + excerpt(text, kShown));
  }
  bool empty() const { return lines_.empty(); }
  const std::vector<std::string>& lines() const { return lines_; }

  /// All of them as one Error of code BadArgument, a line each. @cost O(text)
  Error error() const {
    std::string text;
    for (const auto& line : lines_) text += (text.empty() ? "" : "\n") + line;
    return fail(Code::BadArgument, text);
  }

 private:
  static constexpr std::size_t kShown = 1000;  // of a problem
  std::vector<std::string> lines_;
};

}  // namespace wm::conf
