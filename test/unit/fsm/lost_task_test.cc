// A task of an independent group that was given up with its silent host: another one takes its
// place at once, elsewhere, and it is ended when its host comes back. Nothing else happens then.
#include <gtest/gtest.h>

#include "libwm/fsm/fsm.h"
#include "libwm/model/groups.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using test::at;
using test::ClusterBuilder;
using test::ended;
using test::SpecBuilder;

TaskGroup independent(const std::string& name, std::uint32_t least, std::uint32_t most) {
  return {.name = name, .min_tasks = least, .max_tasks = most, .restart = Restart::Independent};
}

struct LostTask : ::testing::Test {
  LostTask() {
    c.submit(SpecBuilder().group(independent("router", 2, 2)).group(independent("kernel", 0, 4)));
    c.run(router, {h1, h2});
    c.run(kernel, {h1, h2, h2});
  }
  Actions give_up(JobId id, std::uint32_t task, double when = 10) {
    return c.step(
        TaskCondemned{id, c.job(id).attempt, TaskNumber{task}, Term::HostLost, "not heard"}, when);
  }
  void replace(JobId id, HostId host, double when = 11) {
    auto number = next_numbers(c.job(id), 1).front();
    c.step(TasksAdded{id, c.job(id).attempt, {Task{.number = number, .host = host}}, ""}, when);
    c.step(TaskStarted{id, c.job(id).attempt, number, 7}, when);
  }
  ClusterBuilder c;
  HostId h1 = c.host(8), h2 = c.host(8), h3 = c.host(8);
  JobId router{1, 1}, kernel{1, 2};
};

TEST_F(LostTask, the_scheduler_looks_at_once_and_not_at_that_host) {
  auto actions = give_up(router, 1);
  EXPECT_NE(std::find(actions.begin(), actions.end(), Action{RunScheduler{}}), actions.end());
  EXPECT_EQ(tasks_wanted(c.job(router)), 1u);
  EXPECT_EQ(slots_held(c.job(router)), 2u) << "not proven gone";
  EXPECT_EQ(barred_hosts(c.job(router), at(10)), std::vector<HostId>{h1});
  EXPECT_TRUE(is_resizable(c.state, c.job(router)));
}

TEST_F(LostTask, the_job_is_not_unknown_when_all_that_is_silent_was_given_up) {
  give_up(router, 1), give_up(kernel, 1);
  c.step(HostSilent{h1}, 15);
  EXPECT_EQ(c.job(router).state, JobState::Running);
  EXPECT_EQ(c.job(kernel).state, JobState::Running);
  EXPECT_TRUE(is_resizable(c.state, c.job(kernel)));
}

TEST_F(LostTask, the_new_one_has_the_place_of_the_lost) {
  give_up(router, 1);
  EXPECT_EQ(next_numbers(c.job(router), 1), std::vector<TaskNumber>{TaskNumber{3}});
  replace(router, h3);
  give_up(router, 3, 20);
  EXPECT_EQ(next_numbers(c.job(router), 1), std::vector<TaskNumber>{TaskNumber{5}})
      << "4 would be the second's place";
  EXPECT_EQ(place_in(2, TaskNumber{5}), 0u);
  EXPECT_EQ(place_in(2, TaskNumber{2}), 1u);
}

TEST_F(LostTask, of_a_group_whose_size_changes_numbers_have_no_gaps) {
  give_up(kernel, 2);
  EXPECT_EQ(next_numbers(c.job(kernel), 2), (std::vector{TaskNumber{4}, TaskNumber{5}}));
}

TEST_F(LostTask, it_is_ended_on_its_return_and_nobody_is_paused_for_it) {
  give_up(router, 1);
  replace(router, h3);
  c.step(HostSilent{h1}, 15);
  c.step(HostHeard{h1}, 30);
  c.step(ended(c, router, 1, test::kSigkill), 31);
  const Job& job = c.job(router);
  EXPECT_EQ(job.state, JobState::Running);
  EXPECT_EQ(tasks_wanted(job), 2u);
  EXPECT_EQ(job.size.grow_again, WallTime{});
  EXPECT_FALSE(has_lost_task(job));
  EXPECT_FALSE(c.job(kernel).kill);
}

TEST_F(LostTask, with_all_of_them_lost_and_none_elsewhere_it_waits_again_once_they_are_gone) {
  give_up(router, 1), give_up(router, 2);
  EXPECT_EQ(c.job(router).state, JobState::Running);
  for (std::uint32_t task : {1u, 2u}) c.step(ended(c, router, task, test::kSigkill), 40);
  EXPECT_EQ(c.job(router).state, JobState::Pending);
  EXPECT_EQ(c.job(router).returns.requeues, 0u);
}

TEST_F(LostTask, one_that_hung_is_not_lost) {
  c.step(TaskCondemned{router, Attempt{1}, TaskNumber{1}, Term::Hung, "hangs"}, 10);
  EXPECT_FALSE(has_lost_task(c.job(router)));
  EXPECT_TRUE(barred_hosts(c.job(router), at(10)).empty());
}

}  // namespace
}  // namespace wm
