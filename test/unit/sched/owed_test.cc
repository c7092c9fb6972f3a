// Role: the room that victims give is for whom they made way: one that stands before it, and that
// may preempt nobody, waits for other room, or they would have made way for nothing.
#include "libwm/sched/placement/preempt.h"
#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using test::slots;

class Owed : public test::ClaimCluster {
 protected:
  Owed() {
    queue("normal", [](QueueConf& q) { q.preempts = {"lower"}; });
    queue("low", [](QueueConf& q) { q.preempt_by = PreemptBy::Suspend; });
    run.host(2);
    low = run.submit(slots("ann", 2).queue("low"));
    run.pass();
  }
  // The job that runs is parked for this one.
  JobId submit_and_park() {
    JobId by = run.submit(slots("eve", 2).queue("normal"));
    auto plan = run.pass();
    EXPECT_EQ(plan.preempts.size(), 1u);
    EXPECT_EQ(run.job(low).state, JobState::Suspended);
    return by;
  }
  void expect_started(JobId by) {
    ASSERT_GE(run.settle(), 0);
    EXPECT_EQ(run.job(by).state, JobState::Running) << run.why(by);
  }
  JobId low;
};

TEST_F(Owed, an_earlier_job_of_another_user_does_not_take_the_room) {
  auto earlier = run.submit(slots("bob", 1).queue("high"));
  auto by = submit_and_park();
  expect_started(by);
  EXPECT_EQ(run.job(earlier).state, JobState::Pending);
  EXPECT_FALSE(run.why(earlier).empty());
  run.end(by);
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.job(earlier).state, JobState::Running);
}

TEST_F(Owed, an_earlier_job_of_its_own_user_does_not_take_the_room) {
  run.submit(slots("eve", 1).queue("high"));
  expect_started(submit_and_park());
}

TEST_F(Owed, one_that_comes_while_they_leave_does_not_take_the_room) {
  auto by = submit_and_park();
  run.submit(slots("bob", 1).queue("high"));
  expect_started(by);
}

// The other has started, and then made way itself: it may wait for long.
TEST_F(Owed, who_was_parked_goes_on_when_the_other_has_started_and_waits_again) {
  queue("high", [](QueueConf& q) { q.preempts = {"normal"}; });
  queue("normal", [](QueueConf& q) { q.preempt_by = PreemptBy::Requeue; });
  run.end(low);
  low = run.submit(slots("ann", 1).queue("low"));
  run.pass();
  ASSERT_EQ(run.job(low).state, JobState::Running);
  auto by = submit_and_park();
  run.now = 1;
  expect_started(by);
  run.now = 2;
  auto high = run.submit(slots("bob", 1).queue("high"));
  run.pass();
  run.end_preempted();
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.job(high).state, JobState::Running);
  EXPECT_EQ(run.job(by).state, JobState::Pending);
  EXPECT_EQ(run.job(low).state, JobState::Running);
}

TEST_F(Owed, who_was_parked_goes_on_when_the_other_is_killed) {
  auto by = submit_and_park();
  run.step(KillRequested{by, {}});
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.job(low).state, JobState::Running);
}

}  // namespace
}  // namespace wm::sched
