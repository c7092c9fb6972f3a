// Role: clients that wait for a job (bsub -K): answered once it is not as the client knows it.
#pragma once

#include <set>
#include <vector>

#include "daemons/wmasterd/verbs/call.h"
#include "libwm/model/cluster.h"

namespace wm::master {

/// @thread the loop's
class Waiters {
 public:
  /// Answers at once, or when the job has changed.
  void add(const Cluster& state, const Call& call, const WaitRequest& request);
  /// @cost O(waiters log jobs)
  void on_jobs_changed(const Cluster& state, const std::set<JobId>& jobs);
  /// The client is gone: nothing is waited for on its behalf.
  void on_left(PeerId peer);

 private:
  struct Waiter {
    Call call;
    WaitRequest request;
  };
  static bool answer(const Cluster& state, const Waiter& waiter);

  std::vector<Waiter> waiters_;
};

}  // namespace wm::master
