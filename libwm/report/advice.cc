#include "libwm/report/advice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "libwm/report/words.h"

namespace wm::report {
namespace {

constexpr double kLongEnough = 600;  // seconds that a job runs before its ratios say anything
constexpr std::size_t kMost = 3;

double part(std::int64_t n, std::int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(n) / static_cast<double>(whole) : 0;
}

std::string jobs_words(const std::vector<const JobFacts*>& jobs) {
  auto text = "job " + jobs.back()->id + " (" + data_word(jobs.back()->name) + ")";
  if (jobs.size() > 1) text += " and " + std::to_string(jobs.size() - 1) + " alike";
  return text;
}

// p95 of the peaks and a fifth more, as whole GiB.
std::int64_t memory_to_ask(const std::vector<const JobFacts*>& jobs) {
  std::vector<double> peaks;
  for (const auto* job : jobs) peaks.push_back(static_cast<double>(job->mem_peak));
  std::sort(peaks.begin(), peaks.end());
  return static_cast<std::int64_t>(percentile(peaks, .95) * 1.2 / 1024) + 1;
}

void mem_over(const Facts& f, const AdviceLimits& limits, std::vector<Advice>& found) {
  std::vector<const JobFacts*> jobs;
  std::vector<double> ratios;
  std::int64_t unused = 0, peak = 0, asked = 0;
  for (const auto& job : f.jobs) {
    if (job.run_s < kLongEnough || job.mem_asked <= limits.mem_least || job.ended == 0) continue;
    jobs.push_back(&job);
    ratios.push_back(part(job.mem_peak, job.mem_asked));
    peak += job.mem_peak, asked += job.mem_asked;
    auto wasted = std::max<std::int64_t>(0, job.mem_asked - job.mem_peak);
    unused +=
        static_cast<std::int64_t>(static_cast<double>(job.allocated.mem_mib_s) *
                                  static_cast<double>(wasted) / static_cast<double>(job.mem_asked));
  }
  if (jobs.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  auto ratio = static_cast<double>(limits.mem_ratio);
  if (part(peak, asked) >= ratio || percentile(ratios, .5) >= ratio) return;
  auto all = f.total.allocated().mem_mib_s;
  if (all > 0 && part(unused, all) < static_cast<double>(limits.mem_part)) return;
  auto next = memory_to_ask(jobs);
  auto count = static_cast<std::int64_t>(jobs.size());
  found.push_back({"mem_over",
                   jobs_words(jobs) + " asked for " +
                       number(static_cast<double>(asked) / static_cast<double>(count) / 1024, 0) +
                       " GB a task and touched " +
                       number(static_cast<double>(peak) / static_cast<double>(count) / 1024, 1) +
                       ". Next time: bsub -R \"rusage[mem=" + std::to_string(next) + "GB]\"",
                   static_cast<double>(unused) / 3600 / 4096});
}

double gpu_hours(std::int64_t us) { return static_cast<double>(us) / 3.6e9; }

// Of a job with GPUs that were looked at nearly all the time.
bool is_covered(const JobFacts& job, const AdviceLimits& limits) {
  return job.allocated.gpu_mms > 0 &&
         part(job.gpu_seen_us, job.allocated.gpu_mms) >= limits.gpu_coverage;
}

// Its router is what a service's job runs.
bool is_service(const JobFacts& job) { return job.command.find("/wrouter\"") != job.command.npos; }

// Held by what stays although nobody asks for it, and what worked of that: GPUs where there are
// any, else CPUs, of which a running job does not tell yet. Nothing: not known, or it is no such
// job.
std::optional<std::pair<double, double>> minimum_of(const JobFacts& job,
                                                    const AdviceLimits& limits) {
  bool grows = job.elastic && job.min_tasks < job.max_tasks;
  if (!is_service(job) && !grows) return {};
  if (is_covered(job, limits))
    return std::pair(gpu_hours(job.gpu_seen_us), gpu_hours(job.gpu_busy_us));
  if (job.allocated.gpu_mms > 0 || job.ended == 0) return {};
  return std::pair(static_cast<double>(job.cpu_mms) / 3.6e9, gpu_hours(job.cpu_us));
}

bool is_idle_minimum(const JobFacts& job, const AdviceLimits& limits) {
  auto minimum = minimum_of(job, limits);
  return minimum && minimum->first >= limits.minimum_hours &&
         100 * minimum->second < minimum->first * limits.minimum_ratio;
}

void cpu_low(const Facts& f, const AdviceLimits& limits, std::vector<Advice>& found) {
  std::vector<const JobFacts*> jobs;
  std::int64_t used = 0, held = 0;
  for (const auto& job : f.jobs) {
    if (job.run_s < kLongEnough || job.allocated.gpu_mms > 0 || job.ended == 0) continue;
    if (is_idle_minimum(job, limits)) continue;
    if (job.cpu_mms <= 0 || part(job.cpu_us, job.cpu_mms) >= limits.cpu_ratio) continue;
    jobs.push_back(&job);
    used += job.cpu_us, held += job.cpu_mms;
  }
  auto hours = static_cast<double>(held) / 3.6e9;
  if (jobs.empty() || hours < limits.cpu_hours) return;
  if (part(held, f.total.allocated().cpu_mms) < limits.cpu_part) return;
  found.push_back({"cpu_low",
                   jobs_words(jobs) + " held " + number(hours, 0) + " CPU hours and used " +
                       percent(static_cast<double>(used), static_cast<double>(held)) +
                       " of them. If the program runs on one CPU, ask for one: bsub -n 1",
                   hours - static_cast<double>(used) / 3.6e9});
}

void short_jobs(const Facts& f, const AdviceLimits& limits, std::vector<Advice>& found) {
  std::map<std::int64_t, std::vector<double>> days;
  for (const auto& job : f.jobs)
    if (!job.element && job.ended > 0) days[days_of(local(f.zone, job.ended))].push_back(job.run_s);
  for (auto& [day, runs] : days) {
    if (runs.size() < limits.short_jobs) continue;
    std::sort(runs.begin(), runs.end());
    auto half = percentile(runs, .5);
    if (half >= limits.short_seconds) continue;
    found.push_back({"short_jobs",
                     number(static_cast<double>(runs.size()), 0) + " jobs of " +
                         date_text(date_of(day)) + " ran " + wait_words(half) +
                         " or less, half of them. One array starts them "
                         "with less waiting: bsub -J \"name[1-" +
                         std::to_string(runs.size()) + "]\"",
                     static_cast<double>(runs.size()) / 100});
    return;
  }
}

bool failed(const JobFacts& job) { return job.state == "failed" || job.state == "error"; }

void fails_again(const Facts& f, const AdviceLimits& limits, std::vector<Advice>& found) {
  std::map<std::string, std::vector<const JobFacts*>> runs;  // by command, those in a row
  auto ordered = std::vector<const JobFacts*>();
  for (const auto& job : f.jobs)
    if (job.ended > 0) ordered.push_back(&job);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto* a, const auto* b) { return a->ended < b->ended; });
  std::vector<const JobFacts*> worst;
  for (const auto* job : ordered) {
    auto& row = runs[job->command];
    bool alike = !row.empty() && row.back()->exit_status == job->exit_status &&
                 row.back()->term == job->term && job->ended - row.front()->ended <= kDay;
    if (!failed(*job) || !alike) row.clear();
    if (failed(*job)) row.push_back(job);
    if (row.size() > worst.size()) worst = row;
  }
  if (worst.empty() || worst.size() < limits.fails) return;
  double hours = 0;
  for (const auto* job : worst) hours += static_cast<double>(job->allocated.slot_ms) / 3.6e6;
  auto status = worst.back()->exit_status;
  auto how = !worst.back()->term.empty() ? worst.back()->term
             : (status & 0x7f)           ? "signal " + std::to_string(status & 0x7f)
                                         : "exit code " + std::to_string(status >> 8 & 0xff);
  found.push_back({"fails_again",
                   jobs_words(worst) + " failed " + std::to_string(worst.size()) +
                       " times in a row with " + how + ". Its last lines: bpeek " +
                       worst.back()->id + "; its course: bhist -l " + worst.back()->id,
                   hours + 1});
}

void idle_minimum(const Facts& f, const AdviceLimits& limits, std::vector<Advice>& found) {
  std::vector<const JobFacts*> jobs;
  double held = 0, worked = 0;
  for (const auto& job : f.jobs) {
    if (!is_idle_minimum(job, limits)) continue;
    jobs.push_back(&job);
    auto minimum = *minimum_of(job, limits);
    held += minimum.first, worked += minimum.second;
  }
  if (jobs.empty()) return;
  const auto& last = *jobs.back();
  auto unit = std::string(last.allocated.gpu_mms > 0 ? "GPU" : "CPU");
  auto less = is_service(last)
                  ? std::string(
                        "A service may have no kernel while nobody asks for it, and comes "
                        "back with the first request: kernel_min 0 in its profile")
                  : "Next time let it wait with fewer: bsub -ar -n 1," +
                        std::to_string(last.max_tasks) + "; bkill " + last.id + " frees them now";
  found.push_back({"idle_minimum",
                   jobs_words(jobs) + " kept " + number(held, 0) + " " + unit +
                       " hours and worked " + percent(worked, held) + " of them. " + less,
                   held - worked});
}

// A mean over the job would hide it: hour by hour. What runs still is told as well.
void gpu_idle(const Facts& f, const AdviceLimits& limits, std::vector<Advice>& found) {
  std::vector<const JobFacts*> jobs;
  std::int64_t idle = 0;
  for (const auto& job : f.jobs) {
    if (job.gpu_idle_us <= 0 || !is_covered(job, limits) || is_idle_minimum(job, limits)) continue;
    jobs.push_back(&job);
    idle += job.gpu_idle_us;
  }
  if (jobs.empty() || gpu_hours(idle) < limits.gpu_idle_hours) return;
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](auto* a, auto* b) { return a->gpu_idle_us < b->gpu_idle_us; });
  const auto& worst = *jobs.back();
  found.push_back({"gpu_idle",
                   jobs_words(jobs) + " held GPUs for " + number(gpu_hours(idle), 0) +
                       " GPU hours in which none of them did any work. " +
                       (worst.ended == 0 ? "If it waits or hangs, bkill " + worst.id +
                                               " frees them; its last lines: bpeek " + worst.id
                                         : "Prepare data before the job, and end it when it is "
                                           "done: bhist -l " +
                                               worst.id),
                   gpu_hours(idle)});
}

