// Role: groups of one job live and die together, or independently; elements of an open array come
// one by one.
#include "libwm/fsm/group_fsm.h"

#include <gtest/gtest.h>

#include "libwm/model/groups.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

TaskGroup group(const std::string& name, std::uint32_t tasks = 1) {
  return {.name = name, .min_tasks = tasks, .max_tasks = tasks};
}
TaskGroup independent(const std::string& name, std::uint32_t most) {
  return {.name = name, .min_tasks = 0, .max_tasks = most, .restart = Restart::Independent};
}

class Groups : public testing::Test {
 protected:
  void run(JobId id, std::uint32_t tasks = 1) { c.run(id, std::vector<HostId>(tasks, h1)); }
  void end(JobId id, std::int32_t status, std::uint32_t task = 1, double when = 0) {
    c.step(TaskEnded{id, c.job(id).attempt, TaskNumber{task}, status, Term::None, {}, ""}, when);
  }
  ClusterBuilder c;
  HostId h1 = c.host(8);
  JobId driver{1, 1}, worker{1, 2}, kernel{1, 3};
};

TEST_F(Groups, each_is_an_element_that_asks_for_what_its_group_says) {
  c.submit(SpecBuilder().group(group("driver")).group(group("worker", 3)));
  EXPECT_EQ(c.job(driver).state, JobState::Pending);
  EXPECT_EQ(c.job(worker).spec().min_tasks, 3u);
  EXPECT_EQ(group_of(c.job(worker))->name, "worker");
  EXPECT_EQ(gang_of(c.state, c.job(driver)), (std::vector{driver, worker}));
}

TEST_F(Groups, their_agents_are_told_of_each_other) {
  c.submit(SpecBuilder().group(group("driver")).group(group("worker")));
  run(driver), run(worker);
  c.step(AgentSeen{driver, Attempt{1}, h1, "", {"127.0.0.1:5", ""}});
  auto told = c.step(AgentSeen{worker, Attempt{1}, h1, "", {"127.0.0.1:6", ""}});
  EXPECT_EQ(told, (Actions{OrderAgents{driver}, OrderAgents{worker}}));
}

TEST_F(Groups, only_one_that_may_have_no_task_goes_on_with_none) {
  c.submit(SpecBuilder().group(group("driver", 2)).group(independent("k", 3)));
  EXPECT_EQ(least_tasks(c.job(driver)), 2u);
  EXPECT_EQ(least_tasks(c.job(worker)), 0u);
  auto some = independent("k", 3);
  some.min_tasks = 2;
  c.submit(SpecBuilder().group(group("driver")).group(some));
  EXPECT_EQ(least_tasks(c.job({2, 2})), 2u);
  c.submit(SpecBuilder().tasks(0, 4).elastic());
  EXPECT_EQ(least_tasks(c.job({3, 0})), 1u);
}

// Taken back by others, not crashed: it waits as if it had never run, and for no pause.
TEST_F(Groups, one_whose_last_task_left_waits_again) {
  c.submit(SpecBuilder().group(independent("k", 2)));
  JobId kernels{1, 1};
  run(kernels, 2);
  c.step(TasksLeaving{kernels, Attempt{1}, {TaskNumber{1}, TaskNumber{2}}, at(9), "reclaimed"});
  for (std::uint32_t task : {1u, 2u})
    c.step(TaskEnded{kernels, Attempt{1}, TaskNumber{task}, 0, Term::Left, {}, ""});
  EXPECT_EQ(c.job(kernels).state, JobState::Pending);
  EXPECT_EQ(c.job(kernels).returns.requeues, 0u);
  EXPECT_EQ(c.job(kernels).size.grow_again, WallTime{});
}

TEST_F(Groups, the_first_that_is_done_ends_the_others_as_done) {
  c.submit(SpecBuilder().group(group("driver")).group(group("worker")));
  run(driver), run(worker);
  end(driver, 0);
  ASSERT_TRUE(c.job(worker).kill);
  EXPECT_TRUE(c.job(worker).kill->done);
  end(worker, 2);
  EXPECT_EQ(c.job(worker).state, JobState::Finished);
}

