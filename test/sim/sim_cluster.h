// Role: a cluster in one process for simulations of the master: the real master core on a
// simulated env, hosts, a client; what must hold at the end. Used by test/sim.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "daemons/wmasterd/state/core.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/conf/load.h"
#include "libwm/model/verbs/verbs.h"
#include "test/support/sim_host.h"

namespace wm::test {

/// Submits jobs, each until it is acknowledged, always with the job's own request key.
class SimClient final : public SimPeer {
 public:
  SimClient(Sim& sim, SimNet& net) : sim_(sim), net_(net) {}
  std::function<void(PeerId, std::uint16_t, const std::string&)> to_master;
  std::map<std::string, JobId> acknowledged;  // by request key
  std::set<std::string> refused;

  /// `then` is told its number when it is acknowledged.
  void submit(const JobSpec& spec, std::function<void(JobId)> then = nullptr) {
    auto key = new_key();
    waiting_[key] = {Verb::Submit,
                     codec::encode(SubmitRequest{key, codec::encode(spec), "1001", "", "A=1"}),
                     std::move(then)};
    send(key);
  }
  /// Any other write, until it is answered; refused is answered, too.
  template <class Request>
  void ask(Verb verb, Request request) {
    request.request_key = new_key();
    waiting_[request.request_key] = {verb, codec::encode(request), nullptr};
    send(request.request_key);
  }
  bool idle() const { return waiting_.empty(); }

  void on_frame(std::uint16_t type, const std::string& payload) override {
    if (asked_.empty()) return;
    auto key = asked_;
    asked_.clear();
    bool failed = type == static_cast<std::uint16_t>(Verb::Failed);
    bool again =
        failed && codec::decode<VerbError>(payload)->code == static_cast<std::uint8_t>(Code::Store);
    if (!again) answered(key, failed, payload);
    next();
  }
  void on_closed() override {
    peer_ = {};
    asked_.clear();
    sim_.after(sim_.between(20, 200), [this] { next(); });
  }

 private:
  struct Wish {
    Verb verb{};
    std::string request;
    std::function<void(JobId)> then;
  };
  std::string new_key() {
    std::string key = "key-" + std::to_string(next_++);
    key.resize(16, '.');
    return key;
  }
  void answered(const std::string& key, bool failed, const std::string& payload) {
    auto wish = std::move(waiting_[key]);
    waiting_.erase(key);
    if (wish.verb != Verb::Submit) return;
    if (failed) return void(refused.insert(key + codec::decode<VerbError>(payload)->text));
    acknowledged[key] = codec::decode<SubmitReply>(payload)->job;
    if (wish.then) wish.then(acknowledged[key]);
  }
  void next() {
    if (!waiting_.empty() && asked_.empty()) send(waiting_.begin()->first);
  }
  void send(const std::string& key) {
    if (!asked_.empty()) return;
    if (!net_.master) {
      sim_.after(sim_.between(50, 200), [this] { next(); });
      return;
    }
    if (!peer_) peer_ = net_.master->connect(*this);
    asked_ = key;
    auto verb = static_cast<std::uint16_t>(waiting_[key].verb);
    auto request = waiting_[key].request;
    auto* master = net_.master;
    auto peer = peer_;
    sim_.after(sim_.between(1, 5), [this, master, peer, verb, request] {
      if (net_.master != master) return;
      master->when_running([=, this] {
        if (net_.master == master && master->is_connected(peer)) to_master(peer, verb, request);
      });
    });
    // a reply that never comes: the command gives up waiting and asks again
    sim_.after(std::chrono::seconds(2), [this, key] {
      if (asked_ != key) return;
      if (peer_ && net_.master) net_.master->cut(peer_);
    });
  }
  Sim& sim_;
  SimNet& net_;
  PeerId peer_;
  std::map<std::string, Wish> waiting_;
  std::string asked_;
  int next_ = 0;
};

/// A cluster in one process: the master lives and dies, hosts and client go on.
class SimCluster {
 public:
  explicit SimCluster(std::uint64_t seed, bool preempting = false) : sim(seed), client(sim, net) {
    static const bool quiet = (log::open("sim", "", log::Level::Error), true);
    static_cast<void>(quiet);
    config = *conf::parse({});
    config.hosts.clear();
    if (preempting) add_queues();
    for (int i = 1; i <= 4; ++i)
      hosts.push_back(std::make_unique<SimHost>(sim, net, "n" + std::to_string(i), 2, 1));
    net.to_master_from_host = [this](PeerId p, std::uint16_t t, const std::string& b) {
      guarded([&] { core->hosts().on_frame(p, t, b); });
    };
    net.host_left = [this](PeerId p) {
      if (core) guarded([&] { core->hosts().on_left(p); });
    };
    client.to_master = [this](PeerId p, std::uint16_t t, const std::string& b) {
      guarded([&] { core->clients().on_frame(p, {{1001, 1001, "u1001"}, {}, {}}, t, b); });
    };
    start_master();
    for (auto& host : hosts) host->start();
  }

