// Role: from what was typed (-R, -gpu, and what queue and application profile say) to what
// the scheduler places: TaskRequest, Span and a select expression. Called by the master when
// a job is admitted, once; the result is kept in the job's specification.
//
// A request "{…}||{…}" gives a specification for each alternative.
// Memory is reserved per task: rusage[mem=N/job] is divided by the fewest tasks, /host by
// the tasks that the span puts on a host.
#pragma once

#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/config.h"
#include "libwm/model/job.h"

namespace wm::expr {

/// Fills spec.task, spec.span, spec.select and spec.resreq (merged) from spec.resreq and
/// spec.gpu over those of `app` over those of `queue`. What `-gpu num=` counts follows the
/// application's type and spec.elastic (DESIGN 4). Returns what spec would be with the second,
/// third … alternative; mostly none. A duration of rusage[mem] becomes spec.mem_for; decay is
/// rounded up to the full amount until then.
/// @errors BadArgument: a requirement that does not parse; texts as parse_resreq, check_usage,
///   parse_gpu
/// @cost O(length)   @thread any
Result<std::vector<JobSpec>> fill_request(JobSpec& spec, const QueueConf& queue,
                                          const AppConf& app);

}  // namespace wm::expr
