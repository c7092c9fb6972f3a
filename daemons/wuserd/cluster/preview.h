// Role: what a changed configuration would do to the jobs of now, as a page shows it: who gains,
// who waits, by the dates that replay/whatif.h foretells. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "libwm/base/json.h"
#include "libwm/model/cluster.h"
#include "libwm/replay/whatif.h"

namespace wm::user {

/// Rows of a page at most: those that move most.
inline constexpr std::size_t kMostForetold = 200;

/// Counts of all, by user and queue, and the rows of those that move. "then" and "now" are seconds;
/// null: no date. @cost O(rows x log rows)
Json foretold_json(const Cluster& live, std::span<const replay::Foretold> rows, WallTime now);

}  // namespace wm::user
