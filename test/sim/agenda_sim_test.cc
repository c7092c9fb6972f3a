// What the master keeps up by change is what a walk over everything would find, whatever happens:
// the events of simulated lives are applied one by one.
#include "daemons/wmasterd/state/agenda.h"
#include "test/sim/sim_cluster.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using test::SimCluster;

JobSpec dated_spec(test::Sim& sim) {
  auto spec = test::random_spec(sim);
  auto soon = [&] { return test::at(0) + sim.now() + sim.between(1000, 60000); };
  if (sim.once_in(3)) spec.when.begin = soon();
  if (sim.once_in(3))
    spec.when.deadline = std::max(soon(), spec.when.begin + std::chrono::seconds(1));
  if (sim.once_in(4)) spec.mem_for = sim.between(500, 3000);
  return spec;
}

// The first difference, or nothing.
std::string follow(const std::vector<Event>& events) {
  Cluster state;
  master::Agenda kept;
  for (const auto& event : events) {
    if (!fsm::check(state, event.body)) continue;
    auto touched = fsm::apply(state, event);
    for (auto id : touched.jobs) kept.note(state, id, WallTime{});
    if (!(kept == master::Agenda::of(state, WallTime{})))
      return "the agenda after " + std::to_string(event.seq.value) + " " +
             std::string(event_name(event.body));
    if (auto sound = fsm::check_invariants(state); !sound) return sound.error().text;
  }
  return "";
}

TEST(agenda_sim, the_agenda_and_the_indexes_are_what_a_walk_finds_after_every_event) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SimCluster c(seed, seed % 2 == 0);
    for (int i = 0; i < 10; ++i)
      c.sim.after(c.sim.between(4000, 20000), [&c] { c.client.submit(dated_spec(c.sim)); });
    c.sim.after(c.sim.between(6000, 20000), [&c] { c.hosts[1]->reboot(); });
    c.sim.run(std::chrono::seconds(300));
    EXPECT_EQ(follow(c.disk.events), "") << "seed " << seed;
    EXPECT_GT(c.disk.events.size(), 30u);
  }
}

}  // namespace
}  // namespace wm
