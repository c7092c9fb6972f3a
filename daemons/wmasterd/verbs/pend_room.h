// Role: how many more jobs may wait, in the cluster and of one user: asked at each submission,
// where an administrator has said a number. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "libwm/model/cluster.h"

namespace wm::master {

/// Counts what waits at the first question, and adds what takes room. Each element of an array
/// counts until it starts; an open array, which gets its elements one by one, counts as one job.
/// @source LSF: MAX_PEND_JOBS of lsb.params and lsb.users
class PendRoom {
 public:
  explicit PendRoom(const Cluster& state) : state_(state) {}
  /// Takes room for one more submission of `spec.owner`. @errors Limit: there is none
  /// @cost O(1), the first time O(jobs) where there is a limit
  Result<void> take(const JobSpec& spec);

 private:
  struct Waiting {
    std::uint64_t all = 0;
    std::map<std::uint32_t, std::uint64_t> of_user;  // by uid
  };
  const Waiting& count();

  const Cluster& state_;
  std::optional<Waiting> waiting_;
};

}  // namespace wm::master
