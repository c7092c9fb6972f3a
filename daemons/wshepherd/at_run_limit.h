// Role: what is done when the run limit of a job comes near, and when it is reached. While the job
// is stopped its time stands, and nothing is due.
#pragma once

#include "daemons/wshepherd/acts.h"
#include "daemons/wshepherd/ending.h"
#include "daemons/wshepherd/run_limit.h"

namespace wm::shepherd {

/// See the head of this file.
class AtRunLimit : public Behaviour {
 public:
  AtRunLimit(Attempt& attempt, RunLimit& limit, SideCommands& sides, Acts& acts, Enders& enders)
      : attempt_(attempt), limit_(limit), sides_(sides), acts_(acts), enders_(enders) {}
  /// Warns the tasks, or ends them, when that is due.
  void fire() override;
  std::optional<TimePoint> next() const override;

 private:
  void warn();

  Attempt& attempt_;
  RunLimit& limit_;
  SideCommands& sides_;
  Acts& acts_;
  Enders& enders_;
};

}  // namespace wm::shepherd
