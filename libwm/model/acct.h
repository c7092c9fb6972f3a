// Role: what bacct asks the master and is answered: finished jobs as accounting keeps them.
// Values; their bytes are codec/verbs.cc's. Called by commands/bacct and the master.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libwm/model/verbs.h"

namespace wm {

/// Anyone. Finished jobs as accounting keeps them, in the order of their numbers and a
/// bounded number at a time. Ranges are [from, to); 0 = open.
struct AcctRequest {
  JobSelection jobs;  ///< ids, user ("all": everybody), queue, project, app, name and host count
  WallTime submitted_from{}, submitted_to{}, dispatched_from{}, dispatched_to{};
  WallTime ended_from{}, ended_to{};
  bool done = true, exited = true;
  JobId after;  ///< the last of the reply before
  bool operator==(const AcctRequest&) const = default;
};
/// @units cpu, slot_time: summed over tasks; exit_status: as wait(2) gives it
struct AcctJob {
  JobId id;
  std::string user, name, queue, app, plan, project, command, cwd, submit_host;
  std::string exec_hosts;  ///< one name per task, blank between
  std::string state, reason;
  WallTime submitted{}, dispatched{}, started{}, ended{};
  std::int32_t exit_status = 0;
  Term term = Term::None;
  std::uint32_t attempt = 0, resizes = 0;
  Duration cpu{}, slot_time{};
  Bytes max_mem{0};
  std::optional<Duration> promise_error;  ///< started later (+) or earlier (-) than promised
  bool operator==(const AcctJob&) const = default;
};
struct AcctReply {
  std::vector<AcctJob> jobs;
  JobId next;  ///< ask again after this one; 0: that was all
  bool operator==(const AcctReply&) const = default;
};

}  // namespace wm
