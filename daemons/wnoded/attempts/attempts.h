// Role: the attempts that this host knows, and the newest attempt that it has seen of each job.
// Invariants: an attempt older than the newest known is stale; one leaves when it is over and
// nothing of it is waited for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "daemons/wnoded/attempts/local_attempt.h"

namespace wm::node {

/// See the file comment. @thread one at a time
class Attempts {
 public:
  using All = std::map<launch::AttemptKey, LocalAttempt>;

  /// `awaited`: something of the attempt is still to be told, or its GPUs are not free. `gone`:
  /// called when one leaves.
  Attempts(std::function<bool(const launch::AttemptKey&)> awaited,
           std::function<void(const launch::AttemptKey&)> gone)
      : awaited_(std::move(awaited)), gone_(std::move(gone)) {}

  /// Null: it is not known. The place holds until it leaves. @cost O(log attempts)
  LocalAttempt* find(const launch::AttemptKey& key);
  const LocalAttempt* find(const launch::AttemptKey& key) const;
  /// Makes it known, if it is not: then its order has nothing but its number. @cost O(log attempts)
  LocalAttempt& add(const launch::AttemptKey& key);
  bool contains(const launch::AttemptKey& key) const { return all_.contains(key); }
  std::size_t size() const { return all_.size(); }
  All& all() { return all_; }
  const All& all() const { return all_; }

  /// A newer attempt of its job is known. @cost O(log jobs)
  bool is_stale(const launch::AttemptKey& key) const;
  /// It is not the first of its job and newer than all that are known: those are to end.
  bool is_next(const launch::AttemptKey& key) const;
  /// It has been seen.
  void note(const launch::AttemptKey& key);

  /// Forgets the attempt if it is over and nothing waits for it. @cost O(log attempts)
  void drop_if_done(const launch::AttemptKey& key);
  /// So many have left that what is kept of them on disk should be looked through; the count begins
  /// anew, and jobs of which nothing is known any more are forgotten if they are many.
  bool take_shrink();

 private:
  std::function<bool(const launch::AttemptKey&)> awaited_;
  std::function<void(const launch::AttemptKey&)> gone_;
  All all_;
  std::map<JobId, Attempt> newest_;  ///< highest attempt known of a job
  std::uint32_t dropped_ = 0;        ///< gone since take_shrink
};

/// CPUs that slots of these attempts have, but for those of tasks that ended. @cost O(slots)
std::set<std::uint32_t> bound_cpus(const Attempts& attempts);

}  // namespace wm::node
