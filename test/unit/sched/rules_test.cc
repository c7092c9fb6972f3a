// limits.conf, job groups, windows and service classes in the scheduler.
#include "libwm/sched/demand/rules.h"

#include "libwm/sched/amounts/goals.h"
#include "libwm/sched/placement/place_now.h"
#include "libwm/sched/shares/windows.h"
#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::at;
using test::slots;
using test::SpecBuilder;

class rules : public test::SchedCluster {
 protected:
  void limit(LimitRule rule) {
    run.config.limits.push_back(std::move(rule));
    run.reconfigure();
  }
  static SpecBuilder of(const std::string& user, const std::string& project) {
    auto spec = slots(user, 1);
    spec.spec.project = project;
    return spec;
  }
  static SpecBuilder in_group(const std::string& path) {
    auto spec = slots("ann", 1);
    spec.spec.job_group = path;
    return spec;
  }
};

TEST_F(rules, a_limit_counts_those_it_is_about_together) {
  run.host(8);
  LimitRule rule;
  rule.name = "p";
  rule.projects.names = {"red"};
  rule.slots = 2;
  limit(rule);
  submit_and_settle(of("ann", "red"));
  submit_and_settle(of("bob", "red"));
  auto third = submit_and_settle(of("cid", "red")), other = submit_and_settle(of("ann", "blue"));
  EXPECT_EQ(run.size(third), 0u);
  EXPECT_EQ(run.size(other), 1u);
  EXPECT_EQ(run.code(third), PendCode::Limit);
  EXPECT_NE(run.why(third).find("limit <p>"), std::string::npos) << run.why(third);
  EXPECT_NE(run.why(third).find("2 of 2 slots"), std::string::npos) << run.why(third);
}

TEST_F(rules, each_user_has_it_for_himself_where_it_says_so) {
  run.host(8);
  LimitRule rule;
  rule.name = "u";
  rule.users = {{"all", "~bob"}, true};
  rule.jobs = 1;
  limit(rule);
  submit_and_settle(slots("ann", 3));
  auto second = submit_and_settle(slots("ann", 1)), cid = submit_and_settle(slots("cid", 1));
  EXPECT_EQ(run.size(second), 0u);
  EXPECT_NE(run.why(second).find("user <ann>"), std::string::npos) << run.why(second);
  EXPECT_EQ(run.size(cid), 1u);
  submit_and_settle(slots("bob", 1));
  EXPECT_EQ(run.size(submit_and_settle(slots("bob", 1))), 1u);
}

TEST_F(rules, limits_nest_and_the_one_that_binds_is_named) {
  run.host(8);
  LimitRule all, one;
  all.name = "all";
  all.queues.names = {"normal"};
  all.slots = 3;
  one.name = "one";
  one.users.each = true;
  one.users.names = {"all"};
  one.slots = 2;
  run.config.limits = {all, one};
  run.reconfigure();
  submit_and_settle(slots("ann", 2));
  auto ann = submit_and_settle(slots("ann", 1));
  EXPECT_NE(run.why(ann).find("<one>"), std::string::npos) << run.why(ann);
  submit_and_settle(slots("bob", 1));
  auto cid = submit_and_settle(slots("cid", 1));
  EXPECT_NE(run.why(cid).find("<all>"), std::string::npos) << run.why(cid);
}

TEST_F(rules, hosts_have_a_limit_each_for_itself) {
  run.host(4);
  run.host(4);
  LimitRule rule;
  rule.name = "h";
  rule.hosts = {{"all"}, true};
  rule.queues.names = {"normal"};
  rule.slots = 1;
  limit(rule);
  EXPECT_EQ(run.size(submit_and_settle(slots("ann", 2))), 2u);
  EXPECT_EQ(run.size(submit_and_settle(slots("bob", 1))), 0u);
  EXPECT_EQ(run.size(submit_and_settle(slots("bob", 1).queue("high"))), 1u);
}

