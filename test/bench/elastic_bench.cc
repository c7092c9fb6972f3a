// Latency of membership changes with real agents on two hosts and fake workers: what the agents
// add to a resize, without PyTorch; and what the lead of a large job costs. Prints `name value
// unit` lines.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "libwm/elastic/lead.h"
#include "test/support/elastic_rig.h"

namespace {

using Tasks = std::vector<std::uint32_t>;
using wm::test::ElasticRig;
constexpr int kRounds = 50;

double now_ms() {
  auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(t).count();
}

void print(const char* name, std::vector<double> values) {
  std::ranges::sort(values);
  std::printf("%s %.2f ms\n", name, values[values.size() / 2]);
}

/// Time until every member of the epoch after `before` has switched.
double until_formed(ElasticRig& rig, wm::EpochNumber before, std::size_t world) {
  double start = now_ms();
  rig.run_until(
      [&] { return rig.formed().epoch > before && rig.formed().members.size() == world; });
  return now_ms() - start;
}

double cpu_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// A lead of 4096 tasks, eight a host, in virtual time.
class LargeJob {
 public:
  LargeJob() {
    order_.lead = wm::LeadNumber{1};
    order_.lead_host = wm::HostId{1};
    order_.start_window = std::chrono::seconds(2);
    order_.connect_limit = std::chrono::seconds(60);
    order_.hang_limit = std::chrono::seconds(30);
    for (std::uint32_t t = 1; t <= kTasks; ++t)
      order_.tasks.push_back({wm::TaskNumber{t}, host_of(t), false});
    lead_.emplace(order_, now_);
    for (std::uint32_t h = 1; h <= kTasks / kPerHost; ++h)
      lead_->on(wm::elastic::FromAgent{wm::HostId{h},
                                       wm::AgentStatus{wm::HostId{h}, {}, {}, {}, {}, {}, {}}},
                now_);
    all_say(wm::WorkerReady{"10.0.0.1:9"});
    all_say(wm::WorkerConnected{wm::EpochNumber{1}});
    all_say(wm::WorkerSwitched{wm::EpochNumber{1}, 0, {}, true});
  }
  bool trains() const { return lead_->current().members.size() == kTasks; }

  /// A second with one report of each task: in ten parts, as they come.
  void second(std::uint64_t step) {
    wm::WorkerProgress progress;
    progress.epoch = wm::EpochNumber{1};
    progress.step = step;
    for (std::uint32_t part = 0; part < 10; ++part) {
      now_ += std::chrono::milliseconds(100);
      if (part % 2 == 0) beat();
      for (std::uint32_t t = 1 + part; t <= kTasks; t += 10) say(t, progress);
      lead_->on(wm::elastic::Tick{}, now_);
    }
  }

 private:
  static constexpr std::uint32_t kTasks = 4096, kPerHost = 8;
  static wm::HostId host_of(std::uint32_t task) { return wm::HostId{1 + (task - 1) / kPerHost}; }
  void say(std::uint32_t task, const wm::FromWorker& words) {
    lead_->on(wm::elastic::FromAgent{host_of(task), wm::WorkerSaid{wm::TaskNumber{task}, words}},
              now_);
  }
  void all_say(const wm::FromWorker& words) {
    for (std::uint32_t t = 1; t <= kTasks; ++t) say(t, words);
    now_ += std::chrono::milliseconds(100);
    lead_->on(wm::elastic::Tick{}, now_);
  }
  void beat() {
    lead_->on(wm::NodeHeartbeat{wm::MasterSeen::Heard}, now_);
    for (std::uint32_t h = 1; h <= kTasks / kPerHost; ++h)
      lead_->on(wm::elastic::FromAgent{wm::HostId{h}, wm::Heartbeat{order_.lead}}, now_);
  }

  wm::TimePoint now_{std::chrono::hours(1)};
  wm::AgentOrder order_;
  std::optional<wm::elastic::Lead> lead_;
};

void measure_lead() {
  double start = cpu_seconds();
  LargeJob job;
  std::printf("lead_4096_tasks_start_s %.2f s\n", cpu_seconds() - start);
  if (!job.trains()) return void(std::fprintf(stderr, "the large job does not train\n"));
  constexpr int kSeconds = 5;
  start = cpu_seconds();
  for (int second = 1; second <= kSeconds; ++second)
    job.second(static_cast<std::uint64_t>(second) * 10);
  std::printf("lead_4096_tasks_cpu_percent %.2f percent\n",
              (cpu_seconds() - start) * 100 / kSeconds);
}

}  // namespace

int main() {
  measure_lead();
  ElasticRig rig(2);
  rig.run_until([&] { return rig.agents_up(); });
  rig.order(1, 1, {1});
  rig.start_worker(1);
  rig.run_until([&] { return rig.formed().members.size() == 1; });
  std::vector<double> grow, shrink, kill;
  std::uint32_t next = 2;
  for (int i = 0; i < kRounds; ++i) {
    std::uint32_t task = next;
    next += 2;  // always on host 2
    auto before = rig.formed().epoch;
    rig.order(1, 1, {1, task});
    rig.start_worker(task);
    grow.push_back(until_formed(rig, before, 2));
    before = rig.formed().epoch;
    if (i % 2 == 0) {
      rig.order(1, 1, {1, task}, {task});
      shrink.push_back(until_formed(rig, before, 1));
    } else {
      rig.kill_worker(task);
      kill.push_back(until_formed(rig, before, 1));
    }
  }
  print("elastic_agents_grow_ms", grow);
  print("elastic_agents_shrink_ms", shrink);
  print("elastic_agents_kill_ms", kill);
  return 0;
}
