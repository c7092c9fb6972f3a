// Role: scheduling at the sizes that a large site has. "rebuild": a pass that knows nothing
// beforehand, as after a restart or a reconfiguration; "pass": one that follows a few changes,
// as while the cluster runs. Clusters are full, jobs have run limits, EASY backfill holds places;
// "conservative": everybody who waits may.
// Also one gang of 1,024 GPUs, and 64 elastic jobs that make way for one more on 1,000 GPUs.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "libwm/sched/feasible.h"
#include "libwm/sched/schedule.h"
#include "test/bench/config.h"

namespace wm {
namespace {

constexpr std::uint32_t kSlots = 16, kGpus = 2, kUsers = 37, kKinds = 10;
constexpr WallTime kBegin{std::chrono::hours(24 * 365 * 50)};

// Processor time, so that others on the machine do not count.
double ms_of(const std::function<void()>& act) {
  auto spent = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
  };
  double from = spent();
  act();
  return spent() - from;
}

// Hosts, jobs, and what happens to them.
class Site {
 public:
  /// `memories`: jobs ask for so many different amounts of memory beyond what their kind says.
  Site(std::uint32_t hosts, std::uint32_t gpus, std::uint32_t memories = 1) : memories_(memories) {
    cluster.config = config();
    for (std::uint32_t n = 1; n <= hosts; ++n) {
      Host host;
      host.id = HostId{n};
      host.name = "h" + std::to_string(n);
      host.capacity = {kSlots, kSlots * 1000, Bytes{std::int64_t{256} << 30}, {}};
      host.capacity.gpus.resize(gpus);
      host.gpu_owners.resize(gpus);
      cluster.hosts.set(n, host);
    }
  }
  // A kind of job for each tenth: queues, plans, sizes, GPUs, memory and limits differ.
  void submit() {
    std::uint32_t number = ++last_;
    std::uint32_t memory = number / kKinds % memories_;
    auto& sealed = kinds_[{number % kKinds, number % kUsers, memory}];
    if (!sealed) {
      JobSpec spec = spec_of(number);
      spec.task.mem.value += std::int64_t{memory} << 20;
      sealed = std::make_shared<const SealedSpec>(SealedSpec{spec, {}, {}, {}});
    }
    submit(sealed);
  }
  void submit(const JobSpec& spec) {
    ++last_;
    submit(std::make_shared<const SealedSpec>(SealedSpec{spec, {}, {}, {}}));
  }
  // The job that was submitted last runs on these.
  void run(std::uint32_t number, const std::vector<sched::Spot>& spots) {
    Job& job = cluster.jobs.edit(number);
    job.state = JobState::Running;
    job.attempt = Attempt{1};
    job.times.dispatched = job.times.started = now;
    for (const auto& spot : spots) {
      Task task{TaskNumber{++job.last_task.value}, spot.host, spot.gpus, TaskState::Running};
      take(job, task, 1);
      job.tasks.push_back(task);
    }
    if (job.spec().elastic) make_resizable(job);
    running.push_back(number);
  }
  // Three jobs on every host, nothing is left.
  void fill() {
    cluster.hosts.each([&](std::uint32_t n, const Host&) {
      now = kBegin - std::chrono::minutes(n % 59);
      std::uint32_t done = 0;
      for (std::uint16_t gpu = 0; gpu < kGpus; ++gpu, ++done) {
        last_ += (kKinds - last_ % kKinds) % kKinds;
        submit();
        run(last_, {{HostId{n}, {gpu}}});
      }
      last_ += kKinds - last_ % kKinds - 1;
      submit();
      run(last_, std::vector<sched::Spot>(kSlots - done, {HostId{n}, {}}));
    });
    now = kBegin;
  }
  void end(std::size_t which) {
    std::uint32_t number = std::exchange(running[which], running.back());
    running.pop_back();
    Job job = *cluster.jobs.find(number);
    for (const Task& task : job.tasks) take(job, task, -1);
    cluster.jobs.erase(number);
  }
  // Ends the jobs that have reached their run limit.
  void end_late() {
    for (std::size_t i = running.size(); i-- > 0;) {
      const Job& job = *cluster.jobs.find(running[i]);
      if (job.times.started + job.spec().run_limit <= now) end(i);
    }
  }
  void carry_out(const sched::Plan& plan) {
    for (const auto& start : plan.starts) run(start.job.job, start.tasks);
    for (const auto& date : plan.promises) {
      Job& job = cluster.jobs.edit(date.job.job);
      job.waits.promised = date.at;
      job.waits.places = date.places;
    }
  }

  Cluster cluster;
  WallTime now = kBegin;
  std::vector<std::uint32_t> running;

