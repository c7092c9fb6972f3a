// Role: from what was typed (-R, -gpu, and what queue and application profile say) to what
// the scheduler places: TaskRequest, Span and a select expression. Called by the master when
// a job is admitted, once; the result is kept in the job's specification.
//
// A request "{…}||{…}" gives a specification for each alternative.
// Memory of a parallel job is reserved per host, as in LSF; if its GPUs count per task
// (elastic ones, training, inference), and where the site says so, per task. /task, /host and
// /job say it themselves; N/job is divided by the fewest tasks.
#pragma once

#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"
#include "libwm/model/job.h"

namespace wm::expr {

/// How a site has amounts of memory read.
struct MemRules {
  bool per_task = false;        ///< what is not said to be per host counts per task
  Bytes unit = Bytes{1 << 20};  ///< of what queues and application profiles ask for without one
};

/// Fills spec.task, spec.span, spec.select and spec.resreq (merged) from spec.resreq and
/// spec.gpu over those of `app` over those of `queue`. What `-gpu num=` counts follows the
/// application's type and spec.elastic; whether -M is per host is decided by the same rule as
/// rusage[mem] without a suffix. Amounts in spec.resreq are in MB. Returns what spec would be with
/// the second, third … alternative; mostly none. A duration of rusage[mem] becomes spec.mem_for;
/// decay is rounded up to the full amount until then.
/// @errors BadArgument: a requirement that does not parse; texts as parse_resreq, check_usage,
///   parse_gpu
/// @cost O(length)   @thread any
Result<std::vector<JobSpec>> fill_request(JobSpec& spec, const QueueConf& queue, const AppConf& app,
                                          const MemRules& rules = {});

}  // namespace wm::expr
