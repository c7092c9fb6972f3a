// Role: a master in one process for benchmarks of its loop: the real core on a TurnsEnv, with
// hosts that start what they are told. Shared by the benchmarks of the master.
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "daemons/wmasterd/state/core.h"
#include "libwm/codec/codec.h"
#include "test/bench/turns_env.h"

namespace wm::bench {

constexpr std::uint32_t kSlots = 20;

inline std::string name_of(std::uint32_t host) { return "h" + std::to_string(host); }

inline Capacity capacity() { return {kSlots, kSlots * 1000, Bytes{std::int64_t{64} << 30}, {}}; }

inline Config config_with(std::uint32_t hosts) {
  Config config = test::ClusterBuilder().config;
  config.cluster.log_level = "error";
  config.hosts.clear();
  for (std::uint32_t n = 1; n <= hosts; ++n) {
    HostConf host;
    host.name = name_of(n);
    config.hosts.push_back(host);
  }
  std::ranges::sort(config.hosts, {}, &HostConf::name);
  return config;
}

/// A master with its hosts, which start what they are told and say that it ended 3 s later.
struct Rig {
  explicit Rig(const Config& config) : env(config) {}
  void start() {
    core = std::make_unique<master::Core>(
        env, master::Rights{{0}}, [](const AcctRequest&) { return HistoryReply{}; },
        [](const std::vector<Event>&, const Cluster&) {});
    if (auto started = core->start(); !started) std::fprintf(stderr, "not started\n");
  }
  void say(PeerId peer, NodeVerb verb, std::string bytes, Duration delay = {}) {
    env.arrive(delay, [this, peer, verb, bytes = std::move(bytes)] {
      core->hosts().on_frame(peer, static_cast<std::uint16_t>(verb), bytes);
    });
  }
  void fact(PeerId peer, Fact fact, Duration delay) {
    say(peer, NodeVerb::Fact, codec::encode(HostFact{++facts, std::move(fact)}), delay);
  }
  void enrol(std::uint32_t n, const std::vector<AttemptStatus>& attempts, bool obeys) {
    auto peer = std::make_shared<PeerId>();
    *peer = env.connect([this, peer, obeys](std::uint16_t type, const std::string& payload) {
      sent_bytes += payload.size();
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
      if (!begun.insert({order.job, order.attempt, task.task}).second) continue;
      auto begins = std::chrono::milliseconds(1) + task.task.value * apart;
      fact(peer, FactStarted{order.job, order.attempt, task.task, 1000}, begins);
      if (!ends) continue;
      fact(peer, FactEnded{order.job, order.attempt, task.task, 0, Term::None, {}, "", {}},
           begins + std::chrono::seconds(3));
    }
  }
  void beat(std::size_t host) {
    say(peers[host], NodeVerb::Heartbeat, codec::encode(HostHeartbeat{}));
    env.env(std::chrono::seconds(1), [this, host] { beat(host); });
  }

  TurnsEnv env;
  std::unique_ptr<master::Core> core;
  std::vector<PeerId> peers;
  std::set<std::tuple<JobId, Attempt, TaskNumber>> begun;
  bool ends = true;  ///< what has started ends 3 s later
  Duration apart{};  ///< between the starts of a job's tasks
  std::size_t sent_bytes = 0;
  std::uint64_t facts = 0;
  std::size_t orders = 0;
};

inline double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

inline void ask(Rig& rig, PeerId client, Verb verb, std::string bytes, Duration delay) {
  rig.env.arrive(delay, [&rig, client, verb, bytes = std::move(bytes)] {
    rig.core->clients().on_frame(client, {{1001, 1001, "u1"}, {}, {}},
                                 static_cast<std::uint16_t>(verb), bytes);
  });
}

inline void submit(Rig& rig, PeerId client, std::uint32_t n, test::SpecBuilder spec = {}) {
  spec.spec.program.env_hash = rig.env.hash("A=1");
  auto key = std::to_string(n);
  key.resize(16, '.');
  SubmitRequest request{key, codec::encode(spec.spec), "1001", "", "A=1"};
  ask(rig, client, Verb::Submit, codec::encode(request), std::chrono::milliseconds(n));
}

inline void print(const char* name, double value, const char* unit) {
  std::printf("%s %.4g %s\n", name, value, unit);
  std::fflush(stdout);
}

}  // namespace wm::bench
