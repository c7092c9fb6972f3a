// Role: how many more jobs may wait, in the cluster and of one user: asked at each submission,
// where an administrator has said a number. Pure.
#pragma once

#include <cstdint>
#include <map>

#include "libwm/model/cluster.h"

namespace wm::master {

/// Adds what takes room to what waits. Each element of an array
/// counts until it starts; an open array, which gets its elements one by one, counts as one job.
/// @source LSF: MAX_PEND_JOBS of lsb.params and lsb.users
class PendRoom {
 public:
  explicit PendRoom(const Cluster& state) : state_(state) {}
  /// Takes room for one more submission of `spec.owner`. @errors Limit: there is none
  /// @cost O(log users)
  Result<void> take(const JobSpec& spec);

 private:
  const Cluster& state_;
  std::uint64_t taken_ = 0;
  std::map<std::uint32_t, std::uint64_t> taken_of_;  // by uid
};

}  // namespace wm::master
