// Role: the numbers of bplans.
#include "libwm/sched/plan_view.h"

#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;

class PlanViews : public test::SchedCluster {
 protected:
  PlanView view(const std::string& path) const {
    for (auto& v : view_plans(run.state, test::at(0))) {
      if (v.path == path) return v;
    }
    return {};
  }
};

TEST_F(PlanViews, one_row_for_each_plan_parents_first) {
  plan({.path = "/a", .shares = 3, .owns = 2, .limit = 5});
  plan({.path = "/a/x"});
  auto views = view_plans(run.state, test::at(0));
  ASSERT_EQ(views.size(), 3u);
  EXPECT_EQ(views[0].path, "/");
  EXPECT_EQ(views[1].path, "/a");
  EXPECT_EQ(views[2].path, "/a/x");
  EXPECT_EQ(views[1].shares, 3u);
  EXPECT_EQ(views[1].owns, 2u);
  EXPECT_EQ(views[1].limit, 5);
  EXPECT_EQ(views[2].limit, -1);
}

TEST_F(PlanViews, use_and_demand_add_up_to_the_root) {
  plan({.path = "/a"});
  plan({.path = "/b"});
  gpu_hosts(4);
  run.submit(elastic("ann").plan("/a"));
  submit_and_settle(rigid("bob", 2).plan("/b"));
  run.submit(rigid("bob", 1).plan("/b"));
  EXPECT_EQ(view("/a").used, 2u);
  EXPECT_EQ(view("/a").demand, 4u);
  EXPECT_EQ(view("/b").used, 2u);
  EXPECT_EQ(view("/b").demand, 3u);
  EXPECT_EQ(view("/").used, 4u);
  EXPECT_EQ(view("/").demand, 7u);
}

TEST_F(PlanViews, deserved_follows_the_shares_whatever_runs) {
  plan({.path = "/a", .shares = 1});
  plan({.path = "/b", .shares = 3});
  gpu_hosts(4);
  submit_and_settle(rigid("ann", 4).plan("/a"));  // came first, has it all
  run.submit(elastic("bob").plan("/b"));
  EXPECT_EQ(view("/a").used, 4u);
  EXPECT_EQ(view("/a").deserved, 1u);
  EXPECT_EQ(view("/b").deserved, 3u);
}

TEST_F(PlanViews, what_is_owned_and_used_by_others_is_lent_and_borrowed) {
  plan({.path = "/a", .owns = 3});
  plan({.path = "/b"});
  gpu_hosts(4);
  submit_and_settle(elastic("bob").plan("/b"));
  EXPECT_EQ(view("/b").used, 4u);
  EXPECT_EQ(view("/a").lent, 3u);
  EXPECT_EQ(view("/b").borrowed, 3u);
  submit_and_settle(elastic("ann").plan("/a"));
  EXPECT_EQ(view("/a").lent, 0u);
  EXPECT_EQ(view("/b").borrowed, 0u);
}

TEST_F(PlanViews, several_owners_lend_in_proportion_and_it_adds_up) {
  plan({.path = "/a", .owns = 4});
  plan({.path = "/b", .owns = 2});
  plan({.path = "/c"});
  gpu_hosts(6);
  submit_and_settle(elastic("eve", 1, 3).plan("/c"));
  EXPECT_EQ(view("/a").lent, 2u);
  EXPECT_EQ(view("/b").lent, 1u);
  EXPECT_EQ(view("/c").borrowed, 3u);
}

TEST_F(PlanViews, slots_are_counted_where_nobody_asks_for_gpus) {
  gpu_hosts(2);
  EXPECT_FALSE(counts_gpus(run.state));
  submit_and_settle(slots("ann", 3));
  EXPECT_EQ(view("/").used, 3u);
  auto gpu = run.submit(rigid("bob", 1));
  EXPECT_TRUE(counts_gpus(run.state));
  EXPECT_EQ(view("/").used, 0u);
  EXPECT_EQ(view("/").demand, 1u);
  run.step(KillRequested{gpu, {}});
  EXPECT_FALSE(counts_gpus(run.state));
}

TEST_F(PlanViews, waiting_elements_of_an_array_are_demand) {
  run.host(2);
  run.submit(slots("ann", 1).array(1, 10, 3));
  EXPECT_EQ(view("/").demand, 10u);
}

}  // namespace
}  // namespace wm::sched
