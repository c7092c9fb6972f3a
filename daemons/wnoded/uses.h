// Role: what the attempts on this host use, as their shepherds told it last, for one frame to the
// master: all of it, a moment after something of it is new, and no oftener than once a second.
// Pure.
//
//   Used of a shepherd -> newest of each attempt -> HostUses, in place of the one before
//
// Shepherds keep the sums, so nothing is lost when wnoded starts again. Part of core.h.
#pragma once

#include <map>
#include <optional>

#include "libwm/launch/launcher.h"
#include "libwm/model/node/meter.h"

namespace wm::node {

/// @thread one at a time
class Uses {
 public:
  /// What a shepherd has said; without figures of now it says nothing here. @cost O(log attempts)
  void hear(const launch::AttemptKey& key, const launch::Used& word);
  /// What tasks use of GPUs beyond their gmem; of attempts that are not named nothing.
  /// @cost O(attempts)
  void set_gpu_over(const std::map<launch::AttemptKey, std::vector<GpuOveruse>>& by_attempt);
  /// Energy of GPUs of tasks that run; of attempts that are not named none. Those of which nothing
  /// else is known are not told of. @cost O(attempts)
  void set_gpu_energy(const std::map<launch::AttemptKey, std::int64_t>& by_attempt);
  /// The attempt is over here. @cost O(log attempts)
  void forget(const launch::AttemptKey& key) { newest_.erase(key); }
  /// Another master listens, who knows nothing.
  void say_again() { changed_ = true; }
  /// The frame, if one is due. @cost O(attempts) when it is, else O(1)
  std::optional<HostUses> take(TimePoint now);

 private:
  std::map<launch::AttemptKey, AttemptUse> newest_;
  bool changed_ = false;
  TimePoint said_{};
};

}  // namespace wm::node
