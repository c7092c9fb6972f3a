// Role: on which hosts tasks go: packed, whole, apart by span, away from GPUs they do not use.
#include "libwm/sched/placement/place.h"

#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using test::rigid;
using test::slots;
using test::SpecBuilder;

class Place : public test::ClaimCluster {
 protected:
  // Where `tasks` tasks of a new job go now.
  std::vector<Share> choose(const SpecBuilder& spec, std::int64_t tasks, bool whole = true,
                            const TasksByRoom& has = {}) {
    id = run.submit(spec);
    collect();
    places = std::make_unique<Places>(*claims, 256);
    return places->choose(*claim(id), tasks, whole, has);
  }
  void use(std::uint32_t host, std::uint32_t tasks) {
    run.dispatch(run.submit(slots("zoe", tasks)), std::vector<HostId>(tasks, HostId{host}));
  }
  JobId id;
  std::unique_ptr<Places> places;
};

using Shares = std::vector<Share>;

TEST_F(Place, one_host_is_enough_where_all_fit) {
  run.host(2);
  run.host(4);
  run.host(4);
  EXPECT_EQ(choose(slots("ann", 3), 3), (Shares{{1, 3}}));
}

TEST_F(Place, else_the_fewest_hosts) {
  run.host(1);
  run.host(3);
  run.host(2);
  EXPECT_EQ(choose(slots("ann", 5), 5), (Shares{{1, 3}, {2, 2}}));
}

TEST_F(Place, hosts_are_filled_in_their_order) {
  run.host(2);
  run.host(2);
  use(1, 1);
  EXPECT_EQ(choose(slots("ann", 1), 1), (Shares{{0, 1}}));
}

TEST_F(Place, a_gang_is_placed_whole_or_not) {
  run.host(2);
  run.host(1);
  EXPECT_EQ(choose(slots("ann", 4), 4), Shares{});
  EXPECT_EQ(choose(slots("ann", 4), 4, false), (Shares{{0, 2}, {1, 1}}));
}

TEST_F(Place, span_hosts_1_needs_a_host_that_holds_all) {
  run.host(2);
  run.host(3);
  auto spec = slots("ann", 3);
  spec.spec.span.one_host = true;
  EXPECT_EQ(choose(spec, 3), (Shares{{1, 3}}));
  EXPECT_EQ(choose(spec, 4), Shares{});
}

TEST_F(Place, span_hosts_1_grows_where_it_is) {
  run.host(4);
  run.host(4);
  auto spec = slots("ann", 1);
  spec.spec.span.one_host = true;
  EXPECT_EQ(choose(spec, 6, false, {{1, 1}}), (Shares{{1, 4}}));
}

TEST_F(Place, ptile_takes_exactly_so_many_of_each_host) {
  run.host(5);
  run.host(1);
  run.host(5);
  auto spec = slots("ann", 4);
  spec.spec.span.ptile = 2;
  EXPECT_EQ(choose(spec, 4), (Shares{{0, 2}, {2, 2}}));
  EXPECT_EQ(choose(spec, 6), Shares{});
}

TEST_F(Place, ptile_counts_what_is_there_when_growing) {
  run.host(5);
  run.host(5);
  auto spec = slots("ann", 2);
  spec.spec.span.ptile = 2;
  EXPECT_EQ(choose(spec, 3, false, {{0, 1}}), (Shares{{0, 1}, {1, 2}}));  // beside the first
}

TEST_F(Place, jobs_without_gpus_stay_off_slots_beside_free_gpus) {
  run.host(2, 2);
  run.host(2, 1);
  EXPECT_EQ(choose(slots("ann", 1), 1), (Shares{{1, 1}}));
  EXPECT_EQ(choose(slots("ann", 4), 4), (Shares{{0, 2}, {1, 2}}));  // where there is no other
}

TEST_F(Place, jobs_without_gpus_take_no_more_slots_beside_free_gpus_than_they_need) {
  run.host(3, 2);
  run.host(1);
  EXPECT_EQ(choose(slots("ann", 3), 3), (Shares{{0, 2}, {1, 1}}));
  EXPECT_EQ(choose(slots("ann", 4), 4), (Shares{{0, 3}, {1, 1}}));
  run.submit(slots("ann", 3));
  run.submit(rigid("bob", 1).gpus(2));
  EXPECT_EQ(run.plan().starts.size(), 2u);
}

TEST_F(Place, gpu_jobs_go_where_gpus_are) {
  run.host(4);
  run.host(4, 2);
  EXPECT_EQ(choose(rigid("ann", 2), 2), (Shares{{1, 2}}));
}

TEST_F(Place, what_is_taken_is_gone) {
  gpu_hosts(1, 2);
  choose(rigid("ann", 1), 1);
  auto spots = places->take(*claim(id), {0, 1}, {});
  EXPECT_EQ(spots, (std::vector<Spot>{{HostId{1}, {0}}}));
  EXPECT_EQ(places->fits(*claim(id), 0, When::Now, 9, {}), 1);
  spots = places->take(*claim(id), {0, 1}, {});
  EXPECT_EQ(spots, (std::vector<Spot>{{HostId{1}, {1}}}));
  EXPECT_TRUE(places->choose(*claim(id), 1, true, {}).empty());
}

