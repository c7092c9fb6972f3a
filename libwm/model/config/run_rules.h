// Role: under which rules the jobs of a queue or an application profile run: how long, by which
// commands, and what sends them back. Parts of Config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/units.h"

namespace wm {

/// What a job may use besides time. 0: no limit.
/// @units cpu: CPU time of all its processes on one host; mem: per task, or of the whole job on
///        one host; processes, threads, swap (virtual memory): of the whole job on one host; the
///        others: per process
/// @source LSF: bsub -c -M -F -D -S -C -v -p -T
struct JobLimits {
  Duration cpu{};
  Bytes mem, file, data, stack;
  std::optional<Bytes> core;  ///< 0: no core file
  Bytes swap;
  std::uint32_t processes = 0, threads = 0;
  bool mem_per_host = false;  ///< mem is of the whole job on one host
  bool operator==(const JobLimits&) const = default;
};

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
  std::int32_t nice = 0;  ///< of the tasks' processes: -20 to 19, higher is later
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
