// Role: the order by slowdown: what is compared, and that each waiting job comes first in the end.
#include "libwm/sched/demand/order.h"

#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using test::slots;
using test::SpecBuilder;

TEST(slowdown, is_the_whole_time_over_the_run_limit) {
  EXPECT_DOUBLE_EQ(slowdown_of(seconds(0), seconds(60)), 1);
  EXPECT_DOUBLE_EQ(slowdown_of(seconds(90), seconds(60)), 2.5);
}

TEST(slowdown, counts_very_short_jobs_as_10_s_and_those_without_a_limit_as_an_hour) {
  EXPECT_DOUBLE_EQ(slowdown_of(seconds(20), seconds(1)), 3);
  EXPECT_DOUBLE_EQ(slowdown_of(hours(1), {}), 2);
}

TEST(slowdown, ranks_the_larger_first_and_never_overflows) {
  EXPECT_LT(slowdown_rank(seconds(20), seconds(10)), slowdown_rank(seconds(30), seconds(60)));
  EXPECT_LT(slowdown_rank(hours(1'000'000), seconds(1)), slowdown_rank(hours(1), seconds(1)));
}

using SubmitOrder = test::SchedCluster;

TEST_F(SubmitOrder, an_element_that_waits_again_goes_before_those_that_have_not_begun) {
  run.host(1);
  auto spec = slots("ann", 1).array(1, 3);
  spec.spec.requeue_exits.codes = {3};
  auto base = submit_and_settle(spec);
  JobId first{base.job, 1};
  run.step(TaskEnded{first, Attempt{1}, TaskNumber{1}, 3 << 8, Term::None, {}, ""});
  ASSERT_EQ(run.job(first).state, JobState::Pending);
  auto plan = run.pass();
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_EQ(plan.starts[0].job, first);
}

// One slot that is taken; the others wait.
class BySlowdown : public test::SchedCluster {
 protected:
  BySlowdown() {
    run.host(1);
    queue("normal", [](QueueConf& conf) { conf.order = JobOrder::Slowdown; });
    first = submit_and_settle(slots("ann", 1));
  }
  JobId lasting(seconds limit) {
    SpecBuilder spec = slots("ann", 1);
    spec.spec.run_limit = limit;
    JobId id = run.submit(spec);
    run.state.jobs.edit(id.job).times.submitted = test::at(run.now);
    return id;
  }
  JobId first;
};

TEST_F(BySlowdown, a_short_job_overtakes_a_long_one) {
  JobId longer = lasting(hours(10));
  run.now += 60;
  JobId shorter = lasting(seconds(30));
  run.now += 60;
  run.end(first);
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(shorter), 1u);
  EXPECT_EQ(run.size(longer), 0u);
}

TEST_F(BySlowdown, a_long_job_that_has_waited_for_long_goes_before_a_short_one) {
  JobId longer = lasting(hours(1));
  run.now += 5 * 3600;
  JobId shorter = lasting(seconds(30));
  run.now += 60;
  run.end(first);
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(longer), 1u);
  EXPECT_EQ(run.size(shorter), 0u);
}

TEST(risen_priority, grows_by_one_each_step_of_waiting_for_all_alike) {
  const WallTime at{hours(24 * 365 * 56)};
  const Duration step = std::chrono::minutes(20);
  EXPECT_EQ(risen_priority(7, at, {}), 7u);
  EXPECT_EQ(risen_priority(7, at, step), risen_priority(5, at - 2 * step, step));
  EXPECT_GT(risen_priority(7, at, step), risen_priority(5, at - step, step));
  EXPECT_LT(risen_priority(7, at, step), risen_priority(5, at - 3 * step, step));
}

TEST_F(SubmitOrder, who_waits_long_passes_who_asked_for_more) {
  run.host(1);
  run.config.cluster.sched.priority_step = std::chrono::minutes(1);
  run.reconfigure();
  auto first = submit_and_settle(slots("ann", 1));
  auto submitted = [&](double at, std::uint32_t priority) {
    SpecBuilder spec = slots("ann", 1);
    spec.spec.user_priority = priority;
    JobId id = run.submit(spec);
    run.state.jobs.edit(id.job).times.submitted = test::at(at);
    return id;
  };
  auto higher = submitted(600, 5), patient = submitted(0, 0), urgent = submitted(600, 20);
  run.now = 601;
  for (JobId next : {urgent, patient, higher}) {
    run.end(first);
    EXPECT_GE(run.settle(), 0);
    EXPECT_EQ(run.size(next), 1u) << to_string(next);
    first = next;
  }
}

}  // namespace
}  // namespace wm::sched
