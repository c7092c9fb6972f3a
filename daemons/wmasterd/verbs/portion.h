// Role: how much one answer holds, so that a frame takes it and the loop is not held for long by
// one client's question. What does not fit is asked for again (RestOfJobs). Pure.
#pragma once

#include <cstddef>

#include "libwm/codec/codec.h"

namespace wm::master {

/// At most so many jobs or hosts in one answer.
inline constexpr std::size_t kMostInAnswer = 2000;

/// What has been put into one answer.
class Portion {
 public:
  /// Room for one more of some bytes? A first one always has room.
  /// @units bytes   @cost O(1)
  bool takes(std::size_t bytes) {
    if (count_ > 0 && (count_ == kMostInAnswer || bytes_ + bytes > kMostBytes)) return false;
    ++count_;
    bytes_ += bytes;
    return true;
  }
  /// The same for a value as it travels. @cost its encoding
  template <class Value>
  bool takes_value(const Value& value) {
    return takes(codec::encode(value).size());
  }

 private:
  static constexpr std::size_t kMostBytes = 4 << 20;  // a frame takes almost four times this
  std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace wm::master
