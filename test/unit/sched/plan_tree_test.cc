// Role: the configuration's plans as a tree, users as leaves, limits along the path.
#include "libwm/sched/shares/plan_tree.h"

#include <gtest/gtest.h>

namespace wm::sched {
namespace {

Config config(std::vector<PlanConf> plans) {
  Config made;
  made.plans = std::move(plans);
  return made;
}

PlanConf plan(const std::string& path) {
  PlanConf made;
  made.path = path;
  return made;
}

TEST(plan_tree, without_plans_there_is_the_root) {
  PlanTree tree = tree_of(Config{});
  EXPECT_EQ(tree.plans, 1u);
  EXPECT_EQ(tree.plan("/"), 0);
  EXPECT_EQ(tree.plan("/any/where"), 0);
}

TEST(plan_tree, plans_hang_below_their_parents) {
  PlanTree tree = tree_of(config({plan("/"), plan("/a"), plan("/a-b"), plan("/a/b")}));
  EXPECT_EQ(tree.plans, 4u);
  EXPECT_EQ(tree.nodes[tree.plan("/a/b")].parent, tree.plan("/a"));
  EXPECT_EQ(tree.nodes[tree.plan("/a-b")].parent, 0);
  EXPECT_EQ(tree.names[tree.plan("/a/b")], "/a/b");
}

TEST(plan_tree, an_unknown_path_is_its_nearest_ancestor) {
  PlanTree tree = tree_of(config({plan("/a")}));
  EXPECT_EQ(tree.plan("/a/b/c"), tree.plan("/a"));
  EXPECT_EQ(tree.plan(""), 0);
}

TEST(plan_tree, attributes_are_carried_over) {
  PlanConf a = plan("/a");
  a.shares = 7;
  a.owns = 3;
  a.limit = 9;
  a.lend = 2;
  a.policy = PlanPolicy::Priority;
  PlanTree tree = tree_of(config({a}));
  const ShareNode& node = tree.nodes[tree.plan("/a")];
  EXPECT_EQ(node.weight, 7);
  EXPECT_EQ(node.owns, 3);
  EXPECT_EQ(node.limit, 9);
  EXPECT_EQ(node.lend, 2);
  EXPECT_EQ(node.borrow, kNoLimit);
  EXPECT_EQ(node.policy, SharePolicy::Priority);
  EXPECT_EQ(tree.nodes[0].limit, kNoLimit);
}

TEST(plan_tree, a_plan_borrows_from_those_it_lists_what_they_lend) {
  PlanConf a = plan("/a"), b = plan("/b"), c = plan("/c"), d = plan("/d");
  a.owns = 5;
  b.owns = 5;
  b.lend = 2;
  c.borrow = Borrow::Listed;
  c.borrow_from = {"/a", "/b", "/nowhere"};
  d.borrow = Borrow::None;
  PlanTree tree = tree_of(config({a, b, c, d}));
  EXPECT_EQ(tree.nodes[tree.plan("/c")].borrow, 7);
  EXPECT_EQ(tree.nodes[tree.plan("/d")].borrow, 0);
}

TEST(plan_tree, a_user_is_one_leaf_of_each_plan) {
  PlanTree tree = tree_of(config({plan("/a"), plan("/b")}));
  int first = tree.user("/a", "ann");
  EXPECT_EQ(tree.user("/a", "ann"), first);
  EXPECT_NE(tree.user("/b", "ann"), first);
  EXPECT_NE(tree.user("/a", "bob"), first);
  EXPECT_EQ(tree.nodes[first].parent, tree.plan("/a"));
  EXPECT_EQ(tree.names[first], "ann");
  EXPECT_EQ(tree.plans, 3u);
  EXPECT_EQ(tree.nodes.size(), 6u);
}

TEST(plan_tree, a_bound_on_borrowing_holds_for_all_below) {
  PlanConf a = plan("/a");
  a.borrow = Borrow::None;
  PlanTree tree = tree_of(config({a, plan("/a/x"), plan("/b")}));
  EXPECT_TRUE(tree.is_bounded(tree.user("/a/x", "ann")));
  EXPECT_FALSE(tree.is_bounded(tree.user("/b", "ann")));
}

TEST(plan_use, limits_are_asked_along_the_path) {
  PlanConf a = plan("/a"), x = plan("/a/x");
  a.limit = 4;
  x.limit = 3;
  PlanTree tree = tree_of(config({a, x}));
  int ann = tree.user("/a/x", "ann"), bob = tree.user("/a", "bob");
  PlanUse use(tree);
  EXPECT_TRUE(use.allows(ann, 3));
  EXPECT_EQ(use.over_limit(ann, 4), tree.plan("/a/x"));
  use.add(bob, 2);
  EXPECT_EQ(use.over_limit(ann, 3), tree.plan("/a"));
  EXPECT_TRUE(use.allows(ann, 2));
  EXPECT_EQ(use.of(0), 2);
  use.add(bob, -2);
  EXPECT_TRUE(use.allows(ann, 3));
}

}  // namespace
}  // namespace wm::sched
