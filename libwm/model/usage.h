// Role: what jobs used and held, and what users of plans have used, decaying: an account per
// (plan, user) holds what its tasks hold now and what they held before, halved every
// usage_half_life. Charged by events only, at the instant a slot is taken or given back, so
// replay gives the same to the bit; between events usage is computed, never stored. Values.
//
//   used(t) = used(as_of) · 2^-(t - as_of)/H  +  held · ∫ 2^-(t - s)/H ds
//
// Every resource is kept apart; the dominant one is chosen when it is read, against what the
// cluster has then. Changed by libwm/fsm, read by libwm/sched.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "libwm/base/units.h"
#include "libwm/model/budget.h"

namespace wm {

/// What a task used. @units cpu: user + system time; max_mem: peak resident, summed over the
///        job's processes on the host; read, written: bytes of block I/O; gpu_energy_mj: of its
///        GPUs while it held them, its part of shared ones
struct Usage {
  Duration cpu{};
  Bytes max_mem{0};
  Bytes read{0}, written{0};
  bool by_cgroup = false;  ///< counted by the kernel; else sampled from /proc
  Bytes mean_mem{0};       ///< resident, over time; 0: it was too short to be looked at
  Bytes max_swap{0};
  std::int64_t gpu_energy_mj = 0;  ///< 0: no driver tells it
  bool operator==(const Usage&) const = default;
};

/// What an account's tasks hold at this moment.
struct Held {
  std::int64_t slots = 0;
  std::int64_t milli_gpus = 0;
  Bytes mem{0};
  bool operator==(const Held&) const = default;
};

/// What a job's tasks hold and held, its attempts together; nothing of it decays. A parked job
/// holds no slots; a shared GPU counts for each who shares it. @units GPUs: thousandths
struct Holding {
  std::uint32_t slots = 0, milli_gpus = 0;            ///< now
  std::uint32_t most_slots = 0, most_milli_gpus = 0;  ///< at once
  Duration slot_time{}, gpu_time{};                   ///< until `as_of`
  WallTime as_of{};                                   ///< of the last change
  AttemptDraw draw;
  bool operator==(const Holding&) const = default;
};

/// Decayed use. @units slot seconds, GPU seconds, GiB seconds
struct Used {
  double slots = 0, gpus = 0, mem = 0;
  bool operator==(const Used&) const = default;
};

/// One user's account in one plan.
struct UsageAccount {
  std::string plan, user;
  Held held;
  Used used;         ///< as of `as_of`
  WallTime as_of{};  ///< of the last change
  bool operator==(const UsageAccount&) const = default;
};

/// Plan path and user.
using AccountName = std::pair<std::string, std::string>;
/// Numbers of accounts by name.
using AccountNumbers = std::map<AccountName, std::uint32_t>;

/// What was used up to `now`; a clock that went back counts as no time.
/// @units half_life: 0 = nothing is remembered   @cost O(1)   @thread any
/// @source exponential decay of usage as in LSF's and Slurm's fair share
Used used_at(const UsageAccount& account, WallTime now, Duration half_life);

/// Brings the account up to `now`, then changes what is held. @cost O(1)
void charge(UsageAccount& account, const Held& change, WallTime now, Duration half_life);
/// The same for what a job holds; its memory is not counted. What is given back and was never
/// charged (by a master of before) counts as nothing. @cost O(1)
void charge(Holding& holding, const Held& change, WallTime now);

}  // namespace wm
