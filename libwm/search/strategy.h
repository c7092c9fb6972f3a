// Role: the algorithms whole: from a search and its history to the answer,
// which suggest.cc picks one of. Of this folder only.
#pragma once

#include "libwm/search/sampler.h"

namespace wm::search {

/// Experiments as they are given, or every point of the space in its order.
Answer next_of_grid(const Search& search, const History& history, std::uint32_t wanted);
/// @errors BadArgument: a parameter without a list of values; Limit: too many
/// points
Result<void> check_grid(const Search& search);

/// Hyperband, or asynchronous halving of what the search has as its resource.
Answer next_of_halving(const Search& search, const History& history, std::uint32_t wanted);
/// @errors BadArgument: no resource, or half of one
Result<void> check_halving(const Search& search);

/// What a model proposes, until the trials or the space are used up.
Answer next_of_model(const Search& search, const History& history, std::uint32_t wanted);

/// How many more trials there may be, at most `wanted`.
std::uint32_t within_limit(const Search& search, const History& history, std::uint32_t wanted);

}  // namespace wm::search
