#include "libwm/replay/engine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "libwm/replay/ideal.h"
#include "libwm/replay/production.h"
#include "libwm/replay/tiresias.h"

namespace wm::replay {
namespace {

// Programs report their speed so often; a policy that listens looks again then.
constexpr double kReportPeriod = 60;
// A service looks at its load so often.
constexpr double kWavePeriod = 60;
// So many decisions with nothing running, and nothing ever will.
constexpr int kMostIdleTicks = 1000;

class Engine {
 public:
  Engine(const Workload& workload, const Setup& setup, const Options& options);
  Result<Outcome> run();

 private:
  double next_time() const;
  void submit_until(double now);
  void end_until(double now);
  void decide(double now);
  void advance(JobRun& job, double now);
  void move(std::uint32_t index, Placement to, double now);
  void sample(double now);
  void follow_waves(double now);
  void end_services(double now);
  void set_ticks(double now);
  void count(const JobRun& job, int sign);
  Error stuck(double now) const;

  const Workload& workload_;
  const Setup& setup_;
  const Options& options_;
  Outcome outcome_;
  std::unique_ptr<Decider> decider_;
  std::size_t submitted_ = 0, ended_ = 0;
  std::uint32_t services_ = 0;                       // the first of the list
  std::set<std::pair<double, std::uint32_t>> ends_;  // of running jobs
  std::set<std::uint32_t> live_;
  double tick_ = kNever;  // the next decision at a multiple of the period
  double wake_ = kNever;  // and that for which the decider asked
  double period_;
  std::uint32_t busy_ = 0, running_ = 0;
  std::map<std::string, std::uint32_t> by_user_;
};

Engine::Engine(const Workload& workload, const Setup& setup, const Options& options)
    : workload_(workload), setup_(setup), options_(options), period_(options.interval_s) {
  bool listens = options.policy == Policy::Goodput;
  for (const TraceJob& job : workload.jobs) {
    JobRun run;
    run.trace = &job;
    run.batch = listens ? Batch::Auto : Batch::Fixed;
    services_ += job.wave ? 1 : 0;
    outcome_.jobs.push_back(run);
  }
  if (options.policy == Policy::Tiresias)
    decider_ = std::make_unique<Tiresias>(outcome_.jobs, setup);
  else decider_ = std::make_unique<Production>(outcome_.jobs, setup, options, outcome_.pass_s);
  if (period_ == 0 && decider_->wants_progress()) period_ = kReportPeriod;
  if (period_ == 0 && services_ > 0) period_ = kWavePeriod;
}

double Engine::next_time() const {
  double next = std::min(tick_, wake_);
  if (submitted_ < workload_.jobs.size()) {
    next = std::min(next, workload_.jobs[submitted_].submit_s);
  }
  if (!ends_.empty()) next = std::min(next, ends_.begin()->first);
  return next;
}

void Engine::advance(JobRun& job, double now) {
  double from = std::max(job.updated, job.paused_until);
  if (job.runs() && now > from) {
    job.done = job.trace->work->after(job.done, now - from, shape_of(job.placement), job.batch);
  }
  std::uint32_t tasks = tasks_of(shape_of(job.placement));
  job.attained += (now - job.updated) * tasks;
  job.wished_s += (now - job.updated) * job.wish;
  if (tasks < job.wish) job.missed_s += (now - job.updated) * (job.wish - tasks);
  job.updated = now;
}

void Engine::count(const JobRun& job, int sign) {
  if (!job.runs()) return;
  std::uint32_t units = sign * tasks_of(shape_of(job.placement)) * setup_.units_of(*job.trace);
  busy_ += units;
  running_ += sign;
  by_user_[job.trace->user] += units;
}

void Engine::submit_until(double now) {
  for (; submitted_ < workload_.jobs.size(); ++submitted_) {
    if (workload_.jobs[submitted_].submit_s > now) return;
    auto index = static_cast<std::uint32_t>(submitted_);
    outcome_.jobs[index].updated = now;
    live_.insert(index);
    decider_->arrive(index, now);
  }
}

void Engine::end_until(double now) {
  while (!ends_.empty() && ends_.begin()->first <= now) {
    auto [at, index] = *ends_.begin();
    ends_.erase(ends_.begin());
    JobRun& job = outcome_.jobs[index];
    advance(job, at);
    count(job, -1);
    job.end_s = at;
    job.placement.clear();
    live_.erase(index);
    ++ended_;
    decider_->end(index, at);
    if (options_.progress) options_.progress(static_cast<double>(ended_) / outcome_.jobs.size());
  }
}

// From `now` on the job is where `to` says.
void Engine::move(std::uint32_t index, Placement to, double now) {
  JobRun& job = outcome_.jobs[index];
  if (job.placement == to || job.over()) return;
  advance(job, now);
  if (job.runs()) ends_.erase({job.ends_at, index});
  count(job, -1);
  job.placement = std::move(to);
  count(job, 1);
  if (!job.runs()) return;
  if (job.start_s < 0) job.start_s = now;
  else ++job.resizes;
  job.paused_s += now + options_.resize_cost_s - std::max(now, job.paused_until);
  job.paused_until = now + options_.resize_cost_s;
  double left = job.trace->work->left_s(job.done, shape_of(job.placement), job.batch);
  job.ends_at = job.paused_until + left;
  ends_.insert({job.ends_at, index});
}

void Engine::sample(double now) {
  auto queued = static_cast<std::uint32_t>(live_.size()) - running_;
  Sample sample{now, busy_, running_, queued, by_user_};
  auto& all = outcome_.samples;
  if (!all.empty() && all.back().at_s == now) all.back() = sample;
  else all.push_back(sample);
}

// Those that run want as many kernels as their load asks for now.
void Engine::follow_waves(double now) {
  for (std::uint32_t index = 0; index < services_; ++index) {
    JobRun& job = outcome_.jobs[index];
    std::uint32_t wish = job.trace->wave->wanted(now);
    if (wish == job.wish || index >= submitted_) continue;
    advance(job, now);
    job.wish = wish;
    decider_->wish(index, wish, now);
  }
}

// All others have ended: so do the services, which are no jobs of the list.
void Engine::end_services(double now) {
  for (std::uint32_t index = 0; index < services_; ++index) {
    advance(outcome_.jobs[index], now);
    outcome_.jobs[index].end_s = now;
  }
  auto& jobs = outcome_.jobs;
  outcome_.services.assign(jobs.begin(), jobs.begin() + services_);
  jobs.erase(jobs.begin(), jobs.begin() + services_);
}

void Engine::decide(double now) {
  follow_waves(now);
  if (decider_->wants_progress()) {
    for (std::uint32_t index : live_) advance(outcome_.jobs[index], now);
  }
  for (std::uint32_t index : decider_->decide(now)) move(index, decider_->placement(index), now);
  sample(now);
}

// The next decisions that no event asks for.
void Engine::set_ticks(double now) {
  if (live_.empty() || period_ == 0) tick_ = kNever;
  else if (tick_ <= now || tick_ == kNever) tick_ = (std::floor(now / period_) + 1) * period_;
  wake_ = options_.interval_s == 0 && decider_->wake_at() > now ? decider_->wake_at() : kNever;
}

Error Engine::stuck(double now) const {
  const JobRun& job = outcome_.jobs[*live_.begin()];
  return fail(Code::Impossible, "job '" + job.trace->name + "' (" +
                                    std::to_string(job.trace->tasks) +
                                    " tasks) never starts: nothing runs at " +
                                    std::to_string(static_cast<std::int64_t>(now)) +
                                    " s and nothing more is submitted");
}

Result<Outcome> Engine::run() {
  int idle_ticks = 0;
  for (double now = next_time(); now != kNever; now = next_time()) {
    bool is_tick = now >= tick_;
    end_until(now);
    submit_until(now);
    if (services_ > 0 && ended_ + services_ == outcome_.jobs.size()) {
      end_services(now);
      break;
    }
    if (is_tick || options_.interval_s == 0) decide(now);
    set_ticks(now);
    bool hopeless = running_ <= services_ && !live_.empty() && submitted_ == workload_.jobs.size();
    idle_ticks = hopeless ? idle_ticks + 1 : 0;
    bool silent = tick_ == kNever && wake_ == kNever;
    if (hopeless && (silent || idle_ticks > kMostIdleTicks)) return stuck(now);
  }
  return std::move(outcome_);
}

template <class Value, std::size_t kCount>
Result<Value> named(const std::array<std::pair<Value, std::string_view>, kCount>& table,
                    std::string_view name, std::string_view what) {
  std::string all;
  for (auto [value, known] : table) {
    if (known == name) return value;
    all += (all.empty() ? "" : ", ") + std::string(known);
  }
  return fail(Code::BadArgument,
              std::string(what) + " '" + std::string(name) + "' is none of " + all);
}

std::uint64_t gpus_each(const TraceJob& job) { return (job.milli_gpus + 999) / 1000; }

// Tasks of the job that an empty host takes.
std::uint64_t tasks_on(const HostSize& host, const TraceJob& job) {
  std::uint64_t slots = std::max(host.cpus, host.gpus), tasks = slots;
  if (job.milli_cpus > 0) tasks = std::min(tasks, slots * 1000 / job.milli_cpus);
  if (job.milli_gpus > 0) tasks = std::min(tasks, host.gpus / gpus_each(job));
  return tasks;
}

std::uint64_t room_for(const Setup& setup, const TraceJob& job) {
  if (setup.each.empty()) return setup.hosts * tasks_on(setup.host(0), job);
  std::uint64_t tasks = 0;
  for (const HostSize& host : setup.each) tasks += tasks_on(host, job);
  return tasks;
}

// "120 CPU(s) and 8 GPU(s) for a task; the largest host has 96 and 8".
std::string too_large(const Setup& setup, const TraceJob& job) {
  auto cpus = std::to_string((job.milli_cpus + 999) / 1000);
  auto has = std::to_string(std::max(setup.cpus_per_host, setup.gpus_per_host));
  if (job.milli_gpus == 0) return cpus + " CPU(s) for a task; the largest host has " + has;
  return cpus + " CPU(s) and " + std::to_string(gpus_each(job)) +
         " GPU(s) for a task; the largest host has " + has + " and " +
         std::to_string(setup.gpus_per_host);
}

Result<void> check(const Workload& workload, const Setup& setup) {
  if (setup.hosts == 0 || setup.units_per_host() == 0) {
    return fail(Code::BadArgument, "the cluster has no slots");
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> rooms;  // by what a task takes
  std::uint64_t kept = 0;  // by services at their least
  for (const TraceJob& job : workload.jobs) {
    auto [room, is_new] = rooms.try_emplace({job.milli_cpus, job.milli_gpus});
    if (is_new) room->second = room_for(setup, job);
    if (job.wave) kept += job.min_tasks;
    if (!job.wave && job.min_tasks + kept > room->second && job.min_tasks <= room->second)
      return fail(Code::Impossible, "job '" + job.name + "' asks for " +
                                        std::to_string(job.min_tasks) + " tasks; services keep " +
                                        std::to_string(kept) + " of " +
                                        std::to_string(room->second));
    if (job.min_tasks <= room->second && job.tasks > 0) continue;
    auto why = room->second == 0
                   ? too_large(setup, job)
                   : std::to_string(job.min_tasks) + " tasks; the cluster has room for " +
                         std::to_string(room->second);
    return fail(Code::Impossible, "job '" + job.name + "' asks for " + why);
  }
  return {};
}

// Only the master's own elastic policies know what a service wants.
Result<void> check_services(const Workload& workload, Policy policy) {
  auto is_service = [](const TraceJob& job) { return job.wave.has_value(); };
  auto& jobs = workload.jobs;
  if (std::none_of(jobs.begin(), jobs.end(), is_service)) return {};
  if (policy != Policy::Fairshare && policy != Policy::Goodput) {
    return fail(Code::BadArgument, "services need the policy fairshare or goodput");
  }
  if (std::all_of(jobs.begin(), jobs.end(), is_service)) {
    return fail(Code::BadArgument, "services alone have no end: the list has no job");
  }
  return {};
}

}  // namespace

Shape shape_of(const Placement& placement) {
  Shape shape;
  for (auto [host, tasks] : placement) shape.push_back(tasks);
  return shape;
}

Result<Policy> policy_of(std::string_view name) {
  constexpr std::array<std::pair<Policy, std::string_view>, 7> kPolicies = {{
      {Policy::Fcfs, "fcfs"},
      {Policy::Easy, "easy"},
      {Policy::Conservative, "conservative"},
      {Policy::Tiresias, "tiresias"},
      {Policy::Fairshare, "fairshare"},
      {Policy::Goodput, "goodput"},
      {Policy::Ideal, "ideal"},
  }};
  return named(kPolicies, name, "policy");
}

Result<Estimates> estimates_of(std::string_view name) {
  constexpr std::array<std::pair<Estimates, std::string_view>, 3> kEstimates = {
      {{Estimates::Exact, "exact"}, {Estimates::User, "user"}, {Estimates::None, "none"}}};
  return named(kEstimates, name, "estimates");
}

Result<Outcome> simulate(const Workload& workload, const Setup& setup, const Options& options) {
  WM_TRY(check(workload, setup));
  WM_TRY(check_services(workload, options.policy));
  if (options.policy == Policy::Ideal) return ideal_shares(workload, setup, options);
  return Engine(workload, setup, options).run();
}

}  // namespace wm::replay
