// Role: says to the master how many kernels there should be, and which are there. The newest wish
// alone counts; one that the master did not hear is said again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "libwm/model/config/config.h"
#include "libwm/model/job.h"

namespace wm::router {

/// What is said: how many, and the tasks of those that are there.
struct Wish {
  std::uint32_t kernels = 0;
  std::vector<TaskNumber> serving = {};
  bool operator==(const Wish&) const = default;
};

/// @thread any   @owns its thread, which ends with the process
class Wishes {
 public:
  Wishes(ClusterConf conf, JobId job);

  /// From now on; `again`: said also where that is what was said last. Waits for nobody.
  void set(Wish wish, bool again = false);

 private:
  void run();
  Result<void> say(const Wish& wish);

  const ClusterConf conf_;
  const JobId job_;
  std::mutex lock_;
  std::condition_variable news_;
  // Guarded by lock_.
  Wish wanted_;
  std::optional<Wish> said_;
  bool any_ = false;
};

}  // namespace wm::router
