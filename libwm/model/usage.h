// Role: what users of plans have used, decaying: an account per (plan, user) holds what its
// tasks hold now and what they held before, halved every usage_half_life. Charged by events
// only, at the instant a slot is taken or given back, so replay gives the same to the bit;
// between events usage is computed, never stored. Values.
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

namespace wm {

/// What an account's tasks hold at this moment.
struct Held {
  std::int64_t slots = 0;
  std::int64_t milli_gpus = 0;
  Bytes mem{0};
  bool operator==(const Held&) const = default;
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

}  // namespace wm