 private:
  static JobSpec spec_of(std::uint32_t number) {
    JobSpec spec;
    std::uint32_t kind = number % kKinds;
    spec.owner.user = "user" + std::to_string(number % kUsers);
    spec.queue = kind == 2 ? "high" : "normal";
    spec.plan = kind < 3 ? "/a" : kind < 6 ? "/a/x" : "/b";
    spec.app = "training";
    spec.min_tasks = spec.max_tasks = 1 + kind % 3;
    if (kind % 2) spec.task.milli_gpus = 1000;
    if (kind == 8) spec.elastic = true, spec.max_tasks = 8;
    if (kind == 1) spec.min_tasks = spec.max_tasks = 1;
    spec.task.milli_cpus = 1000;
    spec.task.mem = Bytes{std::int64_t{kind} << 30};
    spec.run_limit = std::chrono::hours(1 + number % 23);
    return spec;
  }
  void submit(std::shared_ptr<const SealedSpec> sealed) {
    Job job;
    job.id = {last_, 0};
    job.sealed = std::move(sealed);
    cluster.jobs.set(last_, std::move(job));
  }
  void make_resizable(Job& job) {
    job.membership.in_place = true;
    job.membership.epoch = EpochNumber{1};
    for (const Task& task : job.tasks) job.membership.members.push_back(task.number);
  }
  void take(const Job& job, const Task& task, int sign) {
    Host& host = cluster.hosts.edit(task.host.value);
    const TaskRequest& asked = job.spec().task;
    host.used_slots += static_cast<std::uint32_t>(sign);
    host.used_milli_cpus += static_cast<std::uint32_t>(sign) * asked.milli_cpus;
    host.used_mem.value += sign * asked.mem.value;
    for (auto gpu : task.gpus)
      host.gpu_owners[gpu] = sign > 0 ? GpuOwner{job.id, task.number} : GpuOwner{};
  }

