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

// Both fall with their host; the pause between two changes of size is not for this.
TEST_F(Gang, what_was_lost_with_its_host_is_replaced_elsewhere_in_the_next_pass) {
  run.config.cluster.times.resize_quiet = std::chrono::seconds(60);
  run.reconfigure();
  auto h1 = run.host(4);
  TaskGroup routers{.name = "router", .command = "true", .min_tasks = 1, .max_tasks = 1};
  TaskGroup kernels{.name = "kernel", .command = "true", .min_tasks = 2, .max_tasks = 2};
  routers.restart = kernels.restart = Restart::Independent;
  auto job = run.submit(SpecBuilder().group(routers).group(kernels));
  run.pass();
  auto h2 = run.host(4);
  for (std::uint32_t group : {1u, 2u}) {
    JobId id{job.job, group};
    ASSERT_EQ(run.size(id), group);
    for (const Task& task : Tasks(run.job(id).tasks)) {
      ASSERT_EQ(task.host, h1);
      run.step(TaskCondemned{id, Attempt{1}, task.number, Term::HostLost, "not heard"}, 1);
    }
    EXPECT_EQ(run.size(id), 0u);
  }
  run.pass();
  for (std::uint32_t group : {1u, 2u}) {
    JobId id{job.job, group};
    EXPECT_EQ(run.size(id), group);
    EXPECT_EQ(run.job(id).tasks.back().host, h2) << "what is not heard is still at the first";
  }
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

TaskGroup kernels(std::uint32_t min, std::uint32_t max) {
  TaskGroup group{.name = "k", .command = "true", .min_tasks = min, .max_tasks = max};
  group.restart = Restart::Independent;
  group.gpu = "num=1";
  return group;
}
PlanConf owner(const std::string& path, std::uint32_t owns) {
  PlanConf plan;
  plan.path = path;
  plan.owns = owns;
  return plan;
}
// Kernels of a user with a plan that owns nothing.
SpecBuilder service(std::uint32_t min, std::uint32_t max, const char* plan = "/guests",
                    const char* queue = "normal") {
  SpecBuilder builder;
  builder.user("ann", 1001).plan(plan).queue(queue).gpus(1).app("training");
  return builder.group(kernels(min, max));
}

// What is theirs is given back to its owners to the last task, and comes again when it is idle.
TEST_F(Gang, a_group_that_may_have_no_task_gives_back_the_last_one) {
  gpu_hosts(3);
  plan(owner("/guests", 0));
  plan(owner("/owners", 3));
  auto job = submit_and_settle(service(0, 9));
  JobId group{job.job, 1};
  ASSERT_EQ(run.size(group), 3u);
  auto owners = submit_and_settle(test::rigid("bob", 3).plan("/owners"));
  EXPECT_EQ(run.job(owners).state, JobState::Running);
  EXPECT_EQ(run.size(group), 0u);
  EXPECT_EQ(run.job(group).state, JobState::Pending);
  EXPECT_FALSE(run.why(group).empty());
  run.end(owners);
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(group), 3u);
}

TEST_F(Gang, a_group_with_a_minimum_keeps_it) {
  gpu_hosts(3);
  plan(owner("/guests", 0));
  plan(owner("/owners", 3));
  auto job = submit_and_settle(service(1, 9));
  auto owners = submit_and_settle(test::rigid("bob", 3).plan("/owners"));
  EXPECT_EQ(run.size({job.job, 1}), 3u) << "in vain it would give";
  EXPECT_EQ(run.job(owners).state, JobState::Pending);
}

TEST_F(Gang, a_job_of_a_higher_queue_takes_all_of_a_group_that_may_have_no_task) {
  gpu_hosts(2);
  auto job = submit_and_settle(service(0, 2, "/", "low"));
  auto big = submit_and_settle(test::rigid("bob", 2).queue("high"));
  EXPECT_EQ(run.job(big).state, JobState::Running);
  EXPECT_EQ(run.size({job.job, 1}), 0u);
}

// Whether it runs or waits, the same is its share: it does not come and go.
TEST_F(Gang, a_group_that_may_have_no_task_shares_as_others_do) {
  gpu_hosts(4);
  auto job = submit_and_settle(service(0, 9, "/"));
  auto other = submit_and_settle(test::elastic("bob", 1, 9));
  EXPECT_EQ(run.size({job.job, 1}), 2u);
  EXPECT_EQ(run.size(other), 2u);
  for (const char* user : {"cyd", "dan", "eve"}) submit_and_settle(test::elastic(user, 1, 9));
  EXPECT_LE(run.size({job.job, 1}), 1u);
  EXPECT_GE(run.size(other), 1u);
}

// One of its groups is asked, the others go with it: their room counts, and nobody else's is taken.
TEST_F(Gang, a_job_of_groups_makes_way_as_a_whole) {
  run.host(6);
  queue("high", [](QueueConf& q) { q.preempts = {"lower"}; });
  queue("low", [](QueueConf& q) { q.preempt_by = PreemptBy::Requeue; });
  auto other = submit_and_settle(test::slots("cyd", 2).queue("low"));
  SpecBuilder builder;
  builder.user("ann", 1001).queue("low").group(group("a", 2)).group(group("b", 2));
  auto job = submit_and_settle(builder);
  ASSERT_EQ(state(job, 2), JobState::Running);
  auto high = run.submit(test::slots("bob", 4).queue("high"));
  auto plan = run.pass();
  ASSERT_EQ(plan.preempts.size(), 1u) << "the second goes by itself";
  EXPECT_EQ(plan.preempts[0].job.job, job.job);
  for (std::uint32_t n : {1u, 2u}) EXPECT_TRUE(run.job({job.job, n}).waits.preempted) << n;
  EXPECT_FALSE(run.job(other).waits.preempted);
  EXPECT_TRUE(run.end_preempted());
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.job(high).state, JobState::Running);
  EXPECT_EQ(state(job, 1), JobState::Pending);
  run.end(high);
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(state(job, 1), JobState::Running);
  EXPECT_EQ(state(job, 2), JobState::Running);
}

// It is started again anyway: no queue's way of making way need end it.
TEST_F(Gang, an_independent_group_makes_way_by_waiting_again) {
  gpu_hosts(2);
  queue("high", [](QueueConf& q) { q.preempts = {"lower"}; });
  queue("low", [](QueueConf& q) { q.preempt_by = PreemptBy::Kill; });
  auto job = submit_and_settle(service(1, 1, "/", "low"));
  run.submit(test::rigid("bob", 2).queue("high"));
  auto plan = run.pass();
  ASSERT_EQ(plan.preempts.size(), 1u);
  EXPECT_EQ(plan.preempts[0].job, (JobId{job.job, 1}));
  EXPECT_EQ(plan.preempts[0].how, MakeWay::Requeue);
}

// Those that live together are counted as they are, and each pays and gets for itself.
TEST_F(Gang, an_elastic_group_gives_within_its_own_bounds) {
  gpu_hosts(4);
  TaskGroup workers{.name = "w", .command = "true", .min_tasks = 1, .max_tasks = 3};
  workers.elastic = true;
  SpecBuilder builder;
  builder.user("ann", 1001).gpus(1).app("training").group(group("driver", 1)).group(workers);
  auto job = submit_and_settle(builder);
  ASSERT_EQ(run.size({job.job, 2}), 3u);
  auto other = submit_and_settle(test::rigid("bob", 2));
  EXPECT_EQ(run.job(other).state, JobState::Running);
  EXPECT_EQ(run.size({job.job, 1}), 1u);
  EXPECT_EQ(run.size({job.job, 2}), 1u);
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
