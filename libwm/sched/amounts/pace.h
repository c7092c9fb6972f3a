// Role: sizes of elastic jobs by what they have reported while they run. Makes the curve (speeds.h)
// of each job with a plan or queue that says goodput, or of all where tasks must be worth it. Its
// source is the job's Pace (model/job.h), which the master records by events: a pass needs nothing
// but the cluster, and a restarted master knows what the one before it knew.
//
//   StepsMeasured events ─► Job::pace ─► samples ─► fit (goodput.h) ─► curve ─► Claim::curve
//
// Invariants: pure; a curve is a function of pace, request and cap; no claim's floor, minimum or
// cap is raised by one. Called by schedule.cc.
// @source Pollux: Qiao et al., OSDI 2021 (goodput.h names the equations); step time as a constant
//         and a part that is divided: G. Amdahl, AFIPS 1967
#pragma once

#include <map>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/sched/demand/claim.h"
#include "libwm/sched/plan/goodput.h"

namespace wm::sched {

/// Its speed on hosts that take `per_host` of them, as far as the reports tell: at
/// most twice the tasks seen. Empty without a report.
/// Where the exchange was not measured, the fastest report with as large a part of the batch says
/// what computing takes, and the rest is exchange.
/// @units samples at the initial batch per second   @cost O(reports squared + tasks x batches)
Curve curve_of(const Pace& pace, std::uint32_t per_host, std::uint32_t most);

/// Does what the job reports of its steps bear on its size: is it sized by gain, or must tasks be
/// worth it (elastic_worth)? @cost as is_sized_by_gain
bool is_sized_by_reports(const Config& config, const JobSpec& spec);

/// What a change of its size costs a job: as measured, else by how it is resized.
/// @cost O(1)
Duration price_of(const Config& config, const Job& job);

/// A curve and what it was made of.
struct MadeCurve {
  Pace pace;
  std::uint32_t per_host = 1, most = 1;
  Curve curve;
};

/// Curves as they were made last, by job. Values; kept from pass to pass.
using Curves = std::map<JobId, MadeCurve>;

/// Sets how claims share by gain, what they know of their speed, and the sizes that suit them.
/// Curves of jobs that claim nothing any more are dropped.
/// @cost O(claims log curves), and a fit for each changed pace
void attach_paces(Claims& claims, const Config& config, Curves& curves);

}  // namespace wm::sched
