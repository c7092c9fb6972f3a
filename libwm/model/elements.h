// Role: the elements of a job array: their indexes, their positions in its ranges, and how many of
// them there are. Pure readers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libwm/model/job.h"

namespace wm {

/// Indices in those ranges, one that is in two of them twice. @cost O(ranges)
std::uint64_t element_count(std::span<const IndexRange> ranges);
/// The same indices, each once; ranges that lie apart stay as they are, in their order.
/// @cost O(ranges log ranges); where two of them reach over each other O(elements log elements)
std::vector<IndexRange> each_once(std::vector<IndexRange> ranges);

/// Elements in an array's ranges, 0 when there are none. @cost O(ranges)
std::uint32_t element_count(const JobSpec& spec);
/// Index of the element at `position` (from 0). @cost O(ranges)
std::uint32_t element_index(const JobSpec& spec, std::uint32_t position);
/// Position of the element with this index. @cost O(ranges)
std::optional<std::uint32_t> element_position(const JobSpec& spec, std::uint32_t index);

/// So many elements of an open array have their data. @cost O(1)
inline std::uint32_t elements_given(const Job& base) { return base.elements.next_position; }
/// An array's elements by position: all of its range, of an open one those that were given.
/// @cost O(ranges)
std::uint32_t elements_there(const Job& base);
/// Will an array get no element beyond those that are there? @cost O(1)
inline bool takes_no_more(const Job& base) {
  return !base.spec().open || base.elements.closed || base.kill;
}

}  // namespace wm
