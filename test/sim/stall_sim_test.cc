// The master stands still for a while, by SIGSTOP or on a disk that hangs, and goes on. What its
// hosts said meanwhile is still unread: none of them is to blame.
#include "test/sim/sim_cluster.h"

namespace wm {
namespace {

using test::SimCluster;

/// A cluster that switches silent hosts off at once.
struct StalledCluster : SimCluster {
  int fenced = 0;

  explicit StalledCluster(std::uint64_t seed) : SimCluster(seed) {
    config.cluster.fence_command = "fence --off";
    config.cluster.times.fence_after = {};
    on_world = [this](test::SimEnv& made) {
      made.on_command = [this](const std::vector<std::string>&) {
        ++fenced;
        return Result<std::string>("off");
      };
    };
    crash();  // a new master with this configuration, before anything has happened
    sim.run(sim.now() + std::chrono::seconds(15));
  }
  std::size_t events(std::string_view name) const {
    return static_cast<std::size_t>(
        std::count_if(disk.events.begin(), disk.events.end(),
                      [&](const Event& event) { return event_name(event.body) == name; }));
  }
  test::SimHost* busy() const {
    for (const auto& host : hosts)
      if (host->running_tasks() > 0) return host.get();
    return nullptr;
  }
};

TEST(stall_sim, a_master_that_stood_still_for_a_minute_blames_no_host) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    StalledCluster c(seed);
    c.sim.after(c.sim.between(1000, 6000), [&c] { c.env->stall(std::chrono::seconds(60)); });
    for (int i = 0; i < 8; ++i)
      c.sim.after(c.sim.between(0, 5000), [&c] { c.client.submit(random_spec(c.sim)); });
    c.sim.run(std::chrono::seconds(600));
    expect_all_done(c);
    expect_replay_equal(c);
    EXPECT_EQ(c.events("host_silent"), 0u);
    EXPECT_EQ(c.fenced, 0);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(stall_sim, a_host_that_falls_silent_after_a_stall_is_found_as_soon_as_ever) {
  StalledCluster c(1);
  c.env->stall(std::chrono::seconds(60));
  c.sim.run(c.sim.now() + std::chrono::seconds(61));
  c.hosts[2]->isolate();
  c.sim.run(c.sim.now() + std::chrono::seconds(8));
  EXPECT_EQ(c.events("host_silent"), 0u);
  c.sim.run(c.sim.now() + std::chrono::seconds(4));
  EXPECT_EQ(c.events("host_silent"), 1u);
}

TEST(stall_sim, a_silent_host_has_fence_after_to_come_back) {
  StalledCluster c(2);
  c.config.cluster.times.fence_after = std::chrono::seconds(30);
  c.crash();
  c.sim.run(c.sim.now() + std::chrono::seconds(20));
  c.client.submit(random_spec(c.sim));
  while (!c.busy()) c.sim.run(c.sim.now() + std::chrono::milliseconds(1));
  c.busy()->isolate();
  c.sim.run(c.sim.now() + std::chrono::seconds(35));
  EXPECT_EQ(c.events("host_silent"), 1u);
  EXPECT_EQ(c.fenced, 0);
  c.sim.run(c.sim.now() + std::chrono::seconds(10));
  EXPECT_EQ(c.fenced, 1);
}

}  // namespace
}  // namespace wm
