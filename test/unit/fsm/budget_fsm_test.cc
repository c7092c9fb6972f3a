// What jobs draw on their budgets, by events alone.
#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

constexpr std::int64_t kCpuSecond = 1'000'000;  // thousandths times ms

/// A cluster with a budget of everything and one of user ann.
class budgets_of_events : public ::testing::Test {
 protected:
  budgets_of_events() {
    for (const char* name : {"/", "project:p1", "user:ann"}) {
      BudgetConf budget;
      budget.name = name, budget.cpu_hours = 10, budget.gpu_hours = 10;
      c.config.budgets.list.push_back(budget);
    }
    c.reconfigure();
    host = c.host(4, 2);
  }
  JobId run(double when, const std::string& user, std::uint32_t tasks = 1, std::uint32_t gpus = 0) {
    SpecBuilder spec;
    spec.user(user, 1001).tasks(tasks, tasks).app("training");
    if (gpus) spec.gpus(gpus);
    c.step(JobSubmitted{{++last, 0}, spec.sealed()}, when);
    JobId id{last, 0};
    std::vector<Task> all;
    for (std::uint32_t n = 1; n <= tasks; ++n) {
      Task task;
      task.number = TaskNumber{n}, task.host = host;
      if (gpus) task.gpus = {static_cast<std::uint16_t>(n - 1)};
      all.push_back(task);
    }
    c.step(JobDispatched{id, Attempt{1}, all, std::string(32, 'k')}, when);
    for (const auto& task : all) c.step(TaskStarted{id, Attempt{1}, task.number, 7}, when);
    return id;
  }
  void end(double when, JobId id, std::uint32_t task = 1, Term term = Term::None,
           double truly = 0) {
    TaskEnded ended{id, Attempt{1}, TaskNumber{task}, 0, term, {}, ""};
    if (truly > 0) ended.at = at(truly);
    c.step(ended, when);
  }
  Drawn used(const std::string& name, double when) {
    const auto& config = *c.state.config;
    auto account = *find_budget(c.state, name);
    settle(config.budgets, *config.budgets.find(name), account, at(when));
    return account.used();
  }
  ClusterBuilder c;
  HostId host;
  std::uint32_t last = 0;
};

TEST_F(budgets_of_events, a_job_draws_while_it_holds_on_every_budget_that_is_about_it) {
  auto a = run(10, "ann", 2, 1);
  EXPECT_EQ(used("/", 15), (Drawn{10 * kCpuSecond, 10 * kCpuSecond}));
  EXPECT_EQ(used("user:ann", 15), used("/", 15));
  EXPECT_EQ(used("project:p1", 15), Drawn{});
  run(15, "bob");
  end(20, a, 1);
  end(21.5, a, 2);
  EXPECT_EQ(used("user:ann", 100), (Drawn{21'500'000, 21'500'000}));
  EXPECT_EQ(used("/", 100).cpu, (21'500 + 85'000) * 1000);
}

TEST_F(budgets_of_events, an_attempt_that_its_host_lost_is_credited_whole) {
  auto a = run(10, "ann", 2);
  auto b = run(10, "ann", 1);
  end(20, a, 1, Term::HostLost);
  end(21, a, 2);
  EXPECT_EQ(used("user:ann", 30).cpu, 20 * kCpuSecond);
  end(31, b);
  EXPECT_EQ(used("/", 60).cpu, 21 * kCpuSecond);
}

TEST_F(budgets_of_events, an_attempt_whose_signature_its_host_could_not_prove_is_credited) {
  auto a = run(10, "ann", 1);
  end(20, a, 1, Term::NotSigned);
  EXPECT_EQ(used("user:ann", 30), Drawn{});
}

