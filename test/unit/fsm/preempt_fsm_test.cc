// Role: a preempted attempt: it ends in its own way, waits again or is over; alternatives and
// memory reservations as the state keeps them.
#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

class PreemptFsm : public testing::Test {
 protected:
  PreemptFsm() : h1(c.host(4)) {
    low = c.submit(SpecBuilder().tasks(2, 2));
    high = c.submit(SpecBuilder().user("u2", 1002));
    c.run(low, {h1, h1});
  }
  JobPreempted preempt(bool requeue) {
    return {low, Attempt{1}, {high, test::at(30), requeue, "preempted by job <2>"}};
  }
  void end_task(std::int32_t status) {
    c.step(TaskEnded{low, c.job(low).attempt, TaskNumber{1}, status, Term::None, {}, ""});
  }
  ClusterBuilder c;
  HostId h1;
  JobId low, high;
};

constexpr std::int32_t kBySigterm = 15;

TEST_F(PreemptFsm, its_hosts_are_told_and_its_tasks_run_on_meanwhile) {
  auto actions = c.step(preempt(true));
  EXPECT_EQ(actions, (Actions{OrderHost{h1, low}}));
  EXPECT_EQ(c.job(low).state, JobState::Running);
  EXPECT_EQ(c.host_of(h1).used_slots, 2u);
}

TEST_F(PreemptFsm, when_its_tasks_are_gone_it_waits_again) {
  c.step(preempt(true));
  end_task(kBySigterm);
  EXPECT_EQ(c.job(low).state, JobState::Pending);
  EXPECT_EQ(c.host_of(h1).used_slots, 0u);
  ASSERT_TRUE(c.job(low).waits.preempted);
  EXPECT_EQ(c.job(low).waits.preempted->by, high);
  EXPECT_EQ(c.job(low).returns.requeues, 0u);  // not its fault
  EXPECT_EQ(c.job(low).returns.preemptions, 1u);
}

TEST_F(PreemptFsm, an_element_that_others_make_way_for_is_made) {
  auto base = c.submit(SpecBuilder().array(1, 2));
  high = {base.job, 2};
  c.step(preempt(true));
  const Job* element = find_job(c.state, high);
  ASSERT_TRUE(element);
  EXPECT_EQ(element->state, JobState::Pending);
  EXPECT_FALSE(find_job(c.state, {base.job, 1}));
}

TEST_F(PreemptFsm, what_others_make_way_for_may_be_gone) {
  auto base = c.submit(SpecBuilder().array(1, 2));
  c.step(KillRequested{base, {}});
  for (JobId by : {JobId{base.job, 2}, JobId{base.job, 9}, JobId{99, 1}}) {
    high = by;
    auto before = c.state.elements.last();
    c.step(preempt(true));
    EXPECT_EQ(c.state.elements.last(), before) << to_string(by);
    c.run(low = c.submit(SpecBuilder().tasks(1, 1)), {c.host(1)});
  }
}

TEST_F(PreemptFsm, saving_its_work_and_ending_well_is_not_the_end_of_the_job) {
  c.step(preempt(true));
  end_task(0);
  EXPECT_EQ(c.job(low).state, JobState::Pending);
}

TEST_F(PreemptFsm, its_next_attempt_owes_nobody) {
  c.step(preempt(true));
  end_task(kBySigterm);
  c.run(low, {h1, h1});
  EXPECT_FALSE(c.job(low).waits.preempted);
  end_task(0);
  EXPECT_EQ(c.job(low).state, JobState::Finished);
}

TEST_F(PreemptFsm, without_requeue_it_ends_with_the_reason) {
  c.step(preempt(false));
  end_task(kBySigterm);
  EXPECT_EQ(c.job(low).state, JobState::Failed);
  EXPECT_EQ(c.job(low).outcome.term, Term::Preempt);
  EXPECT_EQ(c.job(low).outcome.text, "preempted by job <2>");
}

TEST_F(PreemptFsm, a_kill_goes_before) {
  c.step(preempt(true));
  c.step(KillRequested{low, {Term::Owner, "u1", "", {}}});
  end_task(kBySigterm);
  EXPECT_EQ(c.job(low).state, JobState::Killed);
  EXPECT_EQ(c.job(low).outcome.term, Term::Owner);
}

TEST_F(PreemptFsm, twice_pending_or_ending_is_refused) {
  c.step(preempt(true));
  EXPECT_FALSE(c.check(preempt(true)));
  EXPECT_FALSE(c.check(JobPreempted{high, Attempt{0}, {}}));
  end_task(kBySigterm);
  EXPECT_FALSE(c.check(preempt(true)));
}

TEST(memory_fsm, a_reservation_that_is_over_is_given_back_once) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto spec = SpecBuilder().tasks(2, 2);
  spec.spec.task.mem = Bytes{1000};
  auto id = c.submit(spec);
  c.run(id, {h, h});
  EXPECT_EQ(c.host_of(h).used_mem.value, 2000);
  c.step(MemoryReleased{id, Attempt{1}});
  EXPECT_EQ(c.host_of(h).used_mem.value, 0);
  EXPECT_FALSE(c.check(MemoryReleased{id, Attempt{1}}));
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""});
  EXPECT_EQ(c.host_of(h).used_mem.value, 0);
}

TEST(memory_fsm, memory_per_host_is_held_once_a_host_for_as_long_as_a_task_is_there) {
  ClusterBuilder c;
  auto h1 = c.host(4), h2 = c.host(4);
  auto spec = SpecBuilder().app("training").tasks(3, 3);
  spec.spec.task.mem = Bytes{1000};
  spec.spec.task.mem_per_host = true;
  auto id = c.submit(spec);
  c.run(id, {h1, h1, h2});
  EXPECT_EQ(c.host_of(h1).used_mem.value, 1000);
  EXPECT_EQ(c.host_of(h2).used_mem.value, 1000);
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""});
  EXPECT_EQ(c.host_of(h1).used_mem.value, 1000) << "the other one there holds it now";
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{2}, 0, Term::None, {}, ""});
  EXPECT_EQ(c.host_of(h1).used_mem.value, 0);
  c.step(MemoryReleased{id, Attempt{1}});
  EXPECT_EQ(c.host_of(h2).used_mem.value, 0);
}

TEST(alternatives_fsm, an_attempt_runs_under_the_one_it_was_given) {
  ClusterBuilder c;
  auto h = c.host(4);
  SpecBuilder spec;
  spec.spec.task.mem = Bytes{5000};
  SealedSpec sealed = *spec.sealed();
  sealed.alternatives = {sealed.spec};
  sealed.alternatives[0].task.mem = Bytes{10};
  JobId id{1, 0};
  c.step(JobSubmitted{id, std::make_shared<const SealedSpec>(sealed)});
  Task task;
  task.number = TaskNumber{1};
  task.host = h;
  EXPECT_FALSE(c.check(JobDispatched{id, Attempt{1}, {task}, "", 2}));
  c.step(JobDispatched{id, Attempt{1}, {task}, std::string(32, 'k'), 1});
  EXPECT_EQ(c.host_of(h).used_mem.value, 10);
  EXPECT_EQ(c.job(id).spec().task.mem.value, 10);
}

TEST(wait_fsm, recorded_reasons_change_nothing) {
  ClusterBuilder c;
  auto id = c.submit(SpecBuilder());
  Job before = c.job(id);
  EXPECT_TRUE(c.step(WaitRecorded{{id}, {{PendCode::Slots, "t", 1, ""}}}).empty());
  EXPECT_EQ(c.job(id), before);
}

}  // namespace
}  // namespace wm
