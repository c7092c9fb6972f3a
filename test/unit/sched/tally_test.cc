// Role: sums over rooms, kept up to date room by room: always what a walk over all of them gives.
#include "libwm/sched/capacity/tally.h"

#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using test::slots;

class Tallies : public test::ClaimCluster {
 protected:
  // The claims of a cluster with a GPU job that waits; the request is its.
  void look() {
    auto spec = test::rigid("ann", 1);
    spec.spec.task.mem = Bytes{4};
    JobId id = run.submit(spec);
    collect();
    request = claim(id)->request;
  }
  Shortage shortage() { return claims->tally.shortage(request, claims->rooms, claims->requests); }
  std::uint32_t request = 0;
};

TEST_F(Tallies, what_rooms_lack_follows_those_that_change) {
  gpu_hosts(3);
  look();
  EXPECT_EQ(shortage(), Shortage{});
  HostCapacity& room = claims->rooms[1];
  room.now.slots = room.now.mem = 0;
  room.gpus[0] = GpuUse::Taken;
  claims->rooms[2].exclusive = true;
  claims->tally.update(claims->rooms, {1, 2}, claims->requests);
  EXPECT_EQ(shortage(), (Shortage{1, 0, 1, 1, 1}));
  EXPECT_EQ(claims->tally.roomy(), (Positions{0, 2}));
  room.now.slots = 1;
  claims->tally.update(claims->rooms, {1}, claims->requests);
  EXPECT_EQ(shortage(), (Shortage{0, 0, 1, 1, 1}));
  EXPECT_EQ(claims->tally.roomy(), (Positions{0, 1, 2}));
}

TEST_F(Tallies, what_is_coming_is_worth_a_look) {
  run.host(2);
  run.dispatch(run.submit(slots("zoe", 2)), {HostId{1}, HostId{1}});
  collect();
  EXPECT_TRUE(claims->tally.roomy().empty());
  claims->rooms[0].coming.slots = 1;
  claims->tally.update(claims->rooms, {0}, claims->requests);
  EXPECT_EQ(claims->tally.roomy(), Positions{0});
}

TEST_F(Tallies, capacity_is_that_of_open_rooms_without_what_is_stuck) {
  gpu_hosts(2);
  look();
  EXPECT_EQ(claims->tally.slots(), 4);
  EXPECT_EQ(claims->tally.gpus(), 2);
  claims->rooms[0].open = false;
  Host host = *claims->rooms[1].host;
  host.stuck_slots = 1;
  claims->rooms[1].host = &host;
  claims->tally.update(claims->rooms, {0, 1}, claims->requests);
  EXPECT_EQ(claims->tally.slots(), 1);
  EXPECT_EQ(claims->tally.gpus(), 1);
  EXPECT_EQ(claims->tally.closed(), Positions{0});
  EXPECT_EQ(claims->tally.stuck(), Positions{1});
}

}  // namespace
}  // namespace wm::sched
