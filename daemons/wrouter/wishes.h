// Role: says to the master how many kernels there should be. The newest wish alone counts; one that
// the master did not hear is said again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "libwm/model/config/config.h"
#include "libwm/model/job.h"

namespace wm::router {

/// @thread any   @owns its thread, which ends with the process
class Wishes {
 public:
  Wishes(ClusterConf conf, JobId job);

  /// So many from now on; `again`: said also where that is what was said last. Waits for nobody.
  void set(std::uint32_t kernels, bool again = false);

 private:
  void run();
  Result<void> say(std::uint32_t kernels);

  const ClusterConf conf_;
  const JobId job_;
  std::mutex lock_;
  std::condition_variable news_;
  // Guarded by lock_.
  std::uint32_t wanted_ = 0;
  std::optional<std::uint32_t> said_;
  bool any_ = false;
};

}  // namespace wm::router
