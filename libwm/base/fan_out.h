// Role: a tree over numbered places, for words that go from one to all, or from all to one,
// through many hands: nobody speaks to more than `width` + 1 others. Pure.
//
//            0                 children of i: i * width + 1 … i * width + width
//     1      2      3          up to width + 1 places it is a star around place 0
//   4 5 6  7 8 9  10 …
#pragma once

#include <cstdint>
#include <vector>

namespace wm {

/// See the head of this file. A value. @shape places 0 … count - 1; width: 1 or more
struct FanOut {
  std::uint32_t count = 1;
  std::uint32_t width = 32;

  /// The place above; of place 0: itself. @cost O(1)
  std::uint32_t parent(std::uint32_t place) const;
  /// The places directly below, in order. @cost O(width)
  std::vector<std::uint32_t> children(std::uint32_t place) const;
  /// Is `place` below `top`, or `top` itself? @cost O(depth)
  bool is_below(std::uint32_t place, std::uint32_t top) const;
  /// The neighbour of `from` through which `to` is reached; `from` itself when they are one.
  /// @cost O(depth)
  std::uint32_t next_hop(std::uint32_t from, std::uint32_t to) const;
  /// Steps between place 0 and the place furthest from it. @cost O(depth)
  std::uint32_t depth() const;
  bool operator==(const FanOut&) const = default;
};

/// Places `first` … first + count - 1.
struct Share {
  std::uint32_t first = 0, count = 0;
  bool operator==(const Share&) const = default;
};
/// Cuts `count` places into `width` shares, or as many as there are places, in order; their
/// lengths differ by at most 1. The first place of each passes on to the others. @cost O(width)
std::vector<Share> shares(std::uint32_t count, std::uint32_t width);

}  // namespace wm
