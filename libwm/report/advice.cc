#include "libwm/report/advice.h"

#include <algorithm>
#include <map>

#include "libwm/report/words.h"

namespace wm::report {
namespace {

constexpr double kLongEnough = 600;  // seconds that a job runs before its ratios say anything
constexpr std::int64_t kDay = 86400;
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

void cpu_low(const Facts& f, const AdviceLimits& limits, std::vector<Advice>& found) {
  std::vector<const JobFacts*> jobs;
  std::int64_t used = 0, held = 0;
  for (const auto& job : f.jobs) {
    if (job.run_s < kLongEnough || job.allocated.gpu_mms > 0 || job.ended == 0) continue;
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

}  // namespace

std::vector<Advice> advise(const Facts& facts, const AdviceLimits& limits) {
  std::vector<Advice> found;
  mem_over(facts, limits, found);
  cpu_low(facts, limits, found);
  short_jobs(facts, limits, found);
  fails_again(facts, limits, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Advice& a, const Advice& b) { return a.cost > b.cost; });
  if (found.size() > kMost) found.resize(kMost);
  return found;
}

}  // namespace wm::report
