// Role: when the next snapshot is due: by the bytes of events since the last one, never while one
// is under way, and not before ten times the last one's duration has passed. Pure.
// Used by journal.cc.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libwm/base/units.h"

namespace wm::master {

/// @thread one at a time
class SnapshotPace {
 public:
  /// A start has read so many bytes of events after a snapshot of that size. @cost O(1)
  void begin(std::uint64_t replayed, std::uint64_t size) {
    replayed_ = replayed;
    size_ = size;
  }
  /// Is one due? `bytes`: of events since the start. @cost O(1)
  bool due(std::uint64_t bytes, TimePoint now) const {
    return !under_way_ && now >= not_before_ &&
           replayed_ + bytes - at_ >= std::max(kLeast, size_ / kPart);
  }
  /// One is begun. @cost O(1)
  void began(std::uint64_t bytes, TimePoint now) {
    under_way_ = true;
    replayed_ = 0;
    at_ = bytes;
    began_ = now;
  }
  /// It is written, or has failed. `size`: of what it wrote, 0: nothing. @cost O(1)
  void ended(std::uint64_t size, TimePoint now) {
    under_way_ = false;
    not_before_ = now + 10 * (now - began_);
    if (size > 0) size_ = size;
  }

 private:
  // A start reads these bytes again, twice at most: less than a second.
  static constexpr std::uint64_t kLeast = std::uint64_t{4} << 20;
  // Of a large one, so that writing snapshots never takes much more than writing events.
  static constexpr std::uint64_t kPart = 8;

  bool under_way_ = false;
  std::uint64_t replayed_ = 0, at_ = 0, size_ = 0;
  TimePoint began_{}, not_before_{};
};

}  // namespace wm::master
