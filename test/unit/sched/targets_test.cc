// Role: amounts, before any place is looked for.
#include "libwm/sched/amounts/targets.h"

#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;

class Targets : public test::ClaimCluster {
 protected:
  Spare divide() {
    collect();
    return set_targets(claims->all, tree, capacities_of(*claims));
  }
  std::uint32_t target(JobId id) { return claim(id)->target; }
  std::uint32_t admitted(JobId id) { return claim(id)->admitted; }
};

TEST_F(Targets, capacity_is_what_open_hosts_have) {
  gpu_hosts(3);
  run.step(HostClosed{HostId{3}, "admin", ""});
  collect();
  Capacities all = capacities_of(*claims);
  EXPECT_EQ(all.slots, 4);
  EXPECT_EQ(all.gpus, 2);
}

TEST_F(Targets, what_runs_on_a_closed_host_counts_with_what_it_holds) {
  gpu_hosts(3);
  submit_and_settle(rigid("ann", 3));
  run.step(HostClosed{HostId{3}, "admin", ""});
  collect();
  Capacities all = capacities_of(*claims);
  EXPECT_EQ(all.slots, 5);
  EXPECT_EQ(all.gpus, 3);
}

TEST_F(Targets, stuck_slots_are_no_capacity) {
  gpu_hosts(2);
  auto a = submit_and_settle(rigid("ann", 2));
  run.step(KillRequested{a, {}});
  run.step(TaskStuck{a, Attempt{1}, TaskNumber{2}, "zombie"});
  collect();
  Capacities all = capacities_of(*claims);
  EXPECT_EQ(all.slots, 3);
  EXPECT_EQ(all.gpus, 1);
}

// 5 of 8 are floors: of the two that wait only the later can start, whatever others give.
TEST_F(Targets, who_asks_for_more_than_all_floors_leave_keeps_nothing_from_others) {
  gpu_hosts(1, 8);
  for (auto [path, shares] : {std::pair{"/a", 2u}, {"/b", 3u}}) {
    PlanConf conf;
    conf.path = path;
    conf.shares = shares;
    plan(conf);
  }
  auto fixed = submit_and_settle(rigid("cyd", 4).plan("/b"));
  auto grows = submit_and_settle(elastic("cyd", 1, 2).plan("/b"));
  auto large = run.submit(rigid("ann", 4)), small = run.submit(rigid("bob", 3).plan("/a"));
  divide();
  EXPECT_EQ(admitted(large), 0u);
  EXPECT_EQ(admitted(small), 1u);
  EXPECT_EQ(target(grows), 1u);
  EXPECT_EQ(target(fixed), 4u);
}

TEST_F(Targets, pending_jobs_are_admitted_in_order_while_their_user_has_enough) {
  run.host(4);
  auto a = run.submit(slots("ann", 3)), b = run.submit(slots("ann", 3)),
       c = run.submit(slots("ann", 1));
  divide();
  EXPECT_EQ(admitted(a), 1u);
  EXPECT_EQ(admitted(b), 0u);
  EXPECT_EQ(admitted(c), 1u);  // what is left suffices for it
}

TEST_F(Targets, minimums_go_before_growth) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann", 1, 4));
  auto b = run.submit(rigid("ann", 3));
  divide();
  EXPECT_EQ(target(a), 1u);
  EXPECT_EQ(admitted(b), 1u);
}

TEST_F(Targets, the_latest_gives_way_when_not_all_can_start) {
  gpu_hosts(4);
  auto a = run.submit(rigid("ann", 2)), b = run.submit(rigid("bob", 2)),
       c = run.submit(rigid("eve", 2));
  divide();
  EXPECT_EQ(admitted(a), 1u);
  EXPECT_EQ(admitted(b), 1u);
  EXPECT_EQ(admitted(c), 0u);
}

TEST_F(Targets, what_nobodys_share_covers_starts_the_first_that_fits) {
  gpu_hosts(4);
  auto a = run.submit(rigid("ann", 3)), b = run.submit(rigid("bob", 3));
  divide();
  EXPECT_EQ(admitted(a), 1u);
  EXPECT_EQ(admitted(b), 0u);
}

TEST_F(Targets, who_starts_does_not_depend_on_who_is_being_resized) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann", 1, 4));
  auto b = run.submit(elastic("bob", 2, 4));
  divide();
  auto before = std::pair{target(a), admitted(b)};
  run.step(TasksLeaving{a, Attempt{1}, {TaskNumber{4}, TaskNumber{3}}, test::at(9), ""});
  divide();
  EXPECT_EQ((std::pair{target(a), admitted(b)}), before);
}

