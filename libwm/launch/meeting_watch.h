// Role: what a job's first host makes of what it sees where the job's processes meet: nothing while
// they come, and a report when some have not come in time. Pure: the caller looks and has the
// clock.
#pragma once

#include <cstdint>
#include <optional>

#include "libwm/base/units.h"
#include "libwm/model/meeting.h"
#include "libwm/model/node/node.h"

namespace wm::launch {

/// At which port the attempt's processes meet, if any: the one that they are told of, or that their
/// launcher's options say. 0: nowhere, or each by its agent. @cost O(command)
std::uint32_t meeting_port(const HostOrder& order);

/// How one attempt's meeting goes.
class MeetingWatch {
 public:
  /// What the master is to be told now; none: nothing new. A report when somebody has listened for
  /// `limit` and some may be missing, and again when callers have changed, at most every `limit`;
  /// one without callers when a launcher that should listen has not begun to for twice the limit;
  /// port 0 when it holds no more. Once all were there nothing until the attempt meets at another
  /// port.
  /// @cost O(callers)
  std::optional<Rendezvous> look(const HostOrder& order, const PortUse& use, TimePoint now,
                                 Duration limit);
  /// Were all of them at this port? Then there is nothing to look at.
  bool is_settled(std::uint32_t port) const { return complete_ && port == port_; }
  /// The master that was told is gone: what holds is told again.
  void forget_told() { told_ = {}, told_at_ = {}; }

 private:
  std::optional<Rendezvous> is_over();
  std::optional<Rendezvous> begin_at(std::uint32_t port);
  bool wait(const HostOrder& order, const PortUse& use, TimePoint now);

  std::uint32_t port_ = 0;
  TimePoint since_{};   ///< somebody listens, or a launcher should; 0: neither
  bool heard_ = false;  ///< somebody has listened at this port
  bool complete_ = false;
  std::optional<Rendezvous> told_;
  TimePoint told_at_{};
};

}  // namespace wm::launch
