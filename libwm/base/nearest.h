// Role: "did you mean": the known word closest to a mistyped one. Used by the
// configuration reader for keys and names, and by the commands for options.
// A word too far from all of them gets no answer: a wild guess confuses.
#pragma once

#include <span>
#include <string_view>

namespace wm {

/// The word of `known` with the least edit distance to `word`, the first of several; empty
/// when even that needs more than half of `word` changed, or `word` has more than 100 bytes.
/// @cost O(words · length²)   @source Levenshtein distance
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace wm
