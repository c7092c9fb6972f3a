#include "test/support/sound_plan.h"

#include "test/support/sched_cluster.h"

namespace wm::test {
namespace {

class sound_plan : public SchedCluster {
 protected:
  sound_plan() {
    gpu_hosts(1);
    job = run.submit(rigid("ann", 1));
    late = run.submit(rigid("bob", 1));
    plan = sched::schedule(run.state, run.policy, at(0));
  }
  std::string fault() const {
    auto checked = check_plan(run.state, plan);
    return checked ? "" : checked.error().text;
  }
  JobId job, late;
  sched::Plan plan;
};

TEST_F(sound_plan, one_that_the_scheduler_makes_is_sound) {
  ASSERT_EQ(plan.starts.size(), 1u);
  ASSERT_EQ(plan.waiting.size(), 1u);
  EXPECT_EQ(fault(), "");
}

TEST_F(sound_plan, a_job_with_two_pieces_is_found) {
  plan.waiting.push_back({job, plan.waiting.front().reasons});
  EXPECT_NE(fault().find("starts and waits"), std::string::npos) << fault();
}

TEST_F(sound_plan, a_place_that_is_taken_is_found) {
  plan.starts.push_back(plan.starts.front());
  plan.starts.back().job = late;
  plan.waiting.clear();
  EXPECT_NE(fault().find("does not allow it"), std::string::npos) << fault();
}

TEST_F(sound_plan, a_job_that_does_not_wait_and_one_without_a_reason_are_found) {
  auto good = plan;
  plan.waiting.front().reasons = std::make_shared<std::vector<PendReason>>();
  EXPECT_NE(fault().find("waits without a reason"), std::string::npos) << fault();
  plan = good;
  run.pass();
  EXPECT_NE(fault().find("starts, but does not wait"), std::string::npos) << fault();
}

TEST_F(sound_plan, an_attempt_that_is_over_neither_grows_nor_makes_way) {
  plan = {};
  plan.grows.push_back({job, Attempt{1}, {}, ""});
  EXPECT_NE(fault().find("grows, but that attempt is over"), std::string::npos) << fault();
  plan = {};
  plan.preempts.push_back({job, Attempt{1}, late, {}, {}, ""});
  EXPECT_NE(fault().find("makes way, but that attempt is over"), std::string::npos) << fault();
}

}  // namespace
}  // namespace wm::test
