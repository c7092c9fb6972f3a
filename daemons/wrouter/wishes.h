// Role: says to the master how many kernels there should be, and which are there. The newest wish
// alone counts; one that the master did not hear is said again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
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
  /// How one is said. @thread its own, blocks
  using Say = std::function<Result<void>(const Wish&)>;

  /// Says them to the master of the cluster.
  Wishes(const ClusterConf& conf, JobId job);
  /// One that `say` fails at is said again after about `pause`, twice as long each time.
  Wishes(Say say, Duration pause);

  /// From now on; `again`: said also where that is what was said last. Waits for nobody.
  void set(Wish wish, bool again = false);

 private:
  void run();
  void set_unsaid();

  const Say say_;
  const Duration pause_;
  std::mutex lock_;
  std::condition_variable news_;
  // Guarded by lock_.
  Wish wanted_;
  std::optional<Wish> said_;  // or being said; nothing: it failed, or is to be said again
  bool any_ = false;
};

}  // namespace wm::router
