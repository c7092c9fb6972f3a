// Role: past use: users who used least of their shares go first, groups before their users; shares
// bend with history and only so far; terms of the priority say the same as the order.
#include "libwm/sched/demand/past_use.h"

#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::at;
using test::elastic;
using test::slots;

class PastUse : public test::SchedCluster {
 protected:
  void user(const std::string& name, std::uint32_t shares, const std::string& group = "") {
    UserConf conf;
    conf.name = name;
    conf.shares = shares;
    if (!group.empty()) conf.groups = {"staff", group};
    run.config.users.push_back(conf);
    sort();
    run.reconfigure();
  }
  // Holds so many slots for so many seconds.
  void use(const std::string& name, std::uint32_t tasks, double seconds) {
    JobId id = submit_and_settle(slots(name, tasks));
    EXPECT_EQ(run.size(id), tasks);
    run.now += seconds;
    run.end(id);
  }
  std::uint32_t rank(const std::string& name) {
    return FairOrder(run.state, at(run.now)).rank(name);
  }
  void fair_queue() {
    queue("normal", [](QueueConf& conf) { conf.order = JobOrder::FairShare; });
  }
};

TEST_F(PastUse, who_used_less_goes_first) {
  run.host(4);
  use("ann", 4, 100);
  use("bob", 1, 100);
  EXPECT_LT(rank("bob"), rank("ann"));
  EXPECT_LT(rank("eve"), rank("bob"));
}

TEST_F(PastUse, shares_count) {
  run.host(8);
  user("ann", 10);
  user("bob", 1);
  use("ann", 4, 100);
  use("bob", 1, 100);
  EXPECT_LT(rank("ann"), rank("bob"));
}

TEST_F(PastUse, a_group_pays_for_all_its_users) {
  run.host(8);
  user("@big", 1);
  user("@small", 1);
  user("ann", 1, "@big");
  user("amy", 1, "@big");
  user("bob", 1, "@small");
  use("ann", 8, 100);
  use("bob", 2, 100);
  EXPECT_LT(rank("bob"), rank("amy"));
  EXPECT_LT(rank("amy"), rank("ann"));
}

TEST_F(PastUse, an_hour_of_a_scarce_gpu_weighs_more_than_one_of_a_slot) {
  run.host(100, 2);
  JobId gpu = submit_and_settle(test::rigid("ann", 1));
  JobId slot = submit_and_settle(slots("bob", 1));
  run.now = 100;
  run.end(gpu);
  run.end(slot);
  EXPECT_LT(rank("bob"), rank("ann"));
}

TEST_F(PastUse, a_fairshare_queue_starts_the_one_who_waited_for_his_share) {
  run.host(4);
  fair_queue();
  use("ann", 4, 1000);
  JobId blocker = submit_and_settle(slots("zoe", 4));
  JobId ann = run.submit(slots("ann", 4)), bob = run.submit(slots("bob", 4));
  run.end(blocker);
  run.settle();
  EXPECT_EQ(run.size(ann), 0u);
  EXPECT_EQ(run.size(bob), 4u);
}

TEST_F(PastUse, user_priority_and_btop_change_the_order_of_a_queue) {
  run.host(1);
  JobId blocker = submit_and_settle(slots("zoe", 1));
  JobId first = run.submit(slots("ann", 1));
  auto important = slots("ann", 1);
  important.spec.user_priority = 9;
  JobId second = run.submit(important), third = run.submit(slots("ann", 1));
  run.step(JobMoved{third, -1, "admin"});
  for (JobId next : {third, second, first}) {
    run.end(next == third ? blocker : next == second ? third : second);
    run.settle();
    EXPECT_EQ(run.size(next), 1u) << to_string(next);
  }
}

TEST_F(PastUse, jobs_that_exchange_their_turns_leave_others_theirs) {
  run.host(1);
  JobId blocker = submit_and_settle(slots("zoe", 1));
  JobId a1 = run.submit(slots("ann", 1)), other = run.submit(slots("bob", 1));
  JobId a2 = run.submit(slots("ann", 1)), a3 = run.submit(slots("ann", 1));
  run.settle();  // seen where they were
  run.step(JobMoved{a3, 0, "ann", a1.job});
  run.step(JobMoved{a1, 0, "ann", a2.job});
  run.step(JobMoved{a2, 0, "ann", a3.job});
  for (JobId next : {a3, other, a1, a2}) {
    run.end(blocker);
    run.settle();
    EXPECT_EQ(run.size(next), 1u) << to_string(next);
    EXPECT_EQ(run.job(next).waits.turn, 0u);
    blocker = next;
  }
}

TEST_F(PastUse, history_bends_amounts_by_so_much_and_no_more) {
  gpu_hosts(12);
  run.config.cluster.limits.history_weight = 50;
  run.reconfigure();
  JobId greedy = submit_and_settle(elastic("ann", 1, 12));
  run.now = 5000;
  JobId bob = submit_and_settle(elastic("bob", 1, 12));
  // ann used all: 1 - 1/3 of half; bob nothing: 1 + 1/2 → 10/12 : 18/12
  EXPECT_EQ(run.size(greedy), 4u);
  EXPECT_EQ(run.size(bob), 8u);
}

TEST_F(PastUse, without_history_weight_the_past_is_forgotten) {
  gpu_hosts(12);
  JobId greedy = submit_and_settle(elastic("ann", 1, 12));
  run.now = 5000;
  JobId bob = submit_and_settle(elastic("bob", 1, 12));
  EXPECT_EQ(run.size(greedy), 6u);
  EXPECT_EQ(run.size(bob), 6u);
}

TEST_F(PastUse, users_of_a_plan_share_by_their_shares) {
  gpu_hosts(12);
  user("ann", 3);
  user("bob", 1);
  JobId ann = submit_and_settle(elastic("ann", 1, 12));
  JobId bob = submit_and_settle(elastic("bob", 1, 12));
  EXPECT_EQ(run.size(ann), 9u);
  EXPECT_EQ(run.size(bob), 3u);
}

TEST_F(PastUse, the_terms_name_what_decides) {
  run.host(1);
  fair_queue();
  submit_and_settle(slots("zoe", 1));
  auto spec = slots("ann", 1);
  spec.spec.user_priority = 7;
  JobId id = run.submit(spec);
  std::vector<std::string> names;
  for (const auto& term : priority_terms(run.state, run.job(id), FairOrder(run.state, at(0)))) {
    names.push_back(term.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"queue", "fairshare", "user", "submitted"}));
}

TEST_F(PastUse, the_terms_name_a_slowdown) {
  run.host(1);
  queue("normal", [](QueueConf& conf) { conf.order = JobOrder::Slowdown; });
  submit_and_settle(slots("zoe", 1));
  auto spec = slots("ann", 1);
  spec.spec.run_limit = std::chrono::seconds(50);
  JobId id = run.submit(spec);
  WallTime later = run.job(id).times.submitted + std::chrono::seconds(75);
  auto terms = priority_terms(run.state, run.job(id), FairOrder(run.state, later));
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[1].name, "slowdown");
  EXPECT_DOUBLE_EQ(terms[1].value, 2.5);
}

}  // namespace
}  // namespace wm::sched