TEST_F(Targets, a_higher_queue_takes_surplus_of_the_lowest_first) {
  gpu_hosts(6);
  auto low = run.submit(elastic("ann", 1, 3).queue("low"));
  auto normal = submit_and_settle(elastic("bob", 1, 3));
  auto r = run.submit(rigid("eve", 4).queue("high"));
  divide();
  EXPECT_EQ(admitted(r), 1u);
  EXPECT_EQ(target(low), 1u);
  EXPECT_EQ(target(normal), 1u);
}

TEST_F(Targets, the_surplus_of_an_equal_queue_is_not_taken) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann", 1, 4).queue("high"));
  auto r = run.submit(rigid("bob", 3).queue("high"));
  divide();
  EXPECT_EQ(admitted(r), 0u);
  EXPECT_EQ(target(a), 4u);
}

TEST_F(Targets, one_that_is_owed_its_minimum_gives_nothing_to_a_higher_queue) {
  run.host(4);
  auto low = run.submit(slots("ann", 4).queue("low"));
  auto high = run.submit(slots("bob", 1).queue("high"));
  collect();
  claim(low)->floor = claim(low)->min;
  set_targets(claims->all, tree, capacities_of(*claims));
  EXPECT_EQ(admitted(low), 1u);
  EXPECT_EQ(admitted(high), 0u);
}

TEST_F(Targets, what_is_due_and_owed_counts_once) {
  run.host(6);
  auto due = run.submit(slots("ann", 3).queue("low"));
  auto other = run.submit(slots("bob", 3).queue("low"));
  auto next = run.submit(slots("ann", 3).queue("low"));
  collect();
  claim(due)->due = true;
  claim(due)->floor = claim(due)->min;
  set_targets(claims->all, tree, capacities_of(*claims));
  EXPECT_EQ(admitted(due), 1u);
  EXPECT_EQ(admitted(other), 1u);
  EXPECT_EQ(admitted(next), 0u);
}

TEST_F(Targets, an_elastic_newcomer_of_a_higher_queue_gets_its_share_not_more) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann", 1, 4).queue("low"));
  auto b = run.submit(elastic("bob", 3, 4).queue("high"));
  divide();
  EXPECT_EQ(admitted(b), 0u);  // three is more than half
  EXPECT_EQ(target(a), 4u);
}

TEST_F(Targets, a_barred_claim_gets_nothing_and_leaves_its_share) {
  gpu_hosts(4);
  auto a = run.submit(elastic("ann")), b = run.submit(elastic("bob"));
  collect();
  claim(b)->barred = Barred::Unplaced;
  set_targets(claims->all, tree, capacities_of(*claims));
  EXPECT_EQ(target(a), 4u);
  EXPECT_EQ(admitted(b), 0u);
}

TEST_F(Targets, slots_that_gpu_jobs_need_are_not_given_twice) {
  gpu_hosts(2);  // 4 slots, 2 GPUs
  auto gpu = run.submit(rigid("ann", 2)), cpu = run.submit(slots("bob", 3));
  divide();
  EXPECT_EQ(admitted(gpu), 1u);
  EXPECT_EQ(admitted(cpu), 0u);
}

TEST_F(Targets, elements_of_an_array_are_admitted_one_by_one) {
  run.host(4);
  auto base = run.submit(slots("ann", 1).array(1, 9));
  divide();
  EXPECT_EQ(admitted(base), 4u);
}

TEST_F(Targets, what_is_left_over_is_said) {
  gpu_hosts(4);
  run.submit(rigid("ann", 1));
  Spare spare = divide();
  EXPECT_EQ(spare.gpus, 3);
  EXPECT_EQ(spare.slots, 7);
}

TEST_F(Targets, tasks_of_several_gpus_are_never_cut_in_half) {
  gpu_hosts(1, 5);
  auto a = run.submit(elastic("ann", 1, 9).gpus(2)), b = run.submit(elastic("bob", 1, 9).gpus(2));
  Spare spare = divide();
  EXPECT_EQ(target(a), 1u);
  EXPECT_EQ(target(b), 1u);
  EXPECT_EQ(spare.gpus, 1);
}

// GPUs of a host are paid once, however many tasks are there.
TEST_F(Targets, tasks_that_share_gpus_of_a_host_are_as_many_as_asked) {
  gpu_hosts(2, 4);
  auto asks = elastic("ann", 1, 3).gpus(4);
  asks.spec.task.gpus_per_host = true;
  auto a = run.submit(asks);
  divide();
  EXPECT_EQ(admitted(a), 1u);
  EXPECT_EQ(target(a), 3u);
}

TEST_F(Targets, gpus_of_a_host_are_paid_for_each_host) {
  gpu_hosts(2, 4);
  auto asks = elastic("ann", 1, 4).gpus(4);
  asks.spec.task.gpus_per_host = true;
  asks.spec.span.ptile = 1;
  auto a = run.submit(asks);
  Spare spare = divide();
  EXPECT_EQ(target(a), 2u);
  EXPECT_EQ(spare.gpus, 0);
}

}  // namespace
}  // namespace wm::sched