  std::uint32_t last_ = 0;
  std::uint32_t memories_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>,
           std::shared_ptr<const SealedSpec>>
      kinds_;
};

Site busy_site(std::uint32_t hosts, std::uint32_t pending, std::uint32_t memories = 1) {
  Site site(hosts, kGpus, memories);
  site.fill();
  for (std::uint32_t n = 0; n < pending; ++n) site.submit();
  return site;
}

double at_quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

// Passes that know nothing beforehand.
double rebuild_ms(const Site& site, int count) {
  std::vector<double> rebuilds;
  for (int i = 0; i < count; ++i)
    rebuilds.push_back(ms_of([&] { sched::schedule(site.cluster, {}, site.now); }));
  return at_quantile(rebuilds, 0.5);
}

// A few jobs end, a few come, a pass follows; so often.
std::vector<double> pass_ms(Site& site, int count, const sched::SchedPolicy& policy = {}) {
  std::mt19937 random(1);
  std::vector<double> passes;
  sched::Memory memory;
  site.carry_out(sched::schedule(site.cluster.freeze(), policy, site.now, memory));
  for (int i = 0; i < count; ++i) {
    site.now += std::chrono::seconds(1 + random() % 5);
    site.end_late();
    for (auto n = 1 + random() % 8; n > 0; --n) {
      site.end(random() % site.running.size());
      site.submit();
    }
    Cluster frozen = site.cluster.freeze();
    sched::Plan plan;
    passes.push_back(ms_of([&] { plan = sched::schedule(frozen, policy, site.now, memory); }));
    site.carry_out(plan);
  }
  return passes;
}

void time_passes(int count) {
  Site site = busy_site(10'000, 100'000);
  std::printf("sched_rebuild_10k_hosts_100k_pending_ms %.4g ms\n", rebuild_ms(site, 5));
  auto passes = pass_ms(site, count);
  std::printf("sched_pass_10k_hosts_100k_pending_p50_ms %.4g ms\n", at_quantile(passes, 0.5));
  std::printf("sched_pass_10k_hosts_100k_pending_p99_ms %.4g ms\n", at_quantile(passes, 0.99));
}

// Everybody who waits holds places, as far as a pass has time for it.
void time_conservative(int count) {
  sched::SchedPolicy policy;
  policy.backfill = Backfill::Conservative;
  for (std::uint32_t hosts : {100, 10'000}) {
    Site site = busy_site(hosts, 10 * hosts);
    auto passes = pass_ms(site, count, policy);
    std::uint64_t holding = 0;
    site.cluster.jobs.each([&](std::uint32_t, const Job& job) {
      if (!job.waits.places.empty() && job.state == JobState::Pending) ++holding;
    });
    std::string name = "sched_conservative_" + std::to_string(hosts) + "_hosts_";
    std::printf("%spass_p50_ms %.4g ms\n", name.c_str(), at_quantile(passes, 0.5));
    std::printf("%spass_p99_ms %.4g ms\n", name.c_str(), at_quantile(passes, 0.99));
    std::printf("%sholding %llu jobs\n", name.c_str(), static_cast<unsigned long long>(holding));
  }
}

JobSpec gpu_job(std::uint32_t tasks) {
  JobSpec spec;
  spec.owner.user = "ann";
  spec.queue = "normal";
  spec.app = "training";
  spec.min_tasks = spec.max_tasks = tasks;
  spec.task.milli_gpus = spec.task.milli_cpus = 1000;
  return spec;
}

// Jobs that ask for a thousand different things: what a pass and a submission cost then.
void time_varied(int count) {
  Site site = busy_site(10'000, 10'000, 100);
  std::printf("sched_rebuild_10k_hosts_1k_requests_ms %.4g ms\n", rebuild_ms(site, 3));
  auto passes = pass_ms(site, count);
  std::printf("sched_pass_10k_hosts_1k_requests_p99_ms %.4g ms\n", at_quantile(passes, 0.99));
  std::vector<double> checks;
  for (int i = 0; i < 101; ++i)
    checks.push_back(ms_of([&] {
      if (!sched::check_feasible_ever(site.cluster, gpu_job(2))) std::abort();
    }));
  std::printf("sched_submit_check_10k_hosts_ms %.4g ms\n", at_quantile(checks, 0.5));
}

void time_largest() {
  Site site = busy_site(100'000, 1'000'000);
  sched::SchedPolicy policy;
  policy.max_pending = 2'000'000;
  double took = ms_of([&] { sched::schedule(site.cluster, policy, site.now); });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("sched_rebuild_100k_hosts_1m_pending_s %.4g s\n", took / 1e3);
  std::printf("sched_rebuild_100k_hosts_1m_pending_rss_mb %.4g MB\n",
              static_cast<double>(usage.ru_maxrss) / 1024);
}

void time_gang() {
  std::vector<double> times;
  for (int i = 0; i < 11; ++i) {
    Site site(1000, 8);
    for (std::uint32_t n = 1; n <= 1000; ++n) {  // a part of every host is in use
      site.submit(gpu_job(1 + n % 7));
      std::vector<sched::Spot> spots;
      auto used = static_cast<std::uint16_t>(1 + n % 7);
      for (std::uint16_t gpu = 0; gpu < used; ++gpu) spots.push_back({HostId{n}, {gpu}});
      site.run(n, spots);
    }
    site.submit(gpu_job(1024));
    sched::Plan plan;
    times.push_back(ms_of([&] { plan = sched::schedule(site.cluster, {}, site.now); }));
    if (plan.starts.size() != 1) std::printf("place_gang_1024_gpus_failed 1 count\n");
  }
  std::printf("place_gang_1024_gpus_ms %.4g ms\n", at_quantile(times, 0.5));
}

// 64 jobs of five users hold all GPUs; one more job comes, and one of them leaves.
void time_rebalance() {
  std::vector<double> times;
  for (int i = 0; i < 11; ++i) {
    Site site(125, 8);
    std::uint32_t gpu = 0;
    for (std::uint32_t n = 0; n < 65; ++n) {
      JobSpec spec = gpu_job(1);
      spec.owner.user = "user" + std::to_string(n % 5);
      spec.elastic = true;
      spec.max_tasks = 1000;
      site.submit(spec);
      std::vector<sched::Spot> spots;
      for (std::uint32_t end = n == 64 ? gpu : (n + 1) * 1000 / 64; gpu < end; ++gpu)
        spots.push_back({HostId{gpu / 8 + 1}, {static_cast<std::uint16_t>(gpu % 8)}});
      if (n < 64) site.run(n + 1, spots);
    }
    sched::Plan plan;
    times.push_back(ms_of([&] { plan = sched::schedule(site.cluster, {}, site.now); }));
    if (plan.shrinks.empty()) std::printf("rebalance_64_jobs_1000_gpus_failed 1 count\n");
  }
  std::printf("rebalance_64_jobs_1000_gpus_ms %.4g ms\n", at_quantile(times, 0.5));
}

}  // namespace
}  // namespace wm

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  std::string only = argc > 1 ? argv[1] : "";
  auto wanted = [&](const char* name) { return only.empty() || only[0] == '-' || only == name; };
  int passes = argc > 2 ? std::atoi(argv[2]) : 300;
  if (wanted("pass")) wm::time_passes(passes);
  if (wanted("gang")) wm::time_gang();
  if (wanted("rebalance")) wm::time_rebalance();
  if (wanted("conservative")) wm::time_conservative(passes);
  if (wanted("varied")) wm::time_varied(passes);
  if (wanted("largest")) wm::time_largest();
}
