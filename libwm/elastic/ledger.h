// Role: which sample is used when. A pass over the data set (a data epoch) is a permutation
// of its samples that every host computes alike, plus a cursor that all members move by the
// same amount at every applied step. Nothing else is remembered: that is why a resize, a
// failure or a resume cannot use a sample twice or lose one.
//
//   cursor ──take(global batch)──► positions [first, first+count) ──sample()──► sample numbers
//
// Invariants: `sample` is a bijection of [0, samples) for each (seed, data epoch); a take never
// crosses the end of a data epoch, so an epoch's last step may be short; the cursor after a
// take depends on the cursor and the count only, never on the number of members.
// Called by libwm/trainer (C ABI) on every member.
#pragma once

#include <compare>
#include <cstdint>

namespace wm::elastic {

/// The data set and the seed from which each epoch's order follows.
/// @units samples: number of them, >= 1
struct Ledger {
  std::uint64_t samples = 0;
  std::uint64_t seed = 0;  ///< the job's
  bool shuffle = true;     ///< false: every epoch in the data set's own order
  bool operator==(const Ledger&) const = default;
};

/// Where the training stands: `next` samples of `data_epoch` have been used by applied steps.
struct Cursor {
  std::uint64_t data_epoch = 0;  ///< passes completed, from 0
  std::uint64_t next = 0;        ///< position in the permutation, < Ledger::samples
  auto operator<=>(const Cursor&) const = default;
};

/// What one step uses: positions [at.next, at.next + count) of epoch at.data_epoch.
struct Take {
  Cursor at;
  std::uint64_t count = 0;
  Cursor after;             ///< the cursor once the step is applied
  bool ends_epoch = false;  ///< the step is the last of its data epoch
  bool operator==(const Take&) const = default;
};

/// The next step's samples: `global_batch` of them, fewer where the data epoch ends.
/// @units global_batch: samples, >= 1   @cost O(1)   @thread any
Take take(const Ledger& ledger, Cursor cursor, std::uint64_t global_batch);

/// Number of the sample at `position` of `data_epoch`.
/// @shape position < samples; the result is in [0, samples)
/// @cost O(1) expected: at most 4 walks of 8 rounds on average   @thread any
/// @source format-preserving permutation by a Feistel network with cycle walking: J. Black,
///   P. Rogaway, Ciphers with Arbitrary Finite Domains, CT-RSA 2002
std::uint64_t sample(const Ledger& ledger, std::uint64_t data_epoch, std::uint64_t position);

/// Seed of the augmentation of one sample in one data epoch, the same for every worker.
/// @cost O(1)   @thread any
std::uint64_t augmentation_seed(const Ledger& ledger, std::uint64_t data_epoch,
                                std::uint64_t sample);

}  // namespace wm::elastic
