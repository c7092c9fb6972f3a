// The real master core on a simulated env: four hosts, a client, losses, crashes at every
// Env call, restarts. What was acknowledged exists; nothing runs twice; everything ends.
#include "test/sim/sim_cluster.h"

namespace wm {
namespace {

using test::expect_all_done;
using test::expect_replay_equal;
using test::live;
using test::SimCluster;

TEST(master_sim, a_quiet_day) {
  SimCluster c(1);
  live(c, 12);
  expect_all_done(c);
  expect_replay_equal(c);
}

TEST(master_sim, sessions_break_and_hosts_reboot) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SimCluster c(seed);
    for (int i = 0; i < 6; ++i)
      c.sim.after(c.sim.between(3500, 15000), [&c] {
        auto& host = *c.hosts[c.sim.pick(4)];
        if (c.sim.once_in(3)) host.reboot();
        else host.restart_daemon();
      });
    live(c, 8);
    expect_all_done(c);
    expect_replay_equal(c);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(master_sim, the_master_crashes_at_any_call_of_env) {
  for (std::uint64_t seed = 1; seed <= 700; ++seed) {
    SimCluster c(seed);
    c.env->on_call = [&c, at = seed](std::uint64_t call) {
      if (call == at) c.crash_soon();
    };
    for (int i = 0; i < 2; ++i) c.sim.after(c.sim.between(3500, 15000), [&c] { c.crash(); });
    live(c, 6);
    expect_all_done(c);
    expect_replay_equal(c);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

// Low jobs make way while the master crashes: none is lost, none runs twice, all end, and those
// that waited have told why.
TEST(master_sim, jobs_make_way_through_crashes) {
  std::size_t preempted = 0, told = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SimCluster c(seed, true);
    c.sim.after(c.sim.between(6000, 15000), [&c] { c.crash(); });
    for (int i = 0; i < 10; ++i)
      c.sim.after(c.sim.between(4000, 9000), [&c, i] {
        auto spec = random_spec(c.sim);
        spec.queue = i < 6 ? "giving" : "first";
        c.client.submit(spec);
      });
    c.sim.run(std::chrono::seconds(600));
    expect_all_done(c);
    expect_replay_equal(c);
    for (const auto& event : c.disk.events) {
      preempted += std::holds_alternative<JobPreempted>(event.body);
      told += std::holds_alternative<WaitRecorded>(event.body);
    }
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(preempted, 20u);
  EXPECT_GT(told, 20u);
}

TEST(master_sim, the_store_fails_for_a_while) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SimCluster c(seed);
    c.sim.after(c.sim.between(3500, 8000), [&c] { c.disk.failing = true; });
    c.sim.after(c.sim.between(8500, 13000), [&c] { c.disk.failing = false; });
    live(c, 8);
    expect_all_done(c);
    expect_replay_equal(c);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace wm
