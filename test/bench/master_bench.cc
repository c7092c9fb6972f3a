// Role: what the master's loop costs, with the real core and simulated peers. `name value unit`.
//   register_1000_hosts_20k_jobs_ms   a master restarts with 20,000 running jobs: reading its
//                                     snapshot, and its loop's time until all hosts are ok and
//                                     have their orders (passes of the scheduler are not in it)
//   bsub_10k_hosts_us                 admission of one job with 10,000 hosts (median)
//   loop_longest_turn_ms              of any turn, over 10,000 submits in ten seconds with 100
//                                     queries a second and the heartbeats of 1,000 hosts
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>

#include "daemons/wmasterd/state/core.h"
#include "daemons/wmasterd/verbs/admission.h"
#include "libwm/base/log.h"
#include "test/bench/master_rig.h"

namespace wm::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kHosts = 1000;

class Maker {
 public:
  explicit Maker(const Config& config) {
    step(ConfigLoaded{std::make_shared<const Config>(config)});
    for (std::uint32_t n = 1; n <= config.hosts.size(); ++n)
      step(HostRegistered{HostId{n}, name_of(n), "127.0.0.1", "boot", "LINUX", "x86", capacity()});
  }
  void run_everywhere() {
    for (std::uint32_t n = 1; n <= kHosts * kSlots; ++n) {
      JobId id{n, 0};
      step(JobSubmitted{id, test::SpecBuilder().sealed()});
      Task task{TaskNumber{1}, HostId{1 + n % kHosts}};
      task.has_process = true;
      step(JobDispatched{id, Attempt{1}, {task}, std::string(32, 'k')});
      step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 1000});
    }
  }
  Cluster state;

 private:
  void step(const EventBody& body) {
    fsm::apply(state, {Seq{state.seq.value + 1}, test::at(0), body});
  }
};

void registration() {
  auto config = config_with(kHosts);
  Maker past(config);
  past.run_everywhere();
  Rig rig(config);
  rig.env.loaded.snapshot = codec::encode(past.state);
  double start = timed_us([&] { rig.start(); });
  for (std::uint32_t n = 1; n <= kHosts; ++n) {
    std::vector<AttemptStatus> attempts;
    each_job_on(past.state, HostId{n}, [&](const Job& job) {
      attempts.push_back({job.id, job.attempt, {{TaskNumber{1}, 1000}}, ""});
    });
    rig.enrol(n, attempts, false);
  }
  rig.env.run(seconds(2));
  std::fprintf(stderr, "# start %.4g ms, %zu orders\n", start / 1e3, rig.orders);
  print("register_1000_hosts_20k_jobs_ms", (start + sum(rig.env.turns_us)) / 1e3, "ms");
}

void admission() {
  Maker many(config_with(10000));
  std::vector<double> times;
  for (int i = 0; i < 2000; ++i) {
    test::SpecBuilder asked;
    if (i % 2) asked.spec.asked.select = "mem>1000";
    times.push_back(timed_us([&] {
      auto made = master::admit(many.state, asked.spec, test::at(0));
      if (!made) std::fprintf(stderr, "refused: %s\n", made.error().text.c_str());
    }));
  }
  std::ranges::sort(times);
  print("bsub_10k_hosts_us", times[times.size() / 2], "us");
}

void longest_turn() {
  Rig rig(config_with(kHosts));
  rig.start();
  for (std::uint32_t n = 1; n <= kHosts; ++n) rig.enrol(n, {}, true);
  rig.env.run(seconds(1));
  for (std::size_t n = 0; n < rig.peers.size(); ++n)
    rig.env.env(milliseconds(n), [&rig, n] { rig.beat(n); });
  rig.env.turns_us.clear();
  std::size_t submitted = 0, answered = 0;
  PeerId client = rig.env.connect([&](std::uint16_t type, const std::string&) {
    ++(type == static_cast<std::uint16_t>(Verb::Submit) ? submitted : answered);
  });
  for (std::uint32_t n = 0; n < 10000; ++n) submit(rig, client, n);
  for (std::uint32_t n = 0; n < 1000; ++n) {
    JobsRequest jobs;
    jobs.jobs.user = "all";
    if (n % 2) ask(rig, client, Verb::Jobs, codec::encode(jobs), milliseconds(10 * n));
    else ask(rig, client, Verb::Hosts, codec::encode(HostsRequest{}), milliseconds(10 * n));
  }
  rig.env.run(rig.env.now() + seconds(15));
  auto turns = rig.env.turns_us;
  std::ranges::sort(turns);
  std::fprintf(stderr, "# %zu turns, %zu submitted, %zu answered, 99.9 %%: %.4g ms, all: %.4g s\n",
               turns.size(), submitted, answered, turns[turns.size() * 999 / 1000] / 1e3,
               sum(turns) / 1e6);
  print("loop_longest_turn_ms", turns.back() / 1e3, "ms");
}

}  // namespace
}  // namespace wm::bench

int main() {
  wm::log::open("bench", "", wm::log::Level::Error);
  wm::bench::admission();
  wm::bench::registration();
  wm::bench::longest_turn();
}