TEST_F(Groups, of_the_role_of_the_first_all_are_to_be_done_before_the_others_are) {
  auto first = group("driver"), second = group("worker", 2);
  first.role = second.role = "worker";
  c.submit(SpecBuilder().group(first).group(second).group(group("ps")));
  JobId servers{1, 3};
  run(driver), run(worker, 2), run(servers);
  end(driver, 0);
  EXPECT_EQ(c.job(driver).state, JobState::Finished);
  EXPECT_FALSE(c.job(worker).kill) << "they have not said the last of it";
  EXPECT_FALSE(c.job(servers).kill);
  end(worker, 0, 1), end(worker, 0, 2);
  EXPECT_EQ(c.job(worker).state, JobState::Finished);
  ASSERT_TRUE(c.job(servers).kill);
  EXPECT_TRUE(c.job(servers).kill->done);
}

TEST_F(Groups, results_of_groups_that_are_one_team_are_the_whole_jobs) {
  auto first = group("driver"), second = group("worker", 2), third = independent("spare", 2);
  first.role = second.role = third.role = "worker";
  c.submit(SpecBuilder().group(first).group(second).group(third).group(group("ps")));
  EXPECT_EQ(results_owner(c.job(driver), driver), (JobId{1, 0}));
  EXPECT_EQ(results_owner(c.job(worker), worker), (JobId{1, 0}));
  EXPECT_EQ(results_owner(c.job(kernel), kernel), kernel) << "it changes in size";
  EXPECT_EQ(results_owner(c.job({1, 4}), {1, 4}), (JobId{1, 4}));
}

TEST_F(Groups, those_that_live_with_one_that_makes_way_do_so_too_and_for_the_same) {
  c.submit(SpecBuilder().group(group("driver")).group(group("worker")).group(independent("k", 2)));
  run(driver), run(worker), run(kernel);
  auto winner = c.submit({});
  c.step(JobPreempted{worker, Attempt{1}, {winner, at(30), true, "makes way", false}});
  ASSERT_TRUE(c.job(driver).waits.preempted);
  EXPECT_EQ(c.job(driver).waits.preempted->by, winner);
  EXPECT_EQ(c.job(driver).waits.preempted->leave_by, at(30));
  EXPECT_FALSE(c.job(kernel).waits.preempted) << "it is nobody's";
  end(worker, 15), end(driver, 15);
  EXPECT_EQ(c.job(driver).state, JobState::Pending);
  EXPECT_EQ(c.job(worker).state, JobState::Pending);
  EXPECT_TRUE(groups_are_ready(c.state, c.job(driver)));
}

TEST_F(Groups, another_that_is_done_ends_nobody) {
  c.submit(SpecBuilder().group(group("driver")).group(group("worker")));
  run(driver), run(worker);
  end(worker, 0);
  EXPECT_EQ(c.job(worker).state, JobState::Finished);
  EXPECT_FALSE(c.job(driver).kill);
}

TEST_F(Groups, one_that_fails_ends_the_others) {
  c.submit(SpecBuilder().group(group("driver")).group(group("worker")));
  run(driver), run(worker);
  end(worker, 3 << 8);
  ASSERT_TRUE(c.job(driver).kill);
  EXPECT_EQ(c.job(driver).kill->term, Term::GroupEnded);
  EXPECT_FALSE(c.job(driver).kill->done);
}

TEST_F(Groups, one_that_waits_again_makes_the_others_wait_again) {
  c.submit(SpecBuilder().rerunnable().group(group("driver")).group(group("worker")));
  run(driver), run(worker);
  c.step(TaskEnded{worker, Attempt{1}, TaskNumber{1}, 9, Term::HostLost, {}, ""});
  EXPECT_EQ(c.job(worker).state, JobState::Pending);
  ASSERT_TRUE(c.job(driver).waits.preempted);
  EXPECT_FALSE(groups_are_ready(c.state, c.job(worker)));
  end(driver, 15);
  EXPECT_EQ(c.job(driver).state, JobState::Pending);
  EXPECT_TRUE(groups_are_ready(c.state, c.job(worker)));
}

TEST_F(Groups, a_task_of_an_independent_one_ends_alone_and_the_next_waits) {
  c.submit(SpecBuilder().group(group("router")).group(independent("kernel", 3)));
  JobId kernels{1, 2};
  run(driver), run(kernels, 3);
  end(kernels, 3 << 8, 1, 10);
  const Job& job = c.job(kernels);
  EXPECT_EQ(job.state, JobState::Running);
  EXPECT_EQ(tasks_wanted(job), 2u);
  EXPECT_EQ(job.size.grow_again, at(11));
  EXPECT_NE(job.size.grow_blocked.find("exit 3"), std::string::npos);
  EXPECT_FALSE(c.job(driver).kill);
  end(kernels, 3 << 8, 2, 10);  // of several that end together one counts
  EXPECT_EQ(c.job(kernels).size.failed_starts, 1u);
}