void gpu_low(const Facts& f, const AdviceLimits& limits, std::vector<Advice>& found) {
  std::vector<const JobFacts*> jobs;
  std::int64_t busy = 0, seen = 0;
  for (const auto& job : f.jobs) {
    if (job.run_s < kLongEnough || !is_covered(job, limits) || is_idle_minimum(job, limits))
      continue;
    auto working = job.gpu_seen_us - job.gpu_idle_us;  // idle hours are told by themselves
    if (working <= 0 || part(job.gpu_busy_us, working) >= limits.gpu_ratio) continue;
    jobs.push_back(&job);
    busy += job.gpu_busy_us, seen += working;
  }
  if (jobs.empty() || gpu_hours(seen) < limits.gpu_hours) return;
  found.push_back({"gpu_low",
                   jobs_words(jobs) + " held " + number(gpu_hours(seen), 0) +
                       " GPU hours, and the GPUs were busy " +
                       percent(static_cast<double>(busy), static_cast<double>(seen)) +
                       " of them. Larger batches, more loader processes or fewer GPUs: "
                       "bsub -gpu num=1",
                   gpu_hours(seen - busy)});
}

// "3:00": half as much again as the longest, to the half hour.
std::string limit_to_ask(double longest_s) {
  auto halves = static_cast<std::int64_t>(longest_s * 1.5 / 1800) + 1;
  return std::to_string(halves / 2) + (halves % 2 ? ":30" : ":00");
}

