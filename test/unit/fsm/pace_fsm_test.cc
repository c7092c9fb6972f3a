// Role: what a job keeps of its speed, and the slots of one that is parked.
#include <gtest/gtest.h>

#include <cmath>

#include "test/support/builders.h"

namespace wm {
namespace {

using namespace std::chrono_literals;
using test::ClusterBuilder;
using test::SpecBuilder;

class PaceFsm : public testing::Test {
 protected:
  PaceFsm() : h1(c.host(4, 2)) {
    job = c.submit(SpecBuilder().elastic().gpus(1).tasks(1, 2));
    c.run(job, {h1, h1});
    c.enter_epoch(job, 1);
  }
  void says(std::uint32_t tasks, double local, Duration step, double noise = -1) {
    c.step(StepsMeasured{job, Attempt{1}, {1, tasks, local, step, Duration(-1)}, noise, {}});
  }
  void formed(EpochCause cause, Duration pause, bool known) {
    EpochFormed epoch{EpochNumber{++epochs}, {}, c.job(job).membership.members, 5};
    epoch.cause = cause;
    epoch.pause = pause;
    epoch.pause_known = known;
    c.step(EpochEntered{job, Attempt{1}, epoch});
  }
  const Pace& pace() { return c.job(job).pace; }
  ClusterBuilder c;
  HostId h1;
  JobId job;
  std::uint32_t epochs = 1;
};

TEST_F(PaceFsm, the_newest_of_a_size_and_batch_counts) {
  says(2, 16, 100ms);
  says(1, 32, 200ms);
  says(2, 16.4, 120ms);
  ASSERT_EQ(pace().reports.size(), 2u);
  EXPECT_EQ(pace().reports[1].step, 120ms);
}

TEST_F(PaceFsm, the_oldest_go_when_they_are_many) {
  for (int i = 0; i < 40; ++i) says(1, 10 * std::pow(1.1, i), 100ms);
  EXPECT_EQ(pace().reports.size(), 32u);
}

TEST_F(PaceFsm, a_report_without_noise_keeps_what_was_known) {
  says(2, 16, 100ms, 400);
  says(1, 32, 100ms);
  EXPECT_EQ(pace().noise, 400);
}

TEST_F(PaceFsm, no_step_is_refused) {
  EXPECT_FALSE(c.check(StepsMeasured{job, Attempt{1}, {1, 1, 0, 1ms, {}}, -1, {}}));
  EXPECT_FALSE(c.check(StepsMeasured{job, Attempt{1}, {1, 1, 1, 0ms, {}}, -1, {}}));
  EXPECT_FALSE(c.check(StepsMeasured{job, Attempt{2}, {1, 1, 1, 1ms, {}}, -1, {}}));
}

TEST_F(PaceFsm, only_the_pauses_of_chosen_changes_are_its_cost) {
  formed(EpochCause::Resize, 100ms, false);
  formed(EpochCause::Loss, 900ms, true);
  EXPECT_EQ(pace().resizes, 0u);
  formed(EpochCause::Resize, 100ms, true);
  formed(EpochCause::Resize, 300ms, true);
  EXPECT_EQ(pace().resizes, 2u);
  EXPECT_EQ(pace().resize_cost, 200ms);
}

TEST_F(PaceFsm, so_is_the_time_without_steps_around_a_new_start) {
  StepsMeasured event{job, Attempt{1}, {1, 2, 16, 100ms, Duration(-1)}, -1, {}};
  c.step(event);
  EXPECT_EQ(pace().resizes, 0u);
  event.pause = 4s;
  c.step(event);
  event.pause = 8s;
  c.step(event);
  EXPECT_EQ(pace().resizes, 2u);
  EXPECT_EQ(pace().resize_cost, 6s);
}

TEST_F(PaceFsm, it_is_kept_over_attempts) {
  says(2, 16, 100ms);
  c.step(JobPreempted{job, Attempt{1}, {JobId{9, 0}, test::at(9), true, "preempted"}});
  for (std::uint32_t n : {1u, 2u})
    c.step(TaskEnded{job, Attempt{1}, TaskNumber{n}, 0, Term::None, {}, ""});
  ASSERT_EQ(c.job(job).state, JobState::Pending);
  c.run(job, {h1});
  EXPECT_EQ(pace().reports.size(), 1u);
}

class ParkFsm : public testing::Test {
 protected:
  ParkFsm() : h1(c.host(4)) {
    auto spec = SpecBuilder().tasks(2, 2);
    spec.spec.task.mem = Bytes{1 << 20};
    low = c.submit(spec);
    high = c.submit(SpecBuilder().user("u2", 1002));
    c.run(low, {h1, h1});
  }
  JobParked park() { return {low, Attempt{1}, {high, "preempted by job <2>"}}; }
  ClusterBuilder c;
  HostId h1;
  JobId low, high;
};

TEST_F(ParkFsm, its_slots_are_free_its_memory_is_not) {
  auto actions = c.step(park(), 10);
  EXPECT_EQ(c.job(low).state, JobState::Suspended);
  EXPECT_EQ(c.host_of(h1).used_slots, 0u);
  EXPECT_EQ(c.host_of(h1).used_milli_cpus, 0u);
  EXPECT_EQ(c.host_of(h1).used_mem, Bytes{2 << 20});
  EXPECT_EQ(c.job(low).returns.preemptions, 1u);
  EXPECT_EQ(actions, (Actions{OrderHost{h1, low}, RunScheduler{}}));
}

TEST_F(ParkFsm, the_time_it_stood_still_is_counted) {
  c.step(park(), 10);
  c.step(JobUnparked{low, Attempt{1}}, 25);
  EXPECT_EQ(c.job(low).state, JobState::Running);
  EXPECT_EQ(c.job(low).suspension.earlier, 15s);
  EXPECT_EQ(c.host_of(h1).used_slots, 2u);
}

TEST_F(ParkFsm, it_goes_on_only_where_its_slots_are_free) {
  c.step(park());
  c.run(high, {h1, h1, h1});
  EXPECT_FALSE(c.check(JobUnparked{low, Attempt{1}}));
  EXPECT_FALSE(c.check(park())) << "twice";
}

TEST_F(ParkFsm, a_silent_host_and_its_return_leave_it_parked) {
  c.step(park());
  c.step(HostSilent{h1});
  EXPECT_EQ(c.job(low).state, JobState::Unknown);
  c.step(HostHeard{h1});
  EXPECT_EQ(c.job(low).state, JobState::Suspended);
  EXPECT_TRUE(c.job(low).parked);
}

TEST_F(ParkFsm, when_it_ends_it_gives_back_what_it_has) {
  c.step(park());
  c.run(high, {h1, h1, h1, h1});
  c.step(KillRequested{low, {}});
  c.step(TaskEnded{low, Attempt{1}, TaskNumber{1}, 9, Term::None, {}, ""});
  EXPECT_EQ(c.job(low).state, JobState::Killed);
  EXPECT_EQ(c.host_of(h1).used_slots, 4u);
  EXPECT_EQ(c.host_of(h1).used_mem, Bytes{0});
  EXPECT_FALSE(c.job(low).parked);
}

TEST_F(ParkFsm, a_job_with_gpus_is_never_parked) {
  auto h2 = c.host(2, 2);
  auto gpu = c.submit(SpecBuilder().app("training").gpus(1));
  c.run(gpu, {h2});
  EXPECT_FALSE(c.check(JobParked{gpu, Attempt{1}, {high, ""}}));
}

}  // namespace
}  // namespace wm
