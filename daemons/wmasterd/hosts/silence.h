// Role: when a host counts as silent. Time passes for a host only while the master listens: what a
// host said during a stall of the loop, or of the whole process, lies unread in its socket.
// Called by hosts.cc and fence.cc.
#pragma once

#include "libwm/base/units.h"
#include "libwm/model/config/config.h"

namespace wm::master {

/// How often the master looks around.
inline constexpr Duration kTick = std::chrono::milliseconds(250);

/// The time that the loop was there to listen: it goes on with the ticks, and a tick that is late
/// counts no more than one that is a little late. @thread the loop's
class ListeningTime {
 public:
  /// Called at every tick. Returns how much later than usual it is.
  Duration on_tick(TimePoint now);
  /// Attended so far.
  Duration now() const { return attended_; }
  /// How long the loop was away shortly before: what came due meanwhile may have been seen to by
  /// words that are still to be read.
  Duration excuse() const { return excuse_; }

 private:
  Duration attended_{};
  Duration excuse_{}, excused_until_{};
  TimePoint last_{};
  bool began_ = false;
};

/// How often a host is to be heard: `heartbeat`, and with many hosts so seldom that the master has
/// 2,000 heartbeats a second to read. @cost O(1)
Duration heartbeat_for(const Config& config);
/// A host not heard for so long is silent: `silent_after`, or three heartbeats where they are
/// rarer than configured. @cost O(1)
Duration silent_after_for(const Config& config);
/// After a start of the master hosts that are well have so long to come back. @cost O(1)
Duration time_to_register(const Config& config);

}  // namespace wm::master