void time_over(const Facts& f, const AdviceLimits& limits, std::vector<Advice>& found) {
  std::vector<const JobFacts*> jobs;
  double asked = 0, ran = 0, unused = 0, longest = 0;
  for (const auto& job : f.jobs) {
    bool fine = job.ended > 0 && !failed(job) && job.state == "finished" && job.run_s > 0;
    if (!fine || job.ask_run_s <= 0 || job.run_s / job.ask_run_s * 100 >= limits.time_ratio)
      continue;
    jobs.push_back(&job);
    asked += job.ask_run_s, ran += job.run_s;
    longest = std::max(longest, job.run_s);
    unused += static_cast<double>(job.allocated.slot_ms) / 3.6e6 / job.run_s *
              (job.ask_run_s - job.run_s);
  }
  if (jobs.empty() || unused < limits.time_hours) return;
  auto count = static_cast<double>(jobs.size());
  found.push_back({"time_over",
                   jobs_words(jobs) + " asked for " + number(asked / count / 3600, 1) +
                       " hours and ran " + number(ran / count / 3600, 1) +
                       ". With a limit nearer to that they start sooner: bsub -W " +
                       limit_to_ask(longest),
                   unused / 100});
}

void no_elastic(const Facts& f, const AdviceLimits& limits, std::vector<Advice>& found) {
  std::vector<const JobFacts*> jobs;
  double hours = 0;
  for (const auto& job : f.jobs) {
    if (!job.elastic || job.max_tasks < 2 || job.min_tasks != job.max_tasks) continue;
    jobs.push_back(&job);
    hours += static_cast<double>(job.allocated.slot_ms) / 3.6e6;
  }
  if (jobs.empty() || hours < limits.elastic_hours) return;
  auto n = std::to_string(jobs.back()->max_tasks);
  found.push_back({"no_elastic",
                   jobs_words(jobs) + " could change its size (-ar) and yet asked for exactly " +
                       n + " tasks. It starts sooner with fewer and grows: bsub -ar -n 1," + n,
                   hours / 100});
}

}  // namespace

std::vector<Advice> advise(const Facts& facts, const AdviceLimits& limits) {
  std::vector<Advice> found;
  mem_over(facts, limits, found);
  cpu_low(facts, limits, found);
  short_jobs(facts, limits, found);
  fails_again(facts, limits, found);
  gpu_idle(facts, limits, found);
  gpu_low(facts, limits, found);
  time_over(facts, limits, found);
  no_elastic(facts, limits, found);
  idle_minimum(facts, limits, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Advice& a, const Advice& b) { return a.cost > b.cost; });
  if (found.size() > kMost) found.resize(kMost);
  return found;
}

}  // namespace wm::report
