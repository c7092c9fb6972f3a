// Role: what finished jobs used and how long they took, summed: kept by day in acct.db, sent to
// bacct, printed by it. Integers, so that sums of parts are the sum whatever their order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "libwm/base/units.h"

namespace wm {

/// Sum, greatest and least of one quantity. `least` says nothing where there was none.
struct AcctSpread {
  std::int64_t sum = 0, most = 0, least = 0;
  bool operator==(const AcctSpread&) const = default;
};

/// How far starts were from what was promised: the upper bounds of the bins but the last.
inline constexpr std::array<std::int64_t, 5> kPromiseBounds = {-60, -1, 1, 60, 3600};
inline constexpr std::size_t kPromiseBins = kPromiseBounds.size() + 1;

/// Of jobs that ended.
/// @units us; hog: millionths; expansion: thousandths, of the `ran` that ran
struct AcctSum {
  std::int64_t jobs = 0, done = 0, ran = 0;
  AcctSpread cpu, wait, around, run, hog, expansion;
  std::int64_t slot_time = 0, gpu_time = 0;
  std::int64_t first_end = 0, last_end = 0;  ///< since 1970; 0: there is none
  std::array<std::int64_t, kPromiseBins> promises{};
  std::int64_t gpu_energy_mj = 0;
  bool operator==(const AcctSum&) const = default;
};

/// What a job counts by. @units as JobRow
struct AcctFigures {
  WallTime submitted{}, dispatched{}, started{}, ended{};
  Duration cpu{}, slot_time{}, gpu_time{};
  bool done = false;
  std::optional<Duration> promise_error;
  std::int64_t gpu_energy_mj = 0;
};

/// One more job. A job that never started waited until its end. @cost O(1)
void add(AcctSum& sum, const AcctFigures& job);
/// Those of another sum besides. @cost O(1)
void merge(AcctSum& sum, const AcctSum& more);

/// What sums are told apart by. Numbers travel: append-only.
enum class AcctBy : std::uint8_t {
  None = 0,  ///< no sums: the jobs themselves
  All = 1,
  User = 2,
  Plan = 3,
  Project = 4,
  Queue = 5,
  App = 6,
  Host = 7,
  Month = 8
};

/// Of one key, of one user's jobs of one queue.
struct AcctSumRow {
  std::string user, queue;
  std::string key;  ///< user, plan …; of months the number of the first bound after the end
  AcctSum sum;
  bool operator==(const AcctSumRow&) const = default;
};

}  // namespace wm
