// Role: others make way for elements of an array as for jobs: element by element.
#include "libwm/sched/placement/preempt.h"
#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using test::slots;

class PreemptsForArrays : public test::ClaimCluster {
 protected:
  PreemptsForArrays() {
    queue("high", [](QueueConf& q) { q.preempts = {"lower"}; });
    queue("low", [](QueueConf& q) { q.preempt_by = PreemptBy::Requeue; });
    run.host(3);
    for (int i = 0; i < 3; ++i) low.push_back(submit_and_settle(slots("ann", 1).queue("low")));
  }
  // Who makes way for whom, by the victims' numbers.
  std::vector<JobId> winners(const Plan& plan) {
    std::vector<JobId> ids;
    for (const auto& piece : plan.preempts) ids.push_back(piece.by);
    std::sort(ids.begin(), ids.end());
    return ids;
  }
  test::SpecBuilder array(std::uint32_t elements, std::uint32_t limit = 0) {
    return slots("bob", 1).queue("high").array(1, elements, limit);
  }
  void leave() {
    run.end_preempted();
    ASSERT_GE(run.settle(), 0);
  }
  JobState state_of(JobId id) { return run.job(id).state; }
  std::vector<JobId> low;
};

using Ids = std::vector<JobId>;

TEST_F(PreemptsForArrays, every_element_has_its_victims_and_starts_in_their_place) {
  auto base = run.submit(array(2));
  EXPECT_EQ(winners(run.pass()), (Ids{{base.job, 1}, {base.job, 2}}));
  EXPECT_EQ(state_of({base.job, 1}), JobState::Pending) << "a job of its own from now on";
  leave();
  EXPECT_EQ(state_of({base.job, 1}), JobState::Running);
  EXPECT_EQ(state_of({base.job, 2}), JobState::Running);
  EXPECT_EQ(state_of(low[0]), JobState::Running) << "not needed";
  EXPECT_EQ(state_of(low[1]), JobState::Pending);
  EXPECT_EQ(state_of(low[2]), JobState::Pending);
}

TEST_F(PreemptsForArrays, nobody_makes_way_beyond_the_limit_of_the_array) {
  auto base = run.submit(array(3, 1));
  EXPECT_EQ(winners(run.pass()), (Ids{{base.job, 1}}));
  leave();
  EXPECT_EQ(state_of({base.job, 1}), JobState::Running);
  EXPECT_TRUE(run.pass().preempts.empty());
  run.end({base.job, 1});
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(state_of({base.job, 2}), JobState::Running) << "in the place of the first";
}

TEST_F(PreemptsForArrays, nobody_makes_way_beyond_the_limit_of_the_plan) {
  plan({.path = "/a", .limit = 2});
  auto base = run.submit(array(3).plan("/a"));
  EXPECT_EQ(winners(run.pass()), (Ids{{base.job, 1}, {base.job, 2}}));
}

TEST_F(PreemptsForArrays, who_made_way_goes_on_when_the_array_is_ended) {
  queue("low", [](QueueConf& q) { q.preempt_by = PreemptBy::Suspend; });
  auto base = run.submit(array(1));
  ASSERT_EQ(winners(run.pass()), (Ids{{base.job, 1}}));
  EXPECT_EQ(state_of(low[2]), JobState::Suspended);
  run.step(KillRequested{{base.job, 1}, {}});
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(state_of(low[2]), JobState::Running);
}

}  // namespace
}  // namespace wm::sched
