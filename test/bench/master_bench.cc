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
#include "libwm/codec/codec.h"
#include "test/bench/turns_world.h"

namespace wm::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kHosts = 1000, kSlots = 20;

std::string name_of(std::uint32_t host) { return "h" + std::to_string(host); }

Capacity capacity() { return {kSlots, kSlots * 1000, Bytes{std::int64_t{64} << 30}, {}}; }

Config config_with(std::uint32_t hosts) {
  Config config = test::ClusterBuilder().config;
  config.hosts.clear();
  for (std::uint32_t n = 1; n <= hosts; ++n) {
    HostConf host;
    host.name = name_of(n);
    config.hosts.push_back(host);
  }
  std::ranges::sort(config.hosts, {}, &HostConf::name);
  return config;
}

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

/// A master with its hosts, which start what they are told and say that it ended 3 s later.
struct Rig {
  explicit Rig(const Config& config) : world(config) {}
  void start() {
    core = std::make_unique<master::Core>(
        world, master::Rights{{0}}, [](const AcctRequest&) { return HistoryReply{}; },
        [](const std::vector<Event>&, const Cluster&) {});
    if (auto started = core->start(); !started) std::fprintf(stderr, "not started\n");
  }
  void say(PeerId peer, NodeVerb verb, std::string bytes, Duration delay = {}) {
    world.arrive(delay, [this, peer, verb, bytes = std::move(bytes)] {
      core->hosts().on_frame(peer, static_cast<std::uint16_t>(verb), bytes);
    });
  }
  void fact(PeerId peer, Fact fact, Duration delay) {
    say(peer, NodeVerb::Fact, codec::encode(HostFact{++facts, std::move(fact)}), delay);
  }
  void enrol(std::uint32_t n, const std::vector<AttemptStatus>& attempts, bool obeys) {
    auto peer = std::make_shared<PeerId>();
    *peer = world.connect([this, peer, obeys](std::uint16_t type, const std::string& payload) {
      if (type != static_cast<std::uint16_t>(NodeVerb::Order)) return;
      ++orders;
      if (obeys) obey(*peer, *codec::decode<HostOrder>(payload));
    });
    peers.push_back(*peer);
    HostRegister words;
    words.name = name_of(n);
    words.address = "127.0.0.1";
    words.boot = "boot";
    words.capacity = capacity();
    words.attempts = attempts;
    say(*peer, NodeVerb::Register, codec::encode(words), std::chrono::microseconds(n * 300));
  }
  void obey(PeerId peer, const HostOrder& order) {
    for (const auto& task : order.tasks) {
      if (!begun.insert({order.job, order.attempt}).second) continue;
      fact(peer, FactStarted{order.job, order.attempt, task.task, 1000}, milliseconds(1));
      fact(peer, FactEnded{order.job, order.attempt, task.task, 0, Term::None, {}, "", {}},
           seconds(3));
    }
  }
  void beat(std::size_t host) {
    say(peers[host], NodeVerb::Heartbeat, codec::encode(HostHeartbeat{}));
    world.outside(seconds(1), [this, host] { beat(host); });
  }

  TurnsWorld world;
  std::unique_ptr<master::Core> core;
  std::vector<PeerId> peers;
  std::set<std::pair<JobId, Attempt>> begun;
  std::uint64_t facts = 0;
  std::size_t orders = 0;
};

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void print(const char* name, double value, const char* unit) {
  std::printf("%s %.4g %s\n", name, value, unit);
  std::fflush(stdout);
}

void registration() {
  auto config = config_with(kHosts);
  Maker past(config);
  past.run_everywhere();
  Rig rig(config);
  rig.world.loaded.snapshot = codec::encode(past.state);
  double start = TurnsWorld::timed_us([&] { rig.start(); });
  for (std::uint32_t n = 1; n <= kHosts; ++n) {
    std::vector<AttemptStatus> attempts;
    each_job_on(past.state, HostId{n}, [&](const Job& job) {
      attempts.push_back({job.id, job.attempt, {{TaskNumber{1}, 1000}}, ""});
    });
    rig.enrol(n, attempts, false);
  }
  rig.world.run(seconds(2));
  std::fprintf(stderr, "# start %.4g ms, %zu orders\n", start / 1e3, rig.orders);
  print("register_1000_hosts_20k_jobs_ms", (start + sum(rig.world.turns_us)) / 1e3, "ms");
}

void admission() {
  Maker many(config_with(10000));
  std::vector<double> times;
  for (int i = 0; i < 2000; ++i) {
    test::SpecBuilder asked;
    if (i % 2) asked.spec.asked.select = "mem>1000";
    times.push_back(TurnsWorld::timed_us([&] {
      auto made = master::admit(many.state, asked.spec, test::at(0));
      if (!made) std::fprintf(stderr, "refused: %s\n", made.error().text.c_str());
    }));
  }
  std::ranges::sort(times);
  print("bsub_10k_hosts_us", times[times.size() / 2], "us");
}

void ask(Rig& rig, PeerId client, Verb verb, std::string bytes, Duration delay) {
  rig.world.arrive(delay, [&rig, client, verb, bytes = std::move(bytes)] {
    rig.core->clients().on_frame(client, {{1001, 1001, "u1"}, {}, {}},
                                 static_cast<std::uint16_t>(verb), bytes);
  });
}

void submit(Rig& rig, PeerId client, std::uint32_t n) {
  test::SpecBuilder spec;
  spec.spec.program.env_hash = rig.world.hash("A=1");
  auto key = std::to_string(n);
  key.resize(16, '.');
  SubmitRequest request{key, codec::encode(spec.spec), "1001", "", "A=1"};
  ask(rig, client, Verb::Submit, codec::encode(request), std::chrono::milliseconds(n));
}

void longest_turn() {
  Rig rig(config_with(kHosts));
  rig.start();
  for (std::uint32_t n = 1; n <= kHosts; ++n) rig.enrol(n, {}, true);
  rig.world.run(seconds(1));
  for (std::size_t n = 0; n < rig.peers.size(); ++n)
    rig.world.outside(milliseconds(n), [&rig, n] { rig.beat(n); });
  rig.world.turns_us.clear();
  std::size_t submitted = 0, answered = 0;
  PeerId client = rig.world.connect([&](std::uint16_t type, const std::string&) {
    ++(type == static_cast<std::uint16_t>(Verb::Submit) ? submitted : answered);
  });
  for (std::uint32_t n = 0; n < 10000; ++n) submit(rig, client, n);
  for (std::uint32_t n = 0; n < 1000; ++n) {
    JobsRequest jobs;
    jobs.jobs.user = "all";
    if (n % 2) ask(rig, client, Verb::Jobs, codec::encode(jobs), milliseconds(10 * n));
    else ask(rig, client, Verb::Hosts, codec::encode(HostsRequest{}), milliseconds(10 * n));
  }
  rig.world.run(rig.world.now() + seconds(15));
  auto turns = rig.world.turns_us;
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
