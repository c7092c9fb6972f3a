// Role: virtual time for simulations: things happen in order of time, ties in order of
// asking; randomness from one seed. Same seed, same run, bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <vector>

#include "libwm/base/units.h"

namespace wm::test {

/// @thread one
class Sim {
 public:
  explicit Sim(std::uint64_t seed) : random_(seed) {}

  /// Runs `act` after `delay` of virtual time.
  void after(Duration delay, std::function<void()> act) {
    queue_.push({now_ + std::max(delay, Duration{}), ++asked_, std::move(act)});
  }
  /// Lets time pass until nothing is left or `until` is reached.
  void run(Duration until) {
    while (!queue_.empty() && queue_.top().time <= until) {
      Entry entry = queue_.top();
      queue_.pop();
      now_ = entry.time;
      entry.act();
    }
    now_ = until;
  }
  Duration now() const { return now_; }
  /// 0 .. n-1.
  std::uint32_t pick(std::uint32_t n) { return n ? static_cast<std::uint32_t>(random_() % n) : 0; }
  /// True once in n.
  bool once_in(std::uint32_t n) { return pick(n) == 0; }
  Duration between(int low_ms, int high_ms) {
    return std::chrono::milliseconds(
        low_ms + static_cast<int>(pick(static_cast<std::uint32_t>(high_ms - low_ms + 1))));
  }

 private:
  struct Entry {
    Duration time{};
    std::uint64_t order = 0;
    std::function<void()> act;
    bool operator<(const Entry& o) const {
      return time != o.time ? time > o.time : order > o.order;  // earliest on top
    }
  };
  std::priority_queue<Entry> queue_;
  Duration now_{};
  std::uint64_t asked_ = 0;
  std::mt19937_64 random_;
};

}  // namespace wm::test