TEST_F(budgets_of_events, an_end_that_is_told_late_is_credited_from_then_on) {
  auto a = run(10, "ann", 1);
  end(50, a, 1, Term::None, 20);
  EXPECT_EQ(used("user:ann", 60).cpu, 10 * kCpuSecond);
  auto b = run(60, "ann", 1);
  end(70, b, 1, Term::None, 20);  // a clock that says it ended before it began
  EXPECT_EQ(used("user:ann", 90).cpu, 10 * kCpuSecond);
}

TEST_F(budgets_of_events, late_and_lost_is_credited_once) {
  auto a = run(10, "ann", 2);
  end(30, a, 1, Term::None, 20);
  end(40, a, 2, Term::HostLost);
  EXPECT_EQ(used("user:ann", 60), Drawn{});
}

TEST_F(budgets_of_events, what_is_stuck_is_nobodys_to_pay) {
  auto a = run(10, "ann", 1);
  c.step(KillRequested{a, {Term::Owner, "ann", "", at(12)}}, 12);
  c.step(TaskStuck{a, Attempt{1}, TaskNumber{1}, "zombie"}, 20);
  EXPECT_EQ(used("user:ann", 100).cpu, 10 * kCpuSecond);
  end(110, a);
  EXPECT_EQ(used("user:ann", 200).cpu, 10 * kCpuSecond);
  EXPECT_EQ(find_budget(c.state, "user:ann")->rate, Drawn{});
}

TEST_F(budgets_of_events, a_budget_that_comes_later_counts_from_then_on) {
  auto budgets = c.config.budgets;
  c.config.budgets = {};
  c.step(ConfigLoaded{std::make_shared<const Config>(c.config)}, 5);
  auto a = run(10, "ann", 2);
  c.config.budgets = budgets;
  c.step(ConfigLoaded{std::make_shared<const Config>(c.config)}, 20);
  EXPECT_EQ(used("/", 25).cpu, 10 * kCpuSecond);
  end(30, a, 1), end(30, a, 2);
  EXPECT_EQ(used("/", 99).cpu, 20 * kCpuSecond);
}

TEST_F(budgets_of_events, periods_follow_one_another_and_a_part_of_the_rest_goes_on_once) {
  auto& list = c.config.budgets.list;
  auto t = [](double s) { return at(s).time_since_epoch().count() / 1'000'000; };
  c.config.budgets.months = {t(0), t(7200), t(14'400), t(21'600)};
  for (auto& budget : list) budget.cpu_hours = 1, budget.gpu_hours = {}, budget.carry = 50;
  c.step(ConfigLoaded{std::make_shared<const Config>(c.config)}, 1);
  auto a = run(5400, "ann");  // half an hour in the first period, all of the second
  const auto& config = *c.state.config;
  const auto& conf = *config.budgets.find("/");
  auto account = *find_budget(c.state, "/");
  settle(config.budgets, conf, account, at(7300));
  EXPECT_EQ(account.used().cpu, 100 * kCpuSecond);
  EXPECT_EQ(account.carried.cpu, kUnitHour / 2);
  end(9000, a);
  account = *find_budget(c.state, "/");
  EXPECT_EQ(account.used().cpu, kUnitHour / 2);
  settle(config.budgets, conf, account, at(14'401));
  EXPECT_EQ(account.carried.cpu, kUnitHour / 2);  // of the grant nothing was used
  settle(config.budgets, conf, account, at(21'601));
  EXPECT_EQ(account.carried.cpu, kUnitHour / 2);  // half of the grant, not of what was carried
}

TEST_F(budgets_of_events, a_snapshot_keeps_them) {
  run(10, "ann", 2, 1);
  auto again = codec::decode<Cluster>(codec::encode(c.state));
  ASSERT_TRUE(again);
  EXPECT_EQ(*find_budget(*again, "/"), *find_budget(c.state, "/"));
  EXPECT_EQ(again->config->budgets, c.state.config->budgets);
  EXPECT_EQ(find_job(*again, {1, 0})->holding, c.job({1, 0}).holding);
}

}  // namespace
}  // namespace wm
