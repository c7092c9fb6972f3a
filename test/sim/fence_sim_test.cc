// Fencing on a simulated cluster: hosts are cut off and run on, lose their power, come back;
// the fence command switches them off, or fails, or is too late. Never do two attempts of a
// job run at once, and no job stays unknown for ever.
#include "test/sim/sim_cluster.h"

namespace wm {
namespace {

using test::SimCluster;
using test::SimHost;

struct FencedCluster : SimCluster {
  std::uint64_t fenced = 0, refused = 0;
  bool refusing = false;  // every time

  explicit FencedCluster(std::uint64_t seed) : SimCluster(seed) {
    config.cluster.fence_command = "fence --off";
    config.cluster.times.fence_retry = std::chrono::seconds(5);
    config.cluster.times.fence_after = std::chrono::seconds(1);
    on_world = [this](test::SimEnv& env) {
      env.on_command = [this](const std::vector<std::string>& words) { return fence(words); };
    };
    crash();  // a new master with this configuration, before anything has happened
    sim.run(sim.now() + std::chrono::seconds(4));
  }

  Result<std::string> fence(const std::vector<std::string>& words) {
    EXPECT_EQ(words.size(), 3u);
    if (refusing || sim.once_in(4)) {
      ++refused;
      return fail(Code::System, "fence ended with status 1: no answer");
    }
    auto& host = host_named(words.back());
    host.power_off();
    ++fenced;
    sim.after(sim.between(500, 20000), [&host] {
      host.rejoin();
      host.power_on();
    });
    return std::string("off");
  }
  SimHost& host_named(const std::string& name) { return *hosts.at(name.back() - '1'); }

  // Cut off for longer than it takes to be called silent, mostly.
  void trouble() {
    auto& host = *hosts[sim.pick(4)];
    if (sim.once_in(4)) {
      host.power_off();
      sim.after(sim.between(1000, 60000), [&host] { host.power_on(); });
    } else {
      host.isolate();
      sim.after(sim.between(1000, 60000), [&host] { host.rejoin(); });
    }
  }
};

TEST(fence_sim, no_two_attempts_at_once_and_nothing_unknown_for_ever) {
  std::uint64_t fenced = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    FencedCluster c(seed);
    for (int i = 0; i < 4; ++i) c.sim.after(c.sim.between(3500, 20000), [&c] { c.trouble(); });
    if (seed % 3 == 0) c.sim.after(c.sim.between(5000, 40000), [&c] { c.crash(); });
    live(c, 8);
    expect_all_done(c);
    expect_replay_equal(c);
    fenced += c.fenced;
    refused += c.refused;
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(fenced, 100u) << "the simulation must fence";
  EXPECT_GT(refused, 20u) << "and fail to";
}

TEST(fence_sim, every_step_is_an_event) {
  FencedCluster c(7);
  c.sim.after(std::chrono::seconds(9), [&c] { c.client.submit(random_spec(c.sim)); });
  JobSpec wide;
  wide.program.command = "work";
  wide.program.env_hash = c.env->hash("A=1");
  wide.rerunnable = true;
  wide.min_tasks = wide.max_tasks = 8;
  c.client.submit(wide);
  c.sim.run(c.sim.now() + std::chrono::milliseconds(500));
  c.refusing = true;
  for (auto& host : c.hosts) host->isolate();
  c.sim.run(c.sim.now() + std::chrono::seconds(20));
  c.refusing = false;
  c.sim.run(c.sim.now() + std::chrono::seconds(120));
  std::set<std::string_view> seen;
  for (const auto& event : c.disk.events) seen.insert(event_name(event.body));
  for (auto name : {"host_silent", "host_fence_began", "host_fence_failed", "host_died"})
    EXPECT_TRUE(seen.count(name)) << name;
  for (const auto& event : c.disk.events) {
    if (auto* died = std::get_if<HostDied>(&event.body)) {
      EXPECT_EQ(died->by, "fence_command");
      EXPECT_EQ(died->why, "off");
    }
  }
}

TEST(fence_sim, off_by_default) {
  SimCluster c(3);
  c.sim.run(std::chrono::seconds(4));
  c.env->on_command = [](const std::vector<std::string>&) -> Result<std::string> {
    ADD_FAILURE() << "nothing is to be run";
    return std::string();
  };
  for (auto& host : c.hosts) host->isolate();
  c.sim.run(std::chrono::seconds(60));
}

}  // namespace
}  // namespace wm