TEST_F(Place, a_trial_is_undone) {
  queue("low", [](QueueConf& q) { q.host_slots = 2; });
  run.host(4);
  choose(slots("ann", 2).queue("low"), 2);
  places->begin();
  places->take(*claim(id), {0, 2}, {});
  EXPECT_EQ(places->fits(*claim(id), 0, When::Now, 9, {}), 0);
  places->rollback();
  EXPECT_EQ(places->fits(*claim(id), 0, When::Now, 9, {}), 2);
  EXPECT_EQ(places->room(0).now.slots, 4);
}

TEST_F(Place, a_trial_that_is_kept_stays) {
  run.host(4);
  choose(slots("ann", 2), 2);
  places->begin();
  places->take(*claim(id), {0, 2}, {});
  places->commit();
  EXPECT_EQ(places->room(0).now.slots, 2);
}

TEST_F(Place, an_exclusive_job_needs_an_empty_host_and_keeps_others_off) {
  run.host(2);
  run.host(2);
  use(1, 1);
  auto spec = slots("ann", 1);
  spec.spec.exclusive = true;
  EXPECT_EQ(choose(spec, 1), (Shares{{1, 1}}));
  places->take(*claim(id), {1, 1}, {});
  EXPECT_EQ(places->room(1).exclusive, true);
}

TEST_F(Place, many_hosts_are_not_all_compared) {
  for (int i = 0; i < 8; ++i) run.host(2);
  auto job = run.submit(slots("ann", 3));
  collect();
  Places few(*claims, 2);
  EXPECT_EQ(few.choose(*claim(job), 3, true, {}), (Shares{{0, 2}, {1, 1}}));
  EXPECT_EQ(few.choose(*claim(job), 16, true, {}).size(), 8u);  // yet all, if it takes all
}

// Two racks of two hosts.
class Racks : public Place {
 protected:
  Racks() {
    run.config.hosts.clear();
    for (int i = 1; i <= 4; ++i) {
      HostConf conf;
      conf.name = "h" + std::to_string(i);
      conf.switches = i <= 2 ? "core/a" : "core/b";
      conf.resources["gen"] = i % 2 ? "old" : "new";
      run.config.hosts.push_back(conf);
    }
    queue("low", [](QueueConf& q) { q.place = PlaceBy::Topology; });
    for (int i = 0; i < 4; ++i) run.host(2);
  }
};

TEST_F(Racks, a_gang_in_a_topology_queue_stays_in_a_rack) {
  use(1, 1);
  EXPECT_EQ(choose(slots("ann", 4).queue("low"), 4), (Shares{{2, 2}, {3, 2}}));
  EXPECT_EQ(choose(slots("ann", 4), 4), (Shares{{1, 2}, {2, 2}}));
}

TEST_F(Racks, same_keeps_to_hosts_that_are_alike) {
  auto spec = slots("ann", 4);
  spec.spec.asked.resreq = "same[gen]";
  EXPECT_EQ(choose(spec, 4), (Shares{{0, 2}, {2, 2}}));
  EXPECT_EQ(choose(spec, 5), Shares{});
  EXPECT_EQ(choose(spec, 3, false, {{1, 2}}), (Shares{{1, 2}, {3, 1}}));  // grows among its kind
}

TEST_F(Racks, an_exclusive_unit_is_empty_and_closes_to_others) {
  use(1, 1);
  auto spec = slots("ann", 1);
  spec.spec.asked.resreq = "cu[excl]";
  EXPECT_EQ(choose(spec, 1), (Shares{{2, 1}}));
  places->take(*claim(id), {2, 1}, {});
  EXPECT_TRUE(places->room(3).exclusive);
  EXPECT_FALSE(places->room(1).exclusive);
}

TEST_F(Racks, blocks_of_tasks_are_not_broken) {
  use(1, 1);
  auto spec = slots("ann", 4);
  spec.spec.span.block = 2;
  EXPECT_EQ(choose(spec, 4), (Shares{{1, 2}, {2, 2}}));
  EXPECT_EQ(choose(spec, 7), Shares{});
}

TEST_F(Racks, sets_for_promises_keep_the_rules) {
  auto spec = slots("ann", 2);
  spec.spec.asked.resreq = "same[gen] cu[maxcus=1]";
  choose(spec, 2);
  EXPECT_EQ(places->host_sets(*claim(id), places->roomy()).size(), 4u);
  spec.spec.asked.resreq = "";
  choose(spec, 2);
  EXPECT_EQ(places->host_sets(*claim(id), places->roomy()).size(), 1u);
}

}  // namespace
}  // namespace wm::sched
