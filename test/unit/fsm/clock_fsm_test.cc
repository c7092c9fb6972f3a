// The wall clock is set: what has begun and not ended moves along with it, so that run times,
// charges and graces stay what they were; dates of the calendar stay.
#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;
using namespace std::chrono_literals;

constexpr double kDay = 86400;

/// A budget of everything, a host, a job on it since 10 s.
struct Site : ClusterBuilder {
  Site() {
    BudgetConf budget;
    budget.name = "/", budget.cpu_hours = 1000;
    config.budgets.list.push_back(budget);
    // Months: the second begins at half a day.
    config.budgets.months = {at(-30 * kDay).time_since_epoch() / 1s,
                             at(kDay / 2).time_since_epoch() / 1s,
                             at(30 * kDay).time_since_epoch() / 1s};
    reconfigure();
    host_ = host(4);
    job_ = run_at(10);
  }
  JobId run_at(double when) {
    step(JobSubmitted{{++last_, 0}, SpecBuilder().tasks(1, 1).sealed()}, when);
    Task task;
    task.number = TaskNumber{1}, task.host = host_;
    JobId id{last_, 0};
    step(JobDispatched{id, Attempt{1}, {task}, std::string(32, 'k')}, when);
    step(TaskStarted{id, Attempt{1}, task.number, 7}, when);
    return id;
  }
  void end_at(double when) { step(test::ended(*this, job_, 1), when); }
  std::int64_t drawn(double when) const {
    auto account = *find_budget(state, "/");
    settle(state.config->budgets, *state.config->budgets.find("/"), account, at(when));
    return account.used().cpu / 1'000'000;
  }
  Duration ran() const { return job(job_).times.ended - job(job_).times.started; }
  HostId host_;
  JobId job_;
  std::uint32_t last_ = 0;
};

TEST(clock_fsm, a_day_forward_for_six_seconds_changes_no_run_time_and_no_charge) {
  Site c;
  c.step(ClockStepped{24h, true}, kDay + 20);
  auto other = c.run_at(kDay + 22);
  c.step(ClockStepped{-24h}, 26);
  EXPECT_EQ(c.job(other).times.started, at(22));
  c.end_at(40);
  EXPECT_EQ(c.ran(), 30s);
  EXPECT_EQ(c.job(c.job_).holding.slot_time, 30s);
  EXPECT_EQ(c.drawn(40), 30 + 18);
  EXPECT_EQ(c.state.time, at(40)) << "events bear what the clock says";
}

TEST(clock_fsm, a_clock_that_was_wrong_and_is_set_right_keeps_run_times) {
  for (double by : {-3600.0, 3600.0}) {
    Site c;
    c.step(ClockStepped{Duration(std::int64_t(by * 1e6))}, by + 20);
    c.end_at(by + 40);
    EXPECT_EQ(c.ran(), 30s) << by;
    EXPECT_EQ(c.job(c.job_).holding.slot_time, 30s) << by;
  }
}

TEST(clock_fsm, the_period_of_a_budget_does_not_end_while_the_clock_is_doubted) {
  Site c;
  c.step(ClockStepped{24h, true}, kDay + 20);
  c.run_at(kDay + 22);  // charges the account
  c.step(ClockStepped{-24h}, 26);
  EXPECT_EQ(c.drawn(26), 16 + 4) << "the month's use was lost";
}

TEST(clock_fsm, a_clock_that_is_trusted_makes_the_period_end) {
  Site c;
  c.step(ClockStepped{24h, true}, kDay + 20);
  c.step(ClockTrusted{"root", "it was wrong for long"}, kDay + 30);
  EXPECT_EQ(c.state.clock_doubt, 0s);
  c.run_at(kDay + 31);  // charges the account
  EXPECT_EQ(find_budget(c.state, "/")->since, at(kDay / 2)) << "another month";
  c.end_at(kDay + 40);
  EXPECT_EQ(c.ran(), 30s);
}

TEST(clock_fsm, what_waits_moves_along_with_long_steps_only) {
  Site c;
  c.step(JobSubmitted{{9, 0}, SpecBuilder().tasks(9, 9).sealed()}, 12);
  c.step(ClockStepped{30s}, 50);
  EXPECT_EQ(c.job({9, 0}).times.submitted, at(12));
  EXPECT_EQ(c.job(c.job_).times.started, at(40));
  c.step(ClockStepped{24h}, kDay + 50);
  EXPECT_EQ(c.job({9, 0}).times.submitted, at(kDay + 12));
}

TEST(clock_fsm, graces_and_promises_move_along_dates_that_people_named_stay) {
  Site c;
  SpecBuilder dated;
  dated.spec.when.begin = at(5000);
  c.step(JobSubmitted{{9, 0}, dated.sealed()}, 12);
  c.step(JobSubmitted{{10, 0}, SpecBuilder().sealed()}, 12);
  c.step(StartPromised{{10, 0}, at(100)}, 13);
  c.step(JobPreempted{c.job_, Attempt{1}, {{10, 0}, at(60), true, "", false}}, 14);
  c.step(ClockStepped{24h}, kDay + 20);
  EXPECT_EQ(c.job(c.job_).waits.preempted->leave_by, at(kDay + 60));
  EXPECT_EQ(c.job({10, 0}).waits.promised, at(kDay + 100));
  EXPECT_EQ(c.job({9, 0}).spec().when.begin, at(5000));
}

TEST(clock_fsm, what_is_over_keeps_its_dates) {
  Site c;
  c.end_at(30);
  c.step(ClockStepped{24h}, kDay + 40);
  EXPECT_EQ(c.job(c.job_).times.ended, at(30));
}

TEST(clock_fsm, a_snapshot_keeps_the_doubt) {
  Site c;
  c.step(ClockStepped{24h, true}, kDay + 40);
  auto again = codec::decode<Cluster>(codec::encode(c.state));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->clock_doubt, 24h);
  EXPECT_EQ(c.state.freeze().clock_doubt, 24h);
}

TEST(clock_fsm, a_step_of_nothing_is_no_event) {
  Site c;
  EXPECT_EQ(c.check(ClockStepped{}).error().code, Code::Stale);
}

}  // namespace
}  // namespace wm
