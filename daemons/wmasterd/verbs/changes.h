// Role: what has lately become of jobs, for those who watch: the newest changes in the order of
// commits, the oldest forgotten first, a commit as a whole. Pure.
#pragma once

#include <deque>
#include <functional>
#include <set>

#include "libwm/model/cluster.h"
#include "libwm/model/verbs/watch_verbs.h"

namespace wm::master {

/// A ring of changes.
class Changes {
 public:
  /// At most so many are kept, about 200 bytes each.
  static constexpr std::size_t kKept = 16384;
  /// An answer ends with the commit that makes it so many.
  static constexpr std::size_t kMostInAnswer = 1000;

  explicit Changes(std::size_t kept = kKept) : kept_(kept) {}

  /// How these jobs stand after a commit. @cost O(jobs)
  void add(const Cluster& after, const std::set<JobId>& jobs);
  /// All of it: the state was read anew, nobody knows what has happened.
  void forget(Seq now);
  /// The newest commit.
  Seq newest() const { return newest_; }

  /// Those after `after` that are wanted. `missed`: some of them may be forgotten.
  /// @cost O(log kept + changes after `after`)
  WatchReply since(Seq after, const std::function<bool(const JobChange&)>& wanted) const;

 private:
  std::size_t kept_;
  std::deque<JobChange> changes_;
  Seq forgotten_, newest_;  // everything after the first is here
};

/// Is it a change of the jobs that the filter means? @cost O(ids)
bool is_meant(const WatchFilter& filter, const std::string& caller, const JobChange& change);

}  // namespace wm::master
