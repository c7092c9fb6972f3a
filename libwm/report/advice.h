// Role: what a user could do better, from their own jobs: at most three things, the costliest
// first, each with what to type next time. Pure. Who did nothing wrong gets none.
//
//   mem_over     asked far more memory than was touched
//   cpu_low      held CPUs that did nothing (jobs without GPUs)
//   short_jobs   swarms of very short jobs, which an array would be
//   fails_again  the same command failing again and again
//
// @source ratios as job_defense_shield has them
#pragma once

#include <vector>

#include "libwm/report/facts.h"

namespace wm::report {

/// When a rule speaks. @units ratios: percent
struct AdviceLimits {
  std::uint32_t mem_ratio = 35;      ///< used of asked memory below this
  std::uint32_t mem_part = 1;        ///< unused, of all memory that was held
  std::uint32_t mem_least = 4096;    ///< MiB a task; who asks no more is left alone
  std::uint32_t cpu_ratio = 60;      ///< used of held CPU time below this
  std::uint32_t cpu_hours = 50;      ///< held at least
  std::uint32_t cpu_part = 2;        ///< of all CPU time that was held
  std::uint32_t short_jobs = 500;    ///< of a day
  std::uint32_t short_seconds = 60;  ///< half of them ran less
  std::uint32_t fails = 5;           ///< in a row within a day
  bool operator==(const AdviceLimits&) const = default;
};

/// Of a user's report, over jobs that ran ten minutes or more where it is about how they ran.
/// @cost O(jobs log jobs)
std::vector<Advice> advise(const Facts& facts, const AdviceLimits& limits);

}  // namespace wm::report