  ~SimCluster() {
    net.master = nullptr;
    core.reset();
    env.reset();
  }

  // "first" takes the places of "giving", which comes after everything else.
  void add_queues() {
    QueueConf first, giving;
    first.name = "first";
    first.priority = 90;
    first.preempts = {"lower"};
    giving.name = "giving";
    giving.priority = 10;
    giving.preempt_by = PreemptBy::Requeue;
    giving.preempt_grace = std::chrono::seconds(2);
    config.queues.insert(config.queues.begin(), {first, giving});
    std::sort(config.queues.begin(), config.queues.end(),
              [](const QueueConf& a, const QueueConf& b) { return a.name < b.name; });
  }

  void start_master() {
    env = std::make_unique<SimEnv>(sim, disk, config);
    if (on_world) on_world(*env);
    if (crash_at)
      env->on_call = [this](std::uint64_t call) {
        if (call == crash_at) crash_at = 0, crash_soon();
      };
    core = std::make_unique<master::Core>(
        *env, master::Rights{{0}}, [](const AcctRequest&) { return HistoryReply{}; },
        [](const std::vector<Event>&, const Cluster&) {});
    ASSERT_TRUE(core->start());
    net.master = env.get();
  }
  /// kill -9: everything in memory is gone, timers and messages too.
  void crash() {
    if (!core) return;
    net.master = nullptr;
    auto dying = std::move(env);
    core.reset();
    dying.reset();
    sim.after(sim.between(100, 3000), [this] { start_master(); });
  }
  void crash_soon() {
    sim.after(Duration{}, [this] { crash(); });
  }

  template <class Act>
  void guarded(Act act) {
    if (core) act();
  }

  const Cluster& state() const { return core->journal().published(); }

  Sim sim;
  SimDisk disk;
  SimNet net;
  Config config;
  SimClient client;
  std::vector<std::unique_ptr<SimHost>> hosts;
  std::unique_ptr<SimEnv> env;
  std::unique_ptr<master::Core> core;
  std::uint64_t crash_at = 0;
  std::function<void(SimEnv&)> on_world;  // of every master that starts
};

inline JobSpec random_spec(Sim& sim) {
  JobSpec spec;
  spec.program.command = "work";
  spec.program.env_hash = SimEnv(sim, *std::make_unique<SimDisk>(), {}).hash("A=1");
  spec.rerunnable = true;
  switch (sim.pick(4)) {
    case 0: spec.max_tasks = spec.min_tasks = 1 + sim.pick(4); break;
    case 1:
      spec.app = "training";
      spec.elastic = true;
      spec.max_tasks = 1 + sim.pick(4);
      break;
    case 2:
      spec.array = {{1, 1 + sim.pick(5), 1}};
      spec.array_limit = sim.pick(3);
      break;
    default: spec.app = "training"; spec.min_tasks = spec.max_tasks = 1 + sim.pick(3);
  }
  return spec;
}

// Every job that a client was told of is over, and what hosts are said to hold is nothing.
inline void expect_all_done(SimCluster& c) {
  ASSERT_TRUE(c.core);
  EXPECT_TRUE(c.client.idle());
  EXPECT_TRUE(c.client.refused.empty()) << *c.client.refused.begin();
  EXPECT_EQ(c.net.violations, std::vector<std::string>{});
  std::set<JobId> ids;
  for (const auto& [key, id] : c.client.acknowledged)
    EXPECT_TRUE(ids.insert(id).second) << "one id for two jobs";
  std::size_t jobs = 0;
  c.state().jobs.each([&](std::uint32_t, const Job&) { ++jobs; });
  EXPECT_EQ(jobs, c.client.acknowledged.size()) << "a retry made a second job, or one was lost";
  each_job(c.state(), [&](const Job& job) {
    EXPECT_TRUE(is_over(job.state)) << to_string(job.id) << " is " << state_name(job.state);
  });
  c.state().jobs.each([&](std::uint32_t, const Job& base) {
    for (std::uint32_t p = 0; p < elements_there(base); ++p)
      EXPECT_NE(c.state().elements.find(base.elements.first + p), nullptr) << "element never ran";
  });
  c.state().hosts.each(
      [&](std::uint32_t, const Host& host) { EXPECT_EQ(host.used_slots, 0u) << host.name; });
  for (const auto& host : c.hosts) EXPECT_EQ(host->running_tasks(), 0u);
}

inline void expect_replay_equal(SimCluster& c) {
  Cluster again;
  for (const auto& event : c.disk.events)
    if (fsm::check(again, event.body)) fsm::apply(again, event);
  EXPECT_EQ(codec::encode(again), codec::encode(c.state()));
  auto sound = fsm::check_invariants(again);
  EXPECT_TRUE(sound) << sound.error().text;
}

inline void live(SimCluster& c, int jobs) {
  for (int i = 0; i < jobs; ++i)
    c.sim.after(c.sim.between(4000, 9000), [&c] { c.client.submit(random_spec(c.sim)); });
  c.sim.run(std::chrono::seconds(600));
}

}  // namespace wm::test
