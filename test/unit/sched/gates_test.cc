// Role: limits on slots: who is kept out, how the rest is shared, and that what is being
// released still counts.
#include "libwm/sched/amounts/gates.h"

#include "libwm/sched/amounts/limits.h"
#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;

class Limits : public test::ClaimCluster {
 protected:
  void apply() {
    collect();
    apply_limits(*run.state.config, claims->all);
  }
  Gates gates() { return Gates(*run.state.config, tree, *claims); }
};

TEST_F(Limits, without_limits_nobody_is_barred) {
  run.host(4);
  auto a = run.submit(slots("ann", 4)), b = run.submit(slots("ann", 4));
  apply();
  EXPECT_EQ(claim(a)->barred, Barred::No);
  EXPECT_EQ(claim(b)->barred, Barred::No);
  EXPECT_EQ(gates().room(*claim(a)), kNoLimit);
}

TEST_F(Limits, pending_jobs_count_in_order) {
  user_limit("ann", 4);
  run.host(8);
  auto a = run.submit(slots("ann", 3)), b = run.submit(slots("ann", 2)),
       c = run.submit(slots("ann", 1));
  apply();
  EXPECT_EQ(claim(a)->barred, Barred::No);
  EXPECT_EQ(claim(b)->barred, Barred::Limit);
  EXPECT_EQ(claim(b)->barrier, PendCode::UserLimit);
  EXPECT_EQ(claim(c)->barred, Barred::No);
}

TEST_F(Limits, running_jobs_count_first) {
  user_limit("ann", 4);
  run.host(8);
  submit_and_settle(slots("ann", 3));
  auto b = run.submit(slots("ann", 2));
  apply();
  EXPECT_EQ(claim(b)->barred, Barred::Limit);
}

TEST_F(Limits, the_default_user_limits_those_not_named) {
  user_limit("default", 1);
  user_limit("ann", 9);
  run.host(8);
  auto a = run.submit(slots("ann", 2)), b = run.submit(slots("bob", 2));
  apply();
  EXPECT_EQ(claim(a)->barred, Barred::No);
  EXPECT_EQ(claim(b)->barred, Barred::Limit);
}

TEST_F(Limits, elements_of_an_array_are_cut_to_what_is_left) {
  queue("low", [](QueueConf& q) { q.max_slots = 3; });
  run.host(8);
  auto base = run.submit(slots("ann", 1).queue("low").array(1, 9));
  apply();
  EXPECT_EQ(claim(base)->copies, 3u);
  EXPECT_EQ(claim(base)->barred, Barred::No);
}

TEST_F(Limits, elastic_jobs_share_what_a_limit_leaves) {
  queue("low", [](QueueConf& q) { q.max_slots = 6; });
  gpu_hosts(8);
  auto r = run.submit(rigid("eve", 1).queue("low"));
  auto a = run.submit(elastic("ann", 1, 8).queue("low")),
       b = run.submit(elastic("bob", 1, 8).queue("low"));
  apply();
  EXPECT_EQ(claim(r)->max, 1u);
  EXPECT_EQ(claim(a)->max + claim(b)->max, 5u);
  EXPECT_GE(claim(b)->max, 2u);
}

TEST_F(Limits, the_tightest_of_several_limits_holds) {
  queue("low", [](QueueConf& q) { q.max_slots = 6, q.user_slots = 3; });
  user_limit("ann", 2);
  gpu_hosts(8);
  auto a = run.submit(elastic("ann", 1, 8).queue("low")),
       b = run.submit(elastic("bob", 1, 8).queue("low"));
  apply();
  EXPECT_EQ(claim(a)->max, 2u);
  EXPECT_EQ(claim(b)->max, 3u);
}

TEST_F(Limits, a_gate_is_open_by_what_is_not_held) {
  user_limit("ann", 4);
  gpu_hosts(8);
  submit_and_settle(rigid("ann", 3));
  auto b = run.submit(rigid("ann", 1));
  collect();
  Gates g = gates();
  EXPECT_EQ(g.room(*claim(b)), 1);
  g.add(*claim(b), 1);
  EXPECT_EQ(g.room(*claim(b)), 0);
}

TEST_F(Limits, what_is_leaving_still_counts) {
  user_limit("ann", 4);
  gpu_hosts(8);
  auto a = submit_and_settle(elastic("ann", 1, 4));
  run.step(TasksLeaving{a, Attempt{1}, {TaskNumber{4}}, test::at(9), ""});
  auto b = run.submit(rigid("ann", 1));
  collect();
  EXPECT_EQ(gates().room(*claim(b)), 0);
}

TEST_F(Limits, a_plan_is_a_gate_for_each_kind_of_capacity) {
  plan({.path = "/a", .limit = 2});
  gpu_hosts(8);
  submit_and_settle(rigid("ann", 2).plan("/a"));
  auto gpu = run.submit(rigid("bob", 1).plan("/a")), cpu = run.submit(slots("bob", 1).plan("/a"));
  collect();
  EXPECT_EQ(gates().room(*claim(gpu)), 0);
  EXPECT_EQ(gates().room(*claim(cpu)), 2);
}

TEST_F(Limits, those_behind_the_same_gate_would_help) {
  plan({.path = "/a", .limit = 2});
  plan({.path = "/b"});
  gpu_hosts(8);
  auto a = submit_and_settle(elastic("ann", 1, 2).plan("/a"));
  auto b = submit_and_settle(elastic("bob", 1, 2).plan("/b"));
  auto r = run.submit(rigid("eve", 1).plan("/a"));
  collect();
  Gates g = gates();
  EXPECT_TRUE(g.would_help(*claim(a), *claim(r), 1));
  EXPECT_FALSE(g.would_help(*claim(b), *claim(r), 1));
}

TEST_F(Limits, who_takes_anothers_place_under_a_limit_waits_for_it) {
  plan({.path = "/a", .limit = 2});
  gpu_hosts(8);
  auto a = submit_and_settle(elastic("ann", 1, 4).plan("/a"));
  ASSERT_EQ(run.size(a), 2u);
  auto b = run.submit(elastic("bob", 1, 4).plan("/a"));
  auto plan = run.pass();
  EXPECT_TRUE(plan.starts.empty());
  ASSERT_EQ(plan.shrinks.size(), 1u);
  EXPECT_EQ(run.why(b), "Waiting for 1 slot being released by job <1>");
  run.let_leave();
  run.settle();
  EXPECT_EQ(run.size(a), 1u);
  EXPECT_EQ(run.size(b), 1u);
}

}  // namespace
}  // namespace wm::sched
