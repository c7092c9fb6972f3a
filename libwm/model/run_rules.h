// Role: under which rules the jobs of a queue or an application profile run: how long, by which
// commands, and what sends them back. Parts of Config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/units.h"

namespace wm {

/// Run limit of a queue or application. @units Duration; 0 = none
struct RunLimit {
  Duration usual{};  ///< of a job that asks for none
  Duration max{};    ///< no job may ask for more
  bool operator==(const RunLimit&) const = default;
};

/// Exit codes with which a job is queued again. @units 0 to 255; rising, each once
/// @source LSF: bsub -Q, REQUEUE_EXIT_VALUES
struct RequeueExits {
  std::vector<std::uint32_t> codes;      ///< all of them
  std::vector<std::uint32_t> excluding;  ///< of these: to run on other hosts, EXCLUDE(code)
  bool empty() const { return codes.empty(); }
  bool operator==(const RequeueExits&) const = default;
};

/// Commands, or names of signals, by which jobs are started, stopped, let go on and ended instead
/// of the usual way. Empty: the usual way.
/// @source LSF: JOB_STARTER and JOB_CONTROLS of lsb.queues, *_CONTROL of lsb.applications
struct JobControls {
  std::string starter;  ///< the job's command stands for %USRCMD in it, or else behind it
  std::string suspend, resume, terminate;
  bool operator==(const JobControls&) const = default;
};

/// Load of a host beyond which none of a queue's jobs starts there, and those that run are stopped.
/// @source LSF: load thresholds of lsb.queues, "r1m = 0.7/2.0"
struct LoadLimit {
  std::string index;                  ///< as lsload calls it: r1m, ut, mem …
  std::optional<double> sched, stop;  ///< of mem, swp, tmp and it: below which
  bool operator==(const LoadLimit&) const = default;
};

/// When what would stop a job ends it instead. @source LSF: TERMINATE_WHEN of lsb.queues
struct TerminateWhen {
  bool load = false, preempt = false, window = false;
  bool operator==(const TerminateWhen&) const = default;
};

}  // namespace wm
