// Role: how many kernels a service wants, from its load. Pure: the time is an argument.
//
//   need = kernels that what comes and what waits would keep busy all the time
//   more at once when need / 0.8 is above what is wanted; fewer when need has stayed below six
//   tenths of fewer for kernel_delay_release_time
//
// Invariant: between the two bounds nothing changes: a constant load has a constant answer.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "libwm/serve/profile.h"

namespace wm::serve {

/// What a router sees at one moment.
struct Load {
  std::uint64_t arrived = 0;  ///< requests since it began
  std::size_t queued = 0;     ///< not handed to a kernel
  std::size_t in_flight = 0;  ///< handed to one, not answered
  Duration oldest{};          ///< age of the first in the queue
  Duration task_cost{};       ///< time of a kernel that one task takes; 0: not known yet
  std::uint32_t kernels = 0;  ///< connected
};

/// Decides one service's number of kernels, look after look.
class Scale {
 public:
  /// `loading`: a kernel that has not come so long after it was wanted is not waited for.
  explicit Scale(const Policy& policy, Duration loading = std::chrono::seconds(90))
      : policy_(policy), loading_(loading), wanted_(policy.kernel_min) {}

  /// A regular look, each schedule_interval. @cost O(looks in kernel_delay_release_time)
  std::uint32_t look(const Load& load, TimePoint now);
  /// Something waits: at zero one kernel is wanted at once. @cost O(1)
  std::uint32_t wake(const Load& load, TimePoint now);

  /// Decides by this from now on.
  void adopt(const Policy& policy, Duration loading) { policy_ = policy, loading_ = loading; }

  std::uint32_t wanted() const { return wanted_; }

 private:
  double need(const Load& load, TimePoint now) const;
  std::uint32_t just_loaded(const Load& load, TimePoint now);
  void want(double kernels, TimePoint now);

  Policy policy_;
  Duration loading_;
  std::uint32_t wanted_;
  std::uint64_t arrived_ = 0;                               // at the look before
  std::optional<TimePoint> looked_;                         // when that was
  std::deque<std::pair<TimePoint, double>> needs_;          // of the looks that still count
  std::deque<std::pair<TimePoint, std::uint32_t>> loaded_;  // kernels that have come since
  std::uint32_t kernels_ = 0;                               // at the look before
  std::optional<TimePoint> raised_;                         // when more were wanted
};

}  // namespace wm::serve
