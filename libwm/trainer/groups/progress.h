// Role: where the training stands, as a value that is equal on all members: what is applied, which
// samples come next, what the running sums are. All members move it by the same functions at
// the same rounds, so it is never agreed on, only handed to newcomers.
//
//   Train ──last step of a pass──► Test (if due) ──all test samples──► Train of the next pass
//     └─────────────────────────────────────────────────────────────► Finish ──► End
//
// A round is one collective: a train step, a bite of the test set, or the last barrier.
// Invariants: `round` grows by one at every committed round, `step` at every applied optimizer
// step; the cursor never crosses the end of a pass. Numbers stay below 2^53, so that doubles
// carry them exactly.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace wm::groups {

/// What a job is to do; from the program's own arguments, hence equal on all members.
struct Course {
  std::uint64_t epochs = 1;                ///< passes over the data set
  std::uint64_t batch_size = 32;           ///< most samples that a member works on at once
  std::uint64_t effective_batch_size = 0;  ///< of a step over all members; 0: batch_size each
  std::uint64_t train_samples = 0;
  std::uint64_t test_samples = 0;     ///< 0: no tests
  std::uint64_t seed = 0;             ///< of the order of the samples
  std::uint64_t checkpoint_freq = 1;  ///< passes between checkpoints; 0: on demand only
};

/// Sums over samples.
struct Score {
  double loss = 0;
  double right = 0;  ///< right answers, where that means something
  double samples = 0;
  bool operator==(const Score&) const = default;
};

/// @thread one at a time   @cost every call O(1)
struct Progress {
  enum class Phase : std::uint8_t { Train = 0, Test = 1, Finish = 2, End = 3 };
  static constexpr std::size_t kNumbers = 13;

  std::uint64_t round = 0;
  std::uint64_t step = 0;     ///< optimizer steps applied
  std::uint64_t samples = 0;  ///< of the whole job, applied
  Phase phase = Phase::Train;
  std::uint64_t data_epoch = 0;   ///< pass being worked on
  std::uint64_t cursor = 0;       ///< samples of it used by applied steps
  std::uint64_t test_cursor = 0;  ///< test samples counted in this pass
  Score trained;                  ///< of this pass
  Score tested;                   ///< of this pass's tests, or of the last

  /// Positions [begin, end) of the next round's samples.
  struct Batch {
    std::uint64_t begin = 0, end = 0;
  };
  Batch next_batch(const Course& course, std::uint64_t world) const;

  /// An optimizer step over the samples up to `end` is applied. Whether a pass has ended.
  bool commit_train(const Course& course, std::uint64_t end, const Score& sums);
  /// The test samples up to `end` are counted. Whether the pass has ended.
  bool commit_test(const Course& course, std::uint64_t end, const Score& sums);
  /// All members have reached the end. W-12
  void commit_finish();

  /// @shape [kNumbers]; unpack(pack()) is the same value
  std::array<double, kNumbers> pack() const;
  static Progress unpack(std::span<const double, kNumbers> numbers);
  bool operator==(const Progress&) const = default;

 private:
  void next_pass(const Course& course);
};

/// The three numbers by which members agree on a switch. W-5
std::array<double, 3> flags(std::uint32_t ready_epoch);

/// Whether every member stands ready for one and the same plan. W-5
/// @shape sums: c, t, t² summed over all members
bool all_agree(std::span<const double, 3> sums, int world);

}  // namespace wm::groups
