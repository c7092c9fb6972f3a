// Role: groups that live together start together or not at all; independent ones follow.
#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::SpecBuilder;

TaskGroup group(const std::string& name, std::uint32_t tasks) {
  return {.name = name, .command = "true", .min_tasks = tasks, .max_tasks = tasks};
}

class Gang : public test::SchedCluster {
 protected:
  JobState state(JobId base, std::uint32_t n) { return run.job({base.job, n}).state; }
};

TEST_F(Gang, all_groups_start_in_one_pass) {
  run.host(4);
  auto job = run.submit(SpecBuilder().group(group("a", 1)).group(group("b", 3)));
  auto plan = run.pass();
  EXPECT_EQ(plan.starts.size(), 2u);
  EXPECT_EQ(state(job, 2), JobState::Running);
}

TEST_F(Gang, without_room_for_all_none_starts) {
  run.host(4);
  auto job = run.submit(SpecBuilder().group(group("a", 2)).group(group("b", 3)));
  auto plan = run.pass();
  EXPECT_TRUE(plan.starts.empty());
  EXPECT_EQ(state(job, 1), JobState::Pending);
  EXPECT_FALSE(run.why({job.job, 1}).empty());
}

TEST_F(Gang, what_a_gang_cannot_use_goes_to_others) {
  run.host(4);
  run.submit(SpecBuilder().group(group("a", 2)).group(group("b", 3)));
  auto small = run.submit(test::slots("bob", 1));
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.job(small).state, JobState::Running);
}

TEST_F(Gang, elastic_jobs_make_room_for_the_whole_gang) {
  gpu_hosts(4);
  auto big = submit_and_settle(test::elastic("ann", 1, 4));
  ASSERT_EQ(run.size(big), 4u);
  auto workers = group("worker", 1);
  workers.gpu = "num=1";
  SpecBuilder builder;
  builder.user("bob", 1002).gpus(1).app("training").group(group("a", 1)).group(group("b", 1));
  auto job = submit_and_settle(builder);
  EXPECT_EQ(state(job, 1), JobState::Running);
  EXPECT_EQ(state(job, 2), JobState::Running);
  EXPECT_EQ(run.size(big), 2u);
}

TEST_F(Gang, independent_groups_start_after_it_and_take_what_is_there) {
  run.host(4);
  TaskGroup kernels{.name = "k", .command = "true", .min_tasks = 0, .max_tasks = 9};
  kernels.restart = Restart::Independent;
  auto job = submit_and_settle(SpecBuilder().group(group("router", 1)).group(kernels));
  EXPECT_EQ(state(job, 1), JobState::Running);
  EXPECT_EQ(run.size({job.job, 2}), 3u);
}

TEST_F(Gang, an_open_array_starts_what_it_was_given_and_no_more) {
  run.host(4);
  auto job = run.submit(SpecBuilder().array(1, 9).open());
  EXPECT_TRUE(run.pass().starts.empty());
  run.step(ElementGiven{{job.job, 1}, ""});
  EXPECT_EQ(run.pass().starts.size(), 1u);
}

}  // namespace
}  // namespace wm::sched
