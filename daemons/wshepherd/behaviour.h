// Role: what acts beside a shepherd's tasks: agent, copiers, the watch over use, the run limit and
// so on. parts.h lists them in the order in which they act in a turn; a new one is a file and a
// line there.
#pragma once

#include <optional>

#include "daemons/wshepherd/env.h"
#include "libwm/base/units.h"

namespace wm::shepherd {

/// Each has what it needs of these. @thread the shepherd's
class Behaviour {
 public:
  virtual ~Behaviour() = default;
  /// Hears what came on its descriptor.
  virtual void hear() {}
  /// To be polled for reading; -1: none.
  virtual int descriptor() const { return -1; }
  /// A process has been reaped, of whomever.
  virtual void on_exit(const Exit&) {}
  /// Does what is due.
  virtual void fire() {}
  /// When it has to fire next, by the steady clock; none: not by time.
  virtual std::optional<TimePoint> next() const { return std::nullopt; }
  /// No task runs and none will come: what it runs ends. Called in each turn until all is over.
  virtual void finish() {}
};

}  // namespace wm::shepherd
