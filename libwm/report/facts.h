// Role: everything that one report says, as a value: gathered from the databases by
// store/report_facts, told by text.h, page.h, json.h and figures.h. Sums are whole, in the units of
// sums.h; who tells them divides.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libwm/report/forecast.h"
#include "libwm/report/period.h"
#include "libwm/report/plans.h"
#include "libwm/report/sums.h"

namespace wm::report {

/// Something the reader must know. Code: "down", "gpu_sick", "failing_host", "late", "provisional",
/// "restated", "no_capacity" …
struct Note {
  std::string code, text;
};

/// What somebody could do better. @units cost: hours of what is wasted, to put the largest first
struct Advice {
  std::string rule, text;
  double cost = 0;
};

/// Waits in the queue, without what was their user's own. @units seconds
struct Waits {
  std::string queue, size;  ///< size: "1", "2-4" …; empty: all
  std::size_t n = 0;
  double p50 = 0, p90 = 0, p99 = 0, most = 0;
};

/// What a plan asked for and deserved, as far as the master was looked at. @units slot·ms, or where
/// `gpus` GPU·ms; covered: percent of the period
struct PlanAsk {
  bool gpus = false;
  std::int64_t demand = 0, deserved = 0, unmet = 0;
  double covered = 0;
};

/// What a plan with those below it had. `slots` is empty without a configuration of that time.
struct PlanFacts {
  std::string path;
  PlanAmounts slots;
  Amounts allocated, refunded;
  std::optional<PlanAsk> asked = {};  ///< none: nobody looked
};

/// What a user, or another `name`, used and how well.
struct UseFacts {
  std::string name;
  Amounts allocated, refunded;
  std::int64_t ended = 0, failed = 0;
  /// Of attempts that ended. @units CPU us; milli-CPU·ms; MiB·s
  std::int64_t cpu_us = 0, cpu_mms = 0, mem_mib_s = 0, mem_peak_mib_s = 0;
};

/// One job of a user's week.
struct JobFacts {
  std::string id, name, state, command, term;
  std::int32_t exit_status = 0;
  std::int64_t ended = 0;  ///< s since 1970; 0: it lasts
  bool element = false;
  double run_s = 0, own_s = 0, queue_s = 0;
  Amounts allocated;
  std::int64_t cpu_us = 0, cpu_mms = 0;
  std::int64_t mem_asked = 0, mem_peak = 0;  ///< MiB a task
  double ask_run_s = 0;                      ///< run limit of each attempt together; 0: none
  bool elastic = false;
  std::uint32_t min_tasks = 1, max_tasks = 1;
  /// GPU time that was looked at, in which a kernel ran, and of hours in which next to none did.
  /// @units us of devices
  std::int64_t gpu_seen_us = 0, gpu_busy_us = 0, gpu_idle_us = 0;
  std::int64_t energy_j = 0;  ///< of its GPUs; 0: not told
};

/// What a host's slots and GPUs did.
struct HostFacts {
  std::string name;
  ByUse uses;
};

/// How a host or GPU stood otherwise than well. @units s since 1970; until 0: it lasts
struct Trouble {
  std::string what, state, why;
  std::int64_t since = 0, until = 0;
};

/// Attempts that ended badly on a host, by why.
struct Failures {
  std::string host, term;
  std::int64_t n = 0;
};

/// A change of an elastic job's size. @units at: s since 1970; pause -1: not known
struct Resize {
  std::int64_t at = 0;
  std::int64_t from = 0, to = 0;
  std::string cause;
};

/// An elastic job in the period. @units cost: slot seconds
struct ElasticFacts {
  std::string id, name, user;
  double mean = 0, cost = 0, cost_part = 0;
  std::int64_t began = 0, ended = 0;  ///< s since 1970, 0: it lasts
  std::vector<Resize> resizes;
};

/// An hour of the figure of use.
struct HourFacts {
  Hour hour;
  ByUse uses;
  std::map<std::string, Amounts> plans;
};

/// How many jobs did what.
struct Counts {
  std::int64_t submitted = 0, dispatched = 0, ended = 0, failed = 0, killed = 0, lost = 0;
  std::int64_t waiting = 0;
  double waiting_age_s = 0;  ///< median at the cut
};

/// What GPUs did while they were held, as far as they were looked at. @units us of devices
struct GpuUse {
  std::int64_t seen_us = 0, busy_us = 0, idle_us = 0;  ///< idle: whole hours without work
  std::int64_t energy_mj = 0;
  std::int64_t host_energy_mj = 0;  ///< of processors; 0: not told
};

/// Hours of a budget in its period. @units thousandths of units times ms
struct BudgetAmounts {
  std::int64_t granted = 0, carried = 0, used = 0;
};
/// How a budget stood. @units from, to, at: s since 1970
struct BudgetFacts {
  std::string name, period;  ///< "November 2026"
  std::int64_t from = 0, to = 0, at = 0;
  std::optional<BudgetAmounts> gpu, cpu;  ///< none: not bounded
  std::int64_t percent = 0;               ///< of the scarcer
  std::uint32_t warn = 80;
  std::string at_end;
};

/// A report.
struct Facts {
  std::string cluster;
  std::string about;  ///< empty: the cluster; else a user or a plan
  Period period;
  Zone zone;
  std::int64_t made_at = 0, horizon = 0;  ///< s since 1970
  bool final = false;
  bool names = true;  ///< false: for those who see sums alone
  ByUse total;
  Amounts refunded;
  std::map<std::string, Amounts> refunds;  ///< by kind
  Counts counts;
  std::vector<Waits> waits;  ///< the first is of all
  std::vector<PlanFacts> plans;
  std::vector<UseFacts> users, queues;
  std::vector<JobFacts> jobs;  ///< of a user's report
  std::vector<HostFacts> hosts;
  std::vector<Trouble> troubles;
  std::vector<Failures> failures;
  std::vector<ElasticFacts> elastic;
  std::vector<std::int64_t> promise_errors;  ///< seconds late, of every dispatch with a promise
  std::vector<HourFacts> hours;              ///< of a user's report "plans" has one entry, the user
  std::vector<std::pair<std::string, PlanAmounts>> plan_days;  ///< of a plan's report, by date
  std::vector<Note> notes;
  Forecast forecast;                 ///< of a month of the cluster
  GpuUse gpu_use;                    ///< of the cluster, or of the user; of a plan nothing
  std::vector<BudgetFacts> budgets;  ///< those that what it is about draws on
  std::vector<Advice> advice;        ///< of a user's report, the costliest first
  /// Are there GPUs to speak of? Else slots are told. @cost O(1)
  bool has_gpus() const { return total.capacity().gpu_mms > 0; }
};

/// What a table of jobs has room for: the newest. @cost O(1)
std::span<const JobFacts> newest_jobs(const Facts& facts);
/// Nearest rank ⌈p·n⌉ of values that are in order; 0: there are none. @cost O(1)
double percentile(const std::vector<double>& ordered, double p);
/// "1", "2-4", "5-16", "17-64" or "more". @cost O(1)
std::string size_class(std::uint32_t tasks);
/// Of the GPU time that was held, how much was looked at. @units percent; -1: none was held
double gpu_coverage(const Facts& facts);
/// Bins of promise errors, as bacct has them, with how many fell into each. @cost O(errors)
std::vector<std::pair<std::string, std::int64_t>> promise_bins(const std::vector<std::int64_t>& s);

}  // namespace wm::report
