// Role: how many samples each member works on in a step, and in which bites (DESIGN 5.2,
// batch arithmetic). Pure numbers; every member computes them alike from (step, world, rank).
//
//   take of n samples ──part(n, world, rank)──► local share b_i ──part(b_i, bites, k)──► ≤
//   batch_size
//
// Invariants: shares sum to the whole and differ by at most 1, so they may be 0 in an epoch's
// last step; no bite is larger than batch_size, so that a shrink at constant global batch cannot
// run out of memory. A rank contributes b_i × (gradient of its mean loss) and b_i; the sum is
// divided by Σ b_i. Called by libwm/trainer (C ABI).
#pragma once

#include <cstdint>

namespace wm::elastic {

/// A run of positions. @units samples
struct Part {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const Part&) const = default;
};

/// Part `index` of `whole` divided over `parts`: sizes differ by at most 1, larger ones first.
/// @shape index < parts, parts >= 1; the parts in order cover [0, whole) without gap or overlap
/// @cost O(1)   @thread any
Part part(std::uint64_t whole, std::uint64_t parts, std::uint64_t index);

/// Samples of one step over all members: `effective` if the user fixed it, else batch_size a
/// member. @units batch_size, effective: samples; effective 0 = not fixed   @cost O(1)
std::uint64_t global_batch(std::uint64_t batch_size, std::uint64_t effective, std::uint64_t world);

/// In how many bites a share is worked on so that none exceeds batch_size; 0 for an empty one.
/// Bite k is part(share, bites(share, batch_size), k). @cost O(1)
std::uint64_t bites(std::uint64_t share, std::uint64_t batch_size);

}  // namespace wm::elastic
