#include "daemons/wmasterd/hosts/silence.h"

#include <algorithm>

namespace wm::master {
namespace {

constexpr Duration kMostATick = 2 * kTick;
constexpr Duration kExcuseLasts = std::chrono::seconds(2);
constexpr Duration kEachHost = std::chrono::microseconds(500);  // between two hosts' heartbeats
constexpr Duration kComesBack = std::chrono::seconds(10);       // to a master that was away

Duration scaled(const Config& config) {
  return kEachHost * static_cast<std::int64_t>(config.hosts.size());
}

}  // namespace

Duration ListeningTime::on_tick(TimePoint now) {
  Duration passed = began_ ? now - last_ : Duration{};
  began_ = true;
  last_ = now;
  attended_ += std::min(passed, kMostATick);
  Duration late = std::max<Duration>(passed - kMostATick, Duration{});
  if (attended_ > excused_until_) excuse_ = {};
  if (late > Duration{}) {
    excuse_ += late;
    excused_until_ = attended_ + kExcuseLasts;
  }
  return late;
}

Duration heartbeat_for(const Config& config) {
  return std::max(config.cluster.times.heartbeat, scaled(config));
}

Duration silent_after_for(const Config& config) {
  const auto& times = config.cluster.times;
  if (scaled(config) <= times.heartbeat) return times.silent_after;
  return std::max<Duration>(times.silent_after, 3 * scaled(config));
}

Duration time_to_register(const Config& config) {
  return std::max(kComesBack, silent_after_for(config));
}

}  // namespace wm::master