TEST_F(rules, hosts_have_a_limit_on_jobs_that_counts_each_once_a_host) {
  run.host(8);
  run.host(8);
  LimitRule rule;
  rule.name = "h";
  rule.hosts = {{"all"}, true};
  rule.jobs = 1;
  limit(rule);
  EXPECT_EQ(run.size(submit_and_settle(slots("ann", 6))), 6u);
  EXPECT_EQ(run.size(submit_and_settle(slots("bob", 6))), 6u);
  EXPECT_EQ(run.size(submit_and_settle(slots("cid", 1))), 0u);
}

TEST_F(rules, hosts_have_a_limit_on_memory_of_the_tasks_that_are_there) {
  run.host(8);
  run.host(8);
  LimitRule rule;
  rule.name = "h";
  rule.hosts = {{"all"}, true};
  rule.mem = Bytes{std::int64_t{3} << 30};
  limit(rule);
  auto with_mem = [](std::uint32_t tasks, bool per_host) {
    auto spec = slots("ann", tasks);
    spec.spec.task.mem = Bytes{std::int64_t{1} << 30};
    spec.spec.task.mem_per_host = per_host;
    return spec;
  };
  EXPECT_EQ(run.size(submit_and_settle(with_mem(5, false))), 5u);  // 3 and 2
  EXPECT_EQ(run.size(submit_and_settle(with_mem(2, false))), 0u);
  EXPECT_EQ(run.size(submit_and_settle(with_mem(4, true))), 4u);  // once, on the host with 2
  EXPECT_EQ(run.size(submit_and_settle(with_mem(1, true))), 0u);
  EXPECT_EQ(run.size(submit_and_settle(slots("bob", 1))), 1u);
}

TEST_F(rules, memory_is_counted_as_it_is_reserved) {
  run.host(8);
  LimitRule rule;
  rule.name = "m";
  rule.users.names = {"ann"};
  rule.mem = Bytes{std::int64_t{3} << 30};
  limit(rule);
  auto with_mem = [] {
    auto spec = slots("ann", 1);
    spec.spec.task.mem = Bytes{std::int64_t{2} << 30};
    return spec;
  };
  EXPECT_EQ(run.size(submit_and_settle(with_mem())), 1u);
  auto second = submit_and_settle(with_mem());
  EXPECT_EQ(run.size(second), 0u);
  EXPECT_EQ(run.size(submit_and_settle(slots("ann", 1))), 1u);
}

TEST_F(rules, a_job_group_holds_back_those_of_groups_below_it) {
  run.host(8);
  run.step(JobGroupSet{"/risk", {"ann", 2, {}}, "ann"});
  submit_and_settle(in_group("/risk/day"));
  submit_and_settle(in_group("/risk/night"));
  auto third = submit_and_settle(in_group("/risk/day")), other = submit_and_settle(in_group("/r"));
  EXPECT_EQ(run.size(third), 0u);
  EXPECT_EQ(run.code(third), PendCode::GroupLimit);
  EXPECT_NE(run.why(third).find("job group </risk>"), std::string::npos) << run.why(third);
  EXPECT_EQ(run.size(other), 1u);
  run.step(JobGroupSet{"/risk", {"ann", 3, {}}, "ann"});
  run.settle();
  EXPECT_EQ(run.size(third), 1u);
}

TEST_F(rules, a_dispatch_window_keeps_jobs_waiting_and_the_scheduler_wakes_when_it_opens) {
  run.host(4);
  auto minute = week_minute({}, at(0));
  queue("normal", [&](QueueConf& conf) {
    conf.dispatch_window = {{(minute + 60) % kWeekMinutes, (minute + 120) % kWeekMinutes}};
  });
  auto job = submit_and_settle(slots("ann", 1));
  EXPECT_EQ(run.code(job), PendCode::Window);
  EXPECT_NE(run.why(job).find("dispatch window of queue <normal>"), std::string::npos);
  auto next = run.plan().look_again;
  ASSERT_NE(next, WallTime{});
  EXPECT_LE(next, at(3600));
  run.now = 3600;
  run.settle();
  EXPECT_EQ(run.size(job), 1u);
}

