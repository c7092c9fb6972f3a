// Role: fill_shares on small trees: what shares, owns, lend, borrow, limit and priority mean.
#include "libwm/sched/shares/shares.h"

#include <gtest/gtest.h>

namespace wm::sched {
namespace {

// Builds a tree by position: node 0 is the root.
class Tree {
 public:
  Tree() : nodes_(1) {}
  int plan(int parent, std::int64_t weight = 1) {
    nodes_.push_back({});
    nodes_.back().parent = parent;
    nodes_.back().weight = weight;
    return static_cast<int>(nodes_.size()) - 1;
  }
  int job(int parent, Units floor, Units demand, Units now = 0) {
    int id = plan(parent);
    nodes_[id].floor = floor;
    nodes_[id].demand = demand;
    nodes_[id].now = now;
    nodes_[id].sequence = static_cast<std::uint64_t>(id);
    return id;
  }
  ShareNode& operator[](int id) { return nodes_[id]; }
  std::vector<Units> fill(Units capacity) const { return fill_shares(nodes_, capacity); }

 private:
  std::vector<ShareNode> nodes_;
};

TEST(shares, two_elastic_jobs_halve_the_cluster) {
  Tree t;
  int a = t.job(0, 1, 4, 4), b = t.job(0, 1, 4);
  auto got = t.fill(4);
  EXPECT_EQ(got[a], 2);
  EXPECT_EQ(got[b], 2);
  EXPECT_EQ(got[0], 4);
}

TEST(shares, plans_divide_first_then_their_jobs) {
  Tree t;
  int p = t.plan(0), q = t.plan(0);
  int p1 = t.job(p, 0, 9), q1 = t.job(q, 0, 9), q2 = t.job(q, 0, 9), q3 = t.job(q, 0, 9);
  auto got = t.fill(12);
  EXPECT_EQ(got[p1], 6);
  EXPECT_EQ(got[q1] + got[q2] + got[q3], 6);
  EXPECT_EQ(got[q2], 2);
}

TEST(shares, weights_one_to_three) {
  Tree t;
  int p = t.plan(0, 1), q = t.plan(0, 3);
  t.job(p, 0, 9);
  t.job(q, 0, 9);
  auto got = t.fill(8);
  EXPECT_EQ(got[p], 2);
  EXPECT_EQ(got[q], 6);
}

TEST(shares, an_idle_plan_takes_nothing) {
  Tree t;
  int p = t.plan(0), q = t.plan(0, 100);
  t.job(p, 0, 9);
  EXPECT_EQ(t.fill(8)[p], 8);
  EXPECT_EQ(t.fill(8)[q], 0);
}

TEST(shares, what_a_plan_owns_it_gets_when_it_demands) {
  Tree t;
  int p = t.plan(0), q = t.plan(0);
  t[p].owns = 6;
  t.job(p, 0, 9);
  t.job(q, 0, 9, 8);
  EXPECT_EQ(t.fill(8)[p], 6);
}

TEST(shares, an_idle_owner_lends_all_by_default) {
  Tree t;
  int p = t.plan(0), q = t.plan(0);
  t[p].owns = 6;
  t.job(p, 0, 1);
  t.job(q, 0, 9);
  EXPECT_EQ(t.fill(8)[q], 7);
}

TEST(shares, an_idle_owner_keeps_what_it_does_not_lend) {
  Tree t;
  int p = t.plan(0), q = t.plan(0);
  t[p].owns = 6;
  t[p].lend = 2;
  t.job(p, 0, 1);  // 5 idle, 2 lent, 3 kept
  t.job(q, 0, 9);
  EXPECT_EQ(t.fill(8)[q], 4);
}

TEST(shares, a_plan_borrows_no_more_than_it_may) {
  Tree t;
  int p = t.plan(0), q = t.plan(0), r = t.plan(0);
  t[p].owns = 4;
  t[q].borrow = 1;
  t.job(q, 0, 9);
  EXPECT_EQ(t.fill(8)[q], 5);  // 4 that nobody owns and 1 of p's
  t.job(r, 0, 9);
  EXPECT_EQ(t.fill(8)[q], 4);
  EXPECT_EQ(t.fill(8)[r], 4);
}

TEST(shares, what_a_bounded_borrower_leaves_inside_another_plan_is_used_outside) {
  Tree t;
  int p = t.plan(0), q = t.plan(0);
  int owner = t.plan(p), borrower = t.plan(p);
  t[owner].owns = 4;
  t[borrower].borrow = 0;
  t[p].owns = 4;
  t.job(borrower, 0, 9);
  t.job(q, 0, 9);
  auto got = t.fill(8);
  EXPECT_EQ(got[0], 8);
  EXPECT_EQ(got[p] + got[q], 8);
  EXPECT_EQ(got[p], got[borrower]);
}

TEST(shares, a_limit_holds_against_demand_but_not_against_a_floor) {
  Tree t;
  int p = t.plan(0), q = t.plan(0);
  t[p].limit = 2;
  t[q].limit = 2;
  t.job(p, 0, 9);
  t.job(q, 3, 9);
  auto got = t.fill(8);
  EXPECT_EQ(got[p], 2);
  EXPECT_EQ(got[q], 3);
}

TEST(shares, floors_are_kept_when_hosts_are_lost) {
  Tree t;
  int a = t.job(0, 2, 4, 4), b = t.job(0, 3, 4, 4);
  auto got = t.fill(1);
  EXPECT_EQ(got[a], 2);
  EXPECT_EQ(got[b], 3);
}

TEST(shares, guarantees_beyond_the_capacity_are_filled_fairly) {
  Tree t;
  int p = t.plan(0), q = t.plan(0), r = t.plan(0);
  t[p].owns = t[q].owns = 6;
  t.job(p, 0, 9);
  t.job(q, 0, 9);
  t.job(r, 0, 9);
  auto got = t.fill(8);
  EXPECT_EQ(got[p], 4);
  EXPECT_EQ(got[q], 4);
  EXPECT_EQ(got[r], 0);
}

TEST(shares, policy_priority_serves_the_first_in_full) {
  Tree t;
  int p = t.plan(0);
  t[p].policy = SharePolicy::Priority;
  int late = t.job(p, 1, 4), first = t.job(p, 1, 4);
  t[first].rank = -1;
  auto got = t.fill(6);
  EXPECT_EQ(got[first], 4);
  EXPECT_EQ(got[late], 2);
}

TEST(shares, between_plans_the_odd_unit_goes_to_the_oldest_waiting_job) {
  Tree t;
  int p = t.plan(0), q = t.plan(0);
  int late = t.job(p, 0, 9), early = t.job(q, 0, 9);
  t[late].sequence = 20;
  t[early].sequence = 10;
  EXPECT_EQ(t.fill(3)[q], 2);
}

TEST(shares, an_empty_tree_has_no_amounts) { EXPECT_TRUE(fill_shares({}, 8).empty()); }

}  // namespace
}  // namespace wm::sched
