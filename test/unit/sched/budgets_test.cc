// Budgets in a pass: who waits for one, who goes last, who grows no more.
#include "libwm/sched/amounts/budgets.h"

#include <gmock/gmock.h>

#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::at;
using test::elastic;
using test::SchedCluster;
using test::slots;
using ::testing::HasSubstr;

class budgets_in_a_pass : public SchedCluster {
 protected:
  void budget(const std::string& name, std::uint32_t cpu_hours, const std::string& at_end) {
    BudgetConf made;
    made.name = name, made.cpu_hours = cpu_hours, made.at_end = at_end;
    run.config.budgets.list.push_back(made);
    std::sort(run.config.budgets.list.begin(), run.config.budgets.list.end(),
              [](auto& a, auto& b) { return a.name < b.name; });
    run.reconfigure();
  }
  static test::SpecBuilder timed(test::SpecBuilder spec, int hours) {
    spec.spec.run_limit = std::chrono::hours(hours);
    return spec;
  }
  JobState state_of(JobId id) { return run.job(id).state; }
};

TEST_F(budgets_in_a_pass, a_job_that_may_draw_more_than_is_left_waits_and_is_told_what_fits) {
  run.host(4);
  budget("user:ann", 10, "refuse");
  auto first = submit_and_settle(timed(slots("ann", 1), 6));
  auto second = submit_and_settle(timed(slots("ann", 1), 6));
  auto third = submit_and_settle(timed(slots("ann", 1), 3));
  auto other = submit_and_settle(timed(slots("bob", 1), 600));
  EXPECT_EQ(state_of(first), JobState::Running);
  EXPECT_EQ(state_of(second), JobState::Pending);
  EXPECT_EQ(state_of(third), JobState::Running);
  EXPECT_EQ(state_of(other), JobState::Running);
  auto plan = run.plan();
  const auto* why = plan.why(second);
  ASSERT_TRUE(why && !why->empty());
  EXPECT_EQ(why->front().code, PendCode::Budget);
  EXPECT_THAT(why->front().text, HasSubstr("user:ann has 10 of 10 CPU hours left in"));
  EXPECT_THAT(why->front().text, HasSubstr("(9 reserved); this job may need 6 = 1 CPU x 6 h"));
  EXPECT_THAT(why->front().text, HasSubstr("it fits with -W 1:00"));
}

TEST_F(budgets_in_a_pass, without_a_run_limit_the_next_hour_is_reserved) {
  run.host(4);
  budget("/", 2, "refuse");
  std::vector<JobId> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(submit_and_settle(slots("ann", 1)));
  EXPECT_EQ(state_of(jobs[1]), JobState::Running);
  EXPECT_EQ(state_of(jobs[2]), JobState::Pending);
  BudgetBook book(run.state, run.state.time);
  EXPECT_EQ(book.all().front().reserved.cpu, 2 * kUnitHour);
  EXPECT_EQ(book.all().front().surplus.cpu, 2000);
}

TEST_F(budgets_in_a_pass, used_up_it_puts_jobs_last_where_the_site_says_so) {
  run.host(1);
  budget("user:ann", 0, "lowest");
  auto running = submit_and_settle(slots("eve", 1));
  auto ann = submit_and_settle(slots("ann", 1));
  auto bob = submit_and_settle(slots("bob", 1));
  EXPECT_EQ(state_of(ann), JobState::Pending);
  run.end(running);
  run.settle();
  EXPECT_EQ(state_of(bob), JobState::Running);
  EXPECT_EQ(state_of(ann), JobState::Pending);
  run.end(bob);
  run.settle();
  EXPECT_EQ(state_of(ann), JobState::Running);
}

TEST_F(budgets_in_a_pass, used_up_it_takes_elastic_jobs_to_their_minimum_and_ends_none) {
  gpu_hosts(4);
  auto id = submit_and_settle(elastic("ann", 1, 4));
  EXPECT_EQ(tasks_wanted(run.job(id)), 4u);
  BudgetConf made;
  made.name = "user:ann", made.gpu_hours = 0, made.at_end = "shrink";
  run.config.budgets.list = {made};
  run.reconfigure();
  auto plan = run.plan();
  ASSERT_EQ(plan.shrinks.size(), 1u);
  EXPECT_EQ(plan.shrinks[0].tasks.size(), 3u);
  EXPECT_EQ(plan.shrinks[0].reason, "its budget is used up");
  run.settle();
  EXPECT_EQ(tasks_wanted(run.job(id)), 1u);
  EXPECT_EQ(state_of(id), JobState::Running);
}

