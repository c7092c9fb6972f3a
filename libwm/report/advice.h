// Role: what a user could do better, from their own jobs: at most three things, the costliest
// first, each with what to type next time. Pure. Who did nothing wrong gets none.
//
//   mem_over     asked far more memory than was touched
//   cpu_low      held CPUs that did nothing (jobs without GPUs)
//   short_jobs   swarms of very short jobs, which an array would be
//   fails_again  the same command failing again and again
//   gpu_idle     GPUs were held for hours in which they did nothing
//   gpu_low      GPUs were busy a small part of the time
//   time_over    run limits far beyond what jobs ran: they start later than they could
//   no_elastic   elastic jobs that leave nothing to choose
//   idle_minimum services and elastic jobs that hold a minimum which does next to nothing
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
  std::uint32_t gpu_idle_hours = 4;  ///< GPU hours held idle, by the hour
  std::uint32_t gpu_ratio = 25;      ///< busy of held GPU time below this
  std::uint32_t gpu_hours = 50;      ///< held at least
  std::uint32_t gpu_coverage = 90;   ///< of held GPU time was looked at; else nothing is said
  std::uint32_t time_ratio = 20;     ///< run of asked time below this
  std::uint32_t time_hours = 1000;   ///< slot hours asked for and not used
  std::uint32_t elastic_hours = 50;  ///< slot hours of elastic jobs of one size
  std::uint32_t minimum_ratio = 5;   ///< services and minima: worked of held time below this
  std::uint32_t minimum_hours = 50;  ///< hours of GPUs, else of CPUs, that they held at least
  bool operator==(const AdviceLimits&) const = default;
};

/// Of a user's report, over jobs that ran ten minutes or more where it is about how they ran.
/// @cost O(jobs log jobs)
std::vector<Advice> advise(const Facts& facts, const AdviceLimits& limits);

}  // namespace wm::report
