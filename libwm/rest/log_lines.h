// Role: lines of a growing text, looked through a block at a time: those that hold a word, or that
// begin an error as scripts write one. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wm::rest {

/// A line that was looked for.
struct FoundLine {
  std::uint64_t at = 0;    ///< bytes before it
  std::uint64_t line = 0;  ///< its number, from 1
  std::string text;        ///< cut
  bool operator==(const FoundLine&) const = default;
};

/// What is looked for. `word` empty: the beginning of an error.
struct LineWish {
  std::string word;
  std::size_t most = 200;  ///< lines that are kept; all are counted
};

/// Does this line begin an error: "Traceback", "ValueError: …", "fatal: …"? @cost O(1)
bool begins_error(std::string_view line);

/// Looks through one file. Letters of ASCII are found in either case. @thread one
class LineSearch {
 public:
  explicit LineSearch(const LineWish& wish);

  /// The next block of it. @cost O(bytes x word), in practice O(bytes)
  void take(std::string_view block);
  /// The last line has no end.
  void end();

  const std::vector<FoundLine>& found() const { return found_; }
  std::uint64_t count() const { return count_; }

 private:
  void look(std::string_view line);
  bool fits(std::string_view line) const;

  LineWish wish_;
  std::string lower_;  // the word, in small letters
  std::string begun_;  // of a line that the blocks before began
  std::uint64_t at_ = 0, line_ = 0, count_ = 0;
  std::vector<FoundLine> found_;
};

/// How much of a text ends with a whole line; all of it where no line ends in it and it is long.
/// @cost O(length)
std::size_t whole_lines(std::string_view text);

}  // namespace wm::rest