TEST_F(budgets_in_a_pass, refusing_one_that_is_used_up_lets_elastic_jobs_keep_what_they_have) {
  gpu_hosts(4);
  auto other = submit_and_settle(test::rigid("bob", 2));
  auto id = submit_and_settle(elastic("ann", 1, 4));
  EXPECT_EQ(tasks_wanted(run.job(id)), 2u);
  BudgetConf made;
  made.name = "user:ann", made.gpu_hours = 0;
  run.config.budgets.list = {made};
  run.reconfigure();
  run.end(other);
  run.settle();
  EXPECT_EQ(tasks_wanted(run.job(id)), 2u);
}

TEST_F(budgets_in_a_pass, a_pass_is_due_when_it_will_be_used_up) {
  gpu_hosts(2);
  BudgetConf made;
  made.name = "/", made.gpu_hours = 3, made.at_end = "shrink";
  run.config.budgets.list = {made};
  run.reconfigure();
  auto spec = elastic("ann", 1, 2);
  spec.spec.run_limit = std::chrono::hours(2);  // 2 of its 3 hours are reserved for its minimum
  submit_and_settle(spec);
  auto plan = run.plan();
  ASSERT_NE(plan.look_again, WallTime{});
  auto in = std::chrono::duration<double>(plan.look_again - run.state.time).count();
  EXPECT_NEAR(in, 3600, 120);  // the second task draws the third hour
}

TEST_F(budgets_in_a_pass, a_submitter_is_warned_then_refused) {
  run.host(4);
  budget("user:ann", 1, "refuse");
  auto spec = slots("ann", 1);
  auto id = submit_and_settle(spec);
  auto at_percent = [&](int n) {
    return run.job(id).times.dispatched + std::chrono::seconds(36 * n);
  };
  auto early = budget_warnings(run.state, spec.spec, at_percent(79));
  ASSERT_TRUE(early);
  EXPECT_TRUE(early->empty());
  auto late = budget_warnings(run.state, spec.spec, at_percent(81));
  ASSERT_TRUE(late);
  ASSERT_EQ(late->size(), 1u);
  EXPECT_THAT(late->front(), HasSubstr("budget user:ann: 0.2 of 1 CPU hours are left in"));
  EXPECT_THAT(late->front(), HasSubstr("81 % is used"));
  auto over = budget_warnings(run.state, spec.spec, at_percent(101));
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Code::Limit);
  auto large = timed(slots("ann", 4), 1);
  auto never = budget_warnings(run.state, large.spec, at_percent(1));
  ASSERT_FALSE(never);
  EXPECT_THAT(never.error().text, HasSubstr("this job may need 4"));
}

TEST_F(budgets_in_a_pass, jobs_of_other_projects_are_not_alike) {
  run.host(8);
  budget("project:p2", 1, "refuse");
  std::vector<JobId> p2, p1;
  for (int i = 0; i < 6; ++i) {
    auto spec = timed(slots("ann", 1), 1);
    spec.spec.project = i % 2 ? "p1" : "p2";
    (i % 2 ? p1 : p2).push_back(run.submit(spec));
  }
  run.settle();
  EXPECT_EQ(state_of(p2[0]), JobState::Running);
  EXPECT_EQ(state_of(p2[1]), JobState::Pending);
  for (auto id : p1) EXPECT_EQ(state_of(id), JobState::Running);
}

TEST_F(budgets_in_a_pass, who_draws_nothing_of_what_is_used_up_is_not_bound) {
  gpu_hosts(2);
  BudgetConf made;
  made.name = "user:ann", made.gpu_hours = 0;
  run.config.budgets.list = {made};
  run.reconfigure();
  auto cpus = submit_and_settle(slots("ann", 1));
  auto gpus = submit_and_settle(test::rigid("ann", 1));
  EXPECT_EQ(state_of(cpus), JobState::Running);
  EXPECT_EQ(state_of(gpus), JobState::Pending);
  EXPECT_TRUE(budget_warnings(run.state, slots("ann", 1).spec, at(1)));
  EXPECT_FALSE(budget_warnings(run.state, test::rigid("ann", 1).spec, at(1)));
}

}  // namespace
}  // namespace wm::sched
