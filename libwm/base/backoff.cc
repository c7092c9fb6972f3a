#include "libwm/base/backoff.h"

#include <algorithm>
#include <thread>

namespace wm {
namespace {

// @source Steele, Lea, Flood: Fast splittable pseudorandom number generators (SplitMix64), 2014
std::uint64_t drawn(std::uint64_t& state) {
  auto z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Backoff::Backoff(Duration first, Duration most, std::uint64_t seed)
    : first_(std::min(first, most)), most_(most), stands_at_(first_), random_(seed) {
  WM_CHECK(first > Duration{});
}

Duration Backoff::next() {
  auto off = static_cast<double>(drawn(random_) >> 11) / static_cast<double>(1ull << 53);  // 0..1
  auto pause = static_cast<double>(stands_at_.count()) * (0.9 + 0.2 * off);
  stands_at_ = stands_at_ > most_ / 2 ? most_ : stands_at_ * 2;
  return Duration(static_cast<Duration::rep>(pause));
}

void Backoff::sleep() { std::this_thread::sleep_for(next()); }

}  // namespace wm
