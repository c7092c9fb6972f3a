// Role: a job that is over waits again: from anew, under its number; and one that had to end
// for it may wait held.
#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

class RequeueFsm : public testing::Test {
 protected:
  JobId over(std::int32_t status, SpecBuilder spec = {}) {
    auto id = c.submit(spec);
    c.run(id, {h1});
    end(id, status);
    return id;
  }
  void end(JobId id, std::int32_t status, std::uint32_t task = 1) {
    Usage used{.cpu = std::chrono::seconds(5), .gpu_energy_mj = 4000};
    c.step(TaskEnded{id, c.job(id).attempt, TaskNumber{task}, status, Term::None, used, ""});
  }
  ClusterBuilder c;
  HostId h1 = c.host(2);
};

TEST_F(RequeueFsm, what_is_over_waits_as_if_it_had_never_run) {
  auto id = over(3 << 8);
  ASSERT_EQ(c.job(id).state, JobState::Failed);
  auto submitted = c.job(id).times.submitted;
  EXPECT_EQ(c.step(JobRequeued{id, "u1", false}, 60), (Actions{RunScheduler{}}));
  const Job& job = c.job(id);
  EXPECT_EQ(job.state, JobState::Pending);
  EXPECT_EQ(job.times.submitted, submitted);
  EXPECT_EQ(job.outcome.status, 0);
  EXPECT_EQ(job.times.started, WallTime{});
  EXPECT_EQ(job.times.ended, WallTime{});
  EXPECT_EQ(job.usage, Usage{});
  EXPECT_EQ(job.attempt, Attempt{1});
}

TEST_F(RequeueFsm, it_runs_again_as_another_attempt) {
  auto id = over(0);
  c.step(JobRequeued{id, "u1", false});
  c.run(id, {h1});
  EXPECT_EQ(c.job(id).attempt, Attempt{2});
  end(id, 0);
  EXPECT_EQ(c.job(id).state, JobState::Finished);
  EXPECT_EQ(c.job(id).usage.cpu, std::chrono::seconds(5));
}

TEST_F(RequeueFsm, what_its_tasks_used_on_all_hosts_adds_up) {
  auto id = c.submit(SpecBuilder().app("training").tasks(2, 2));
  c.run(id, {h1, c.host(2)});
  end(id, 0, 1);
  end(id, 0, 2);
  EXPECT_EQ(c.job(id).usage.gpu_energy_mj, 8000);
  EXPECT_EQ(c.job(id).usage.cpu, std::chrono::seconds(10));
}

TEST_F(RequeueFsm, held_it_waits_for_its_release) {
  auto id = over(0);
  c.step(JobRequeued{id, "u1", true});
  EXPECT_EQ(c.job(id).state, JobState::Held);
  c.step(JobReleased{id, "u1"});
  EXPECT_EQ(c.job(id).state, JobState::Pending);
}

TEST_F(RequeueFsm, an_attempt_that_is_ended_for_it_leaves_a_held_job) {
  auto id = c.submit({});
  c.run(id, {h1});
  c.step(JobPreempted{id, Attempt{1}, {{}, at(30), true, "requeued by user u1", true}});
  end(id, 15);
  EXPECT_EQ(c.job(id).state, JobState::Held);
  EXPECT_EQ(c.host_of(h1).used_slots, 0u);
}

TEST_F(RequeueFsm, one_that_was_killed_while_it_waited_waits_again) {
  auto id = c.submit({});
  c.step(KillRequested{id, {Term::Owner, "u1", "", at(1)}});
  c.step(JobRequeued{id, "u1", false});
  EXPECT_EQ(c.job(id).state, JobState::Pending);
  EXPECT_FALSE(c.job(id).kill);
}

TEST_F(RequeueFsm, so_does_an_element_that_its_array_took_along) {
  auto array = c.submit(SpecBuilder().array(1, 3));
  JobId second{array.job, 2};
  EXPECT_FALSE(c.check(JobRequeued{second, "u1", false}));
  c.step(KillRequested{array, {Term::Owner, "u1", "", at(1)}});
  EXPECT_FALSE(c.check(JobRequeued{array, "u1", false}));
  c.step(JobRequeued{second, "u1", false});
  EXPECT_EQ(c.job(second).state, JobState::Pending);
  c.run(second, {h1});
  end(second, 0);
  EXPECT_EQ(c.job(second).state, JobState::Finished);
  EXPECT_FALSE(find_job(c.state, {array.job, 3}));
}

TEST_F(RequeueFsm, what_cannot_run_twice_and_what_is_not_over_does_not) {
  auto waits = c.submit({});
  EXPECT_FALSE(c.check(JobRequeued{waits, "u1", false}));
  SpecBuilder interactive;
  interactive.spec.console.streams = Streams::Pipes;
  EXPECT_FALSE(c.check(JobRequeued{over(0, interactive), "u1", false}));
  SpecBuilder spooled;
  spooled.spec.files.in_spooled = true;
  EXPECT_FALSE(c.check(JobRequeued{over(0, spooled), "u1", false}));
}

}  // namespace
}  // namespace wm
