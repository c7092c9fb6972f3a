// Role: which master a host obeys when two stores claim the same cluster: one that was restored
// from a backup, or made anew, must not undo what a newer one has ordered. Values only.
//
//   store ── the events of one core.db and of its copies
//   term  ── raised by `badmin take-over` alone: an administrator has chosen this master
//   seq   ── the last durable event
//
// After the terms of Raft (Ongaro, Ousterhout: In Search of an Understandable Consensus Algorithm,
// 2014, §5.1), without votes.
#pragma once

#include <cstdint>
#include <string>

#include "libwm/base/ids.h"

namespace wm {

/// What a master has, and what a host has obeyed at most. An empty store: nobody yet.
struct MasterRank {
  std::string store;  ///< id of the store, made with it
  std::uint32_t term = 0;
  Seq seq;
  std::uint32_t last_job = 0;  ///< highest job number that was given out
  bool operator==(const MasterRank&) const = default;
};

/// May a host that has obeyed `kept` obey `told`? A higher term always; in the same term only the
/// same store, no older than it was. @cost O(1)
bool may_obey(const MasterRank& kept, const MasterRank& told);

/// Attempts of a job that one term may make: those of the next term are numbered above them, so
/// that none has the number of one that a lost history made.
inline constexpr std::uint32_t kAttemptsOfTerm = 1000;
/// The number of a job's next attempt; `newest` is 0 before its first. @cost O(1)
Attempt next_attempt(std::uint32_t term, Attempt newest);
/// How many attempts this term made of the job before this one. @cost O(1)
std::uint32_t attempts_before(Attempt attempt);

/// One line for people: "store 3f2a…, term 2, event 1200".
std::string to_string(const MasterRank& rank);

}  // namespace wm
