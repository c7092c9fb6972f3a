// Role: damaged input for parsers: takes texts that are right and spoils them a little, so that
// the spoiled ones get far into the parser. The same seed gives the same texts.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace wm::test {

/// Spoils texts. @thread one at a time
class Mutator {
 public:
  /// @shape pieces: words of the language that may be put in, at least one
  Mutator(unsigned seed, std::vector<std::string> pieces)
      : random_(seed), pieces_(std::move(pieces)) {}

  /// `text` after one to four edits: a part lost, doubled or moved, a piece or a byte put in.
  /// @cost O(length)
  std::string spoiled(std::string text);

  /// One of `from`. @shape from: not empty
  const std::string& one_of(const std::vector<std::string>& from) {
    return from[random_() % from.size()];
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::mt19937 random_;
  std::vector<std::string> pieces_;
};

/// How many texts to try: `n`, fifty times as many with WM_SOAK set.
unsigned fuzz_count(unsigned n);

/// What every refusal of a parser must be: words in one line's characters, of a length that a
/// terminal takes, whatever the input was. Empty: it is; else what is wrong with it.
std::string trouble_with_refusal(const std::string& text);

}  // namespace wm::test