TEST_F(Groups, an_independent_one_without_tasks_waits_and_its_pause_doubles) {
  c.submit(SpecBuilder().group(group("router")).group(independent("kernel", 3)));
  JobId kernels{1, 2};
  run(driver);
  double pause = 1, now = 0;
  for (int n = 0; n < 9; ++n, pause *= 2) {
    run(kernels);
    end(kernels, 0, 1, now);
    EXPECT_EQ(c.job(kernels).state, JobState::Pending);
    EXPECT_EQ(c.job(kernels).size.grow_again, at(now + pause)) << n;
    now += pause;
  }
  EXPECT_FALSE(c.job(driver).kill);
  EXPECT_EQ(c.job(kernels).returns.requeues, 0u);
  EXPECT_EQ(c.job(kernels).returns.preemptions, 0u) << "it made way for nobody";
}

TEST_F(Groups, an_independent_one_starts_when_those_that_live_with_the_job_run) {
  c.submit(SpecBuilder().group(group("router")).group(independent("kernel", 3)));
  JobId kernels{1, 2};
  EXPECT_FALSE(groups_are_ready(c.state, c.job(kernels)));
  EXPECT_TRUE(gang_of(c.state, c.job(kernels)).empty());
  run(driver);
  EXPECT_TRUE(groups_are_ready(c.state, c.job(kernels)));
}

class OpenArray : public testing::Test {
 protected:
  ClusterBuilder c;
  HostId h1 = c.host(8);
  JobId base = c.submit(SpecBuilder().array(1, 3).open());
  ElementGiven give(std::uint32_t index) { return {{base.job, index}, std::string(32, 'd')}; }
};

TEST_F(OpenArray, its_elements_come_in_order_and_wait_from_then_on) {
  EXPECT_EQ(elements_there(c.job(base)), 0u);
  EXPECT_EQ(c.check(give(2)).error().code, Code::Conflict);
  c.step(give(1), 7);
  EXPECT_EQ(c.job({base.job, 1}).state, JobState::Pending);
  EXPECT_EQ(c.job({base.job, 1}).trial.data_hash, std::string(32, 'd'));
  EXPECT_EQ(elements_there(c.job(base)), 1u);
  EXPECT_EQ(c.check(give(1)).error().code, Code::Stale);
}

TEST_F(OpenArray, closed_it_takes_no_more) {
  c.step(give(1));
  EXPECT_FALSE(takes_no_more(c.job(base)));
  c.step(ArrayClosed{base, "u1"});
  EXPECT_TRUE(takes_no_more(c.job(base)));
  EXPECT_EQ(c.check(give(2)).error().code, Code::Conflict);
  EXPECT_EQ(c.check(ArrayClosed{base, "u1"}).error().code, Code::Stale);
}

TEST_F(OpenArray, others_are_neither_given_to_nor_closed) {
  auto plain = c.submit(SpecBuilder().array(1, 3));
  EXPECT_EQ(c.check(ElementGiven{{plain.job, 1}, ""}).error().code, Code::Conflict);
  EXPECT_EQ(c.check(ArrayClosed{plain, "u1"}).error().code, Code::Conflict);
}

TEST_F(OpenArray, a_trial_reports_what_is_new_within_the_limit) {
  c.step(give(1));
  JobId trial{base.job, 1};
  c.run(trial, {h1});
  c.step(TrialReported{trial, Attempt{1}, R"({"loss":1})"}, 5);
  EXPECT_EQ(c.job(trial).trial.report, R"({"loss":1})");
  EXPECT_EQ(c.job(trial).trial.reported, at(5));
  EXPECT_EQ(c.check(TrialReported{trial, Attempt{1}, R"({"loss":1})"}).error().code, Code::Stale);
  auto large = TrialReported{trial, Attempt{1}, std::string(kMaxReport + 1, 'x')};
  EXPECT_EQ(c.check(large).error().code, Code::Limit);
}

}  // namespace
}  // namespace wm
