#include "libwm/replay/production.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "libwm/conf/load.h"
#include "libwm/replay/read.h"
#include "libwm/sched/admit.h"

namespace wm::replay {
namespace {

// A decision that leads to another is repeated; one that never rests would be a fault of ours.
constexpr int kMostRepeats = 64;

WallTime wall(double now) {
  return WallTime(Duration(static_cast<std::int64_t>(std::llround(now * 1e6))));
}

// Job numbers count from 1, positions in the list from 0.
JobId id_of(std::uint32_t job) { return {job + 1, 0}; }

bool is_elastic(Policy policy) { return policy == Policy::Fairshare || policy == Policy::Goodput; }

// Without a configuration of its own an elastic policy orders who waits by slowdown: what
// submit order does to the wait of short jobs would hide what resizing does for it. Under fairshare
// tasks of which a job makes half as much as of its first go to others, and one that has held 8
// task-hours counts half, never less than a fifth.
Config built_in(Policy policy) {
  auto parsed = conf::parse({});
  WM_CHECK(parsed.has_value());
  Config config = std::move(*parsed);
  if (!is_elastic(policy)) return config;
  for (QueueConf& queue : config.queues) queue.order = JobOrder::Slowdown;
  config.cluster.sched.elastic_worth = 50;
  config.cluster.sched.elastic_least_weight = 20;
  config.cluster.sched.elastic_half_weight = std::chrono::hours(8);
  return config;
}

// Services own what they want at their most, and lend what they do not want now.
void add_plan_of_services(Config& config, const std::vector<JobRun>& jobs) {
  PlanConf plan;
  plan.path = kPlanOfServices;
  for (const JobRun& run : jobs) {
    if (run.trace->wave) plan.owns += run.trace->wave->high;
  }
  if (plan.owns > 0) config.plans.push_back(std::move(plan));
}

// Tasks of elastic jobs come and go one by one, at once, whatever the profile says: there is
// no program here that would have to be told.
std::shared_ptr<const Config> simulated(const Options& options, const std::vector<JobRun>& jobs) {
  Config config = options.config ? *options.config : built_in(options.policy);
  if (!options.config) add_plan_of_services(config, jobs);
  for (AppConf& app : config.apps) app.resize = ResizeMode::Tasks;
  config.cluster.times.reclaim_grace = Duration{};
  return std::make_shared<const Config>(std::move(config));
}

Backfill backfill_of(Policy policy, const Config& config) {
  switch (policy) {
    case Policy::Fcfs: return Backfill::None;
    case Policy::Easy: return Backfill::Easy;
    case Policy::Conservative: return Backfill::Conservative;
    default: return config.cluster.sched.backfill;
  }
}

}  // namespace

Production::Production(const std::vector<JobRun>& jobs, const Setup& setup, const Options& options,
                       std::vector<double>& pass_s)
    : jobs_(jobs), options_(options), pass_s_(pass_s), per_host_(setup.units_per_host()) {
  auto config = simulated(options, jobs);
  bool by_gain = options.policy == Policy::Goodput;
  bool counts = by_gain || config->cluster.sched.elastic_worth > 0;
  listens_ = is_elastic(options.policy) && counts &&
             std::any_of(jobs.begin(), jobs.end(),
                         [](const JobRun& run) { return run.trace->work->limits().initial > 0; });
  if (listens_) policy_.speed.speeds = speeds_;
  if (by_gain) policy_.speed.share = sched::ElasticShare::Gain;
  policy_.speed.cost = Duration(std::llround(options.resize_cost_s * 1e6));
  apply(ConfigLoaded{std::move(config)}, 0);
  policy_.backfill = backfill_of(options.policy, *twin_.cluster().config);
  // A date that holds no places decides nothing; only a person would read it.
  if (policy_.backfill == Backfill::Easy) policy_.max_promises = 1;
  add_hosts(setup);
}

void Production::add_hosts(const Setup& setup) {
  for (std::uint32_t n = 1; n <= setup.hosts; ++n) {
    HostSize size = setup.host(n - 1);
    Capacity capacity;
    capacity.slots = std::max(size.cpus, size.gpus);
    capacity.milli_cpus = capacity.slots * 1000;
    capacity.mem = Bytes{std::int64_t{1} << 50};
    for (std::uint32_t g = 0; g < size.gpus; ++g) {
      capacity.gpus.push_back({"gpu" + std::to_string(g), "", {}});
    }
    auto name = "host" + std::to_string(n);
    apply(HostRegistered{HostId{n}, name, name, "boot", "LINUX", "simulated", capacity}, 0);
  }
}

void Production::apply(const EventBody& body, double now) {
  WM_CHECK(twin_.apply(body, wall(now)));
}

std::shared_ptr<const SealedSpec> Production::spec_of(const JobRun& run) const {
  const TraceJob& trace = *run.trace;
  JobSpec spec;
  spec.owner = {1000, 1000, trace.user};
  spec.name = trace.name;
  const Config& config = *twin_.cluster().config;
  spec.queue = config.queue(trace.queue) ? trace.queue : config.cluster.default_queue;
  spec.plan = config.plan(trace.plan) ? trace.plan : config.cluster.default_plan;
  spec.app = trace.milli_gpus > 0 ? "training" : "batch";
  spec.task.milli_cpus = trace.milli_cpus;
  spec.task.milli_gpus = trace.milli_gpus;
  spec.task.mem = Bytes{trace.mem};
  spec.elastic = is_elastic(options_.policy) && trace.elastic();
  spec.min_tasks = spec.elastic ? trace.min_tasks : trace.tasks;
  spec.max_tasks = spec.elastic ? trace.max_tasks : trace.tasks;
  spec.run_limit = limit_of(run, spec.min_tasks);
  return std::make_shared<const SealedSpec>(SealedSpec{std::move(spec), "", "", ""});
}

// What the scheduler is told of its run time. An elastic job may have to run with its minimum
// all along; what is promised to others must hold even then.
Duration Production::limit_of(const JobRun& run, std::uint32_t tasks) const {
  const TraceJob& trace = *run.trace;
  double seconds = 0;
  switch (options_.estimates) {
    case Estimates::None: break;
    case Estimates::User: seconds = trace.estimate_s * trace.tasks / tasks; break;
    case Estimates::Exact:
      seconds = options_.resize_cost_s + trace.work->left_s(0, packed(tasks, per_host_), run.batch);
      break;
  }
  return Duration(std::llround(seconds * 1e6));
}

void Production::arrive(std::uint32_t job, double now) {
  live_.insert(job);
  apply(JobSubmitted{id_of(job), spec_of(jobs_[job])}, now);
}

void Production::end(std::uint32_t job, double now) {
  twin_.end(id_of(job), wall(now));
  apply(JobPurged{id_of(job)}, now);
  live_.erase(job);
  noise_.erase(job);
  speeds_->erase(id_of(job));
}

void Production::wish(std::uint32_t job, std::uint32_t tasks, double now) {
  CapChanged change;
  change.job = id_of(job);
  change.cap = tasks;
  change.by_script = true;
  apply(change, now);
}

sched::Plan Production::pass(double now) {
  double from = options_.stopwatch ? options_.stopwatch() : 0;
  sched::Plan plan = twin_.pass(policy_, wall(now));
  if (options_.stopwatch) pass_s_.push_back(options_.stopwatch() - from);
  return sched::admit(twin_.cluster(), plan);
}

// True if the report says more than was known of the program.
bool Production::hear(std::uint32_t job) {
  const JobRun& run = jobs_[job];
  Report report = run.trace->work->report(run.done, shape_of(run.placement), run.batch);
  if (report.tasks == 0) return false;
  double initial = run.trace->work->limits().initial;
  noise_[job] = initial * report.grad_var / std::max(1e-30, report.grad_sqr);
  return profiles_[run.trace->program].add(
      {report.hosts, report.tasks, report.local_batch, report.compute_s, report.exchange_s});
}

// How fast the job would be with other sizes, by what its program has shown so far.
void Production::foretell(std::uint32_t job) {
  const JobRun& run = jobs_[job];
  auto profile = profiles_.find(run.trace->program);
  if (profile == profiles_.end()) return;
  BatchLimits limits = run.trace->work->limits();
  sched::BatchTerms terms{limits.initial, limits.own, limits.most, limits.local_least,
                          limits.local_most};
  terms.may_choose = run.batch == Batch::Auto;
  // Before its own first report: as if no larger batch would help.
  auto noise = noise_.find(job);
  if (noise != noise_.end()) terms.noise = noise->second;
  (*speeds_)[id_of(job)] = profile->second.curve(terms, per_host_, run.trace->max_tasks);
}

// What running jobs have said of themselves since the last decision.
void Production::hear_reports() {
  std::set<std::string> changed;
  for (std::uint32_t job : live_) {
    if (!jobs_[job].runs() || jobs_[job].updated <= jobs_[job].paused_until) continue;
    bool more = hear(job);
    if (more || jobs_[job].batch == Batch::Auto) changed.insert(jobs_[job].trace->program);
  }
  for (std::uint32_t job : live_) {
    bool is_new = !speeds_->count(id_of(job));
    if (is_new || changed.count(jobs_[job].trace->program)) foretell(job);
  }
}

std::vector<std::uint32_t> Production::decide(double now) {
  touched_.clear();
  if (listens_) hear_reports();
  for (int i = 0; i < kMostRepeats; ++i) {
    sched::Plan plan = pass(now);
    wake_at_ = plan.look_again;
    for (JobId job : twin_.carry_out(plan, wall(now))) touched_.insert(job.job - 1);
    // Nobody left, so nothing has become free for whom it was not meant.
    if (plan.shrinks.empty()) break;
  }
  return {touched_.begin(), touched_.end()};
}

double Production::wake_at() const {
  return wake_at_ == WallTime{} ? kNever
                                : std::chrono::duration<double>(wake_at_ - WallTime{}).count();
}

Placement Production::placement(std::uint32_t job) const {
  std::map<std::uint32_t, std::uint32_t> by_host;
  const Job* found = twin_.cluster().jobs.find(job + 1);
  if (!found || is_over(found->state)) return {};
  for (const Task& task : found->tasks) {
    if (task.holds_slot()) ++by_host[task.host.value - 1];
  }
  return {by_host.begin(), by_host.end()};
}

}  // namespace wm::replay