TEST_F(rules, who_would_run_beyond_a_run_window_does_not_start) {
  run.host(4);
  auto minute = week_minute({}, at(0));
  queue("normal", [&](QueueConf& conf) {
    conf.run_window = {{(minute + kWeekMinutes - 60) % kWeekMinutes, (minute + 60) % kWeekMinutes}};
  });
  auto spec = slots("ann", 1);
  spec.spec.run_limit = std::chrono::hours(2);
  auto job = submit_and_settle(spec);
  EXPECT_EQ(run.code(job), PendCode::Window);
  spec.spec.run_limit = std::chrono::minutes(30);
  EXPECT_EQ(run.size(submit_and_settle(spec)), 1u);
}

TEST_F(rules, plans_have_windows_and_other_weights_by_night) {
  PlanConf night;
  night.path = "/night";
  auto minute = week_minute({}, at(0));
  night.run_window = {{(minute + 60) % kWeekMinutes, (minute + 120) % kWeekMinutes}};
  plan(night);
  run.host(4);
  auto job = submit_and_settle(slots("ann", 1).plan("/night"));
  EXPECT_NE(run.why(job).find("plan </night>"), std::string::npos) << run.why(job);
  PlanConf shares;
  shares.shares = 3;
  shares.shares_at = {{9, night.run_window}};
  EXPECT_EQ(shares_of(shares, {}, at(0)), 3u);
  EXPECT_EQ(shares_of(shares, {}, at(3600)), 9u);
}

TEST_F(rules, a_class_behind_its_goal_goes_first_and_no_further) {
  ServiceClass sla;
  sla.name = "reports";
  sla.velocity = 2;
  run.config.classes = {sla};
  run.reconfigure();
  run.host(3);
  auto urgent = run.submit(slots("bob", 1).queue("high"));
  auto late = run.submit(slots("bob", 1));
  std::vector<JobId> goal;
  for (int i = 0; i < 3; ++i) {
    auto spec = slots("ann", 1);
    spec.spec.service_class = "reports";
    goal.push_back(run.submit(spec));
  }
  run.settle();
  EXPECT_EQ(run.size(goal[0]) + run.size(goal[1]) + run.size(goal[2]), 2u);
  EXPECT_EQ(run.size(urgent), 1u);
  EXPECT_EQ(run.size(late), 0u);
}

TEST(goals, say_how_many_are_to_run) {
  ServiceClass sla;
  sla.throughput = 6;
  GoalStanding jobs{1, 9, 0, false};
  auto standing = standing_of(sla, {}, at(0), jobs, std::chrono::minutes(20) * 10);
  EXPECT_TRUE(standing.active);
  EXPECT_EQ(standing.wanted, 2u);  // 6 an hour, 20 minutes each
  sla.throughput = 0;
  auto minute = week_minute({}, at(0));
  sla.deadline = {{(minute + kWeekMinutes - 60) % kWeekMinutes, (minute + 60) % kWeekMinutes}};
  standing = standing_of(sla, {}, at(0), jobs, std::chrono::minutes(30) * 10);
  EXPECT_GE(standing.wanted, 5u);  // five hours of work in the hour that is left
  EXPECT_LE(standing.wanted, 6u);
}

TEST_F(rules, brun_takes_what_is_free_on_the_hosts_named_whatever_the_limits) {
  auto a = run.host(2), b = run.host(2);
  user_limit("ann", 1);
  submit_and_settle(slots("ann", 1));
  auto job = submit_and_settle(slots("ann", 2));
  EXPECT_EQ(run.size(job), 0u);
  auto start = place_now(run.state, run.job(job), job, {b}, at(0));
  ASSERT_TRUE(start) << start.error().text;
  ASSERT_EQ(start->tasks.size(), 2u);
  EXPECT_EQ(start->tasks[0].host, b);
  EXPECT_EQ(place_now(run.state, run.job(job), job, {a}, at(0)).error().code, Code::Impossible);
}

}  // namespace
}  // namespace wm::sched
