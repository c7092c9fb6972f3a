// New tasks that end before an epoch held them: their hosts are left out for a while. When a host
// is mended or more tasks are asked for, it is tried again.
#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm {
namespace {

using test::ClusterBuilder;
using test::ended;
using test::kExit3;
using test::kSigkill;
using test::SpecBuilder;

struct Setbacks : ::testing::Test {
  ClusterBuilder c;
  HostId h1 = c.host(1, 1), h2 = c.host(1, 1), h3 = c.host(1, 1);
  JobId id = c.submit(SpecBuilder().elastic().tasks(1, 3).gpus(1));

  /// A new task on `host` that ends at once.
  void lose_newcomer(HostId host, double at) {
    TaskNumber number{c.job(id).last_task.value + 1};
    Task task{.number = number, .host = host, .gpus = {0}};
    c.step(TasksAdded{id, Attempt{1}, {task}, "grow"}, at);
    c.step(ended(c, id, number.value, kExit3), at);
  }
  std::vector<HostId> barred(double at) { return barred_hosts(c.job(id), test::at(at)); }
};

TEST_F(Setbacks, a_host_that_loses_newcomers_is_left_out_longer_each_time) {
  c.run(id, {h1});
  c.enter_epoch(id, 1);
  lose_newcomer(h2, 100);
  EXPECT_EQ(barred(109), (std::vector<HostId>{h2}));
  EXPECT_EQ(barred(110), (std::vector<HostId>{}));
  lose_newcomer(h2, 110);
  EXPECT_EQ(barred(149), (std::vector<HostId>{h2}));
  for (double at : {150, 400, 1100}) lose_newcomer(h2, at);
  EXPECT_EQ(barred(1699), (std::vector<HostId>{h2}));
  EXPECT_EQ(barred(1700), (std::vector<HostId>{}));
  EXPECT_EQ(c.job(id).size.setbacks[0].why, "exit 3");
  EXPECT_EQ(c.job(id).state, JobState::Running);
}

TEST_F(Setbacks, several_lost_on_one_host_together_count_once) {
  auto wide = c.host(4, 4);
  auto many = c.submit(SpecBuilder().elastic().tasks(1, 5).gpus(1));
  c.run(many, {h1});
  c.enter_epoch(many, 1);
  std::vector<Task> added;
  for (std::uint16_t n = 0; n < 3; ++n)
    added.push_back({.number = TaskNumber{n + 2u}, .host = wide, .gpus = {n}});
  c.step(TasksAdded{many, Attempt{1}, added, "grow"}, 100);
  for (std::uint32_t task : {2, 3, 4}) c.step(ended(c, many, task, kExit3), 100);
  EXPECT_FALSE(is_grow_blocked(c.job(many), test::at(100)));
  EXPECT_EQ(barred_hosts(c.job(many), test::at(110)), (std::vector<HostId>{}));
}

TEST_F(Setbacks, newcomers_lost_in_a_row_stop_the_growth_for_a_while) {
  auto h4 = c.host(1, 1);
  c.run(id, {h1});
  c.enter_epoch(id, 1);
  for (auto host : {h2, h3, h4}) lose_newcomer(host, 100);
  EXPECT_TRUE(is_grow_blocked(c.job(id), test::at(109)));
  EXPECT_NE(c.job(id).size.grow_blocked, "");
  EXPECT_FALSE(is_grow_blocked(c.job(id), test::at(110)));
}

TEST_F(Setbacks, bresize_has_every_host_tried_again) {
  c.run(id, {h1});
  c.enter_epoch(id, 1);
  for (auto host : {h2, h3, h2}) lose_newcomer(host, 100);
  c.step(CapChanged{id, 3, false, "u1"}, 101);
  EXPECT_EQ(barred(101), (std::vector<HostId>{}));
  EXPECT_FALSE(is_grow_blocked(c.job(id), test::at(101)));
}

TEST_F(Setbacks, a_newcomer_that_joins_shows_that_its_host_is_good) {
  c.run(id, {h1});
  c.enter_epoch(id, 1);
  lose_newcomer(h2, 100);
  lose_newcomer(h3, 100);
  TaskNumber number{c.job(id).last_task.value + 1};
  c.step(TasksAdded{id, Attempt{1}, {{.number = number, .host = h2, .gpus = {0}}}, "grow"}, 120);
  c.step(TaskStarted{id, Attempt{1}, number, 9}, 121);
  EpochFormed formed{EpochNumber{2}, LeadNumber{1}, {TaskNumber{1}, number}};
  c.step(EpochEntered{id, Attempt{1}, formed}, 122);
  ASSERT_EQ(c.job(id).size.setbacks.size(), 1u);
  EXPECT_EQ(c.job(id).size.setbacks[0].host, h3);
  EXPECT_EQ(c.job(id).size.failed_starts, 0u);
}

TEST_F(Setbacks, a_host_that_is_opened_or_starts_anew_is_tried_again) {
  c.run(id, {h1});
  c.enter_epoch(id, 1);
  lose_newcomer(h2, 100);
  lose_newcomer(h3, 100);
  c.step(HostOpened{h2, "admin"}, 101);
  EXPECT_EQ(barred(101), (std::vector<HostId>{h3}));
  const auto& host = c.host_of(h3);
  c.step(HostRegistered{h3, host.name, host.address, "another boot", "", "", host.capacity}, 102);
  EXPECT_EQ(barred(102), (std::vector<HostId>{}));
}

TEST_F(Setbacks, jobs_that_are_over_or_have_none_any_more_are_not_looked_at) {
  auto known = [&] { return *c.state.indexes.set_back; };
  c.run(id, {h1});
  c.enter_epoch(id, 1);
  EXPECT_TRUE(known().empty());
  lose_newcomer(h2, 100);
  EXPECT_EQ(known(), (std::set<JobId>{id}));
  c.step(HostOpened{h2, "admin"}, 101);
  EXPECT_TRUE(known().empty());
  lose_newcomer(h2, 102);
  c.step(CapChanged{id, 2, false, "ann"}, 103);
  EXPECT_TRUE(known().empty());
  lose_newcomer(h2, 104);
  c.step(ended(c, id, 1, kExit3), 105);
  EXPECT_TRUE(is_over(c.job(id).state));
  EXPECT_TRUE(known().empty());
  EXPECT_TRUE(fsm::check_invariants(c.state));
}

TEST_F(Setbacks, a_job_begins_without_a_host_whose_task_fails_at_the_start) {
  c.dispatch(id, {h1, h2, h3});
  for (std::uint32_t task : {1, 3}) c.step(TaskStarted{id, Attempt{1}, TaskNumber{task}, 10}, 1);
  c.step(ended(c, id, 2, kSigkill, Term::LaunchFailed), 1);
  EXPECT_FALSE(c.job(id).ending);
  EXPECT_EQ(c.job(id).state, JobState::Running);  // nobody else is awaited
  EXPECT_EQ(barred(2), (std::vector<HostId>{h2}));
  EXPECT_EQ(tasks_wanted(c.job(id)), 2u);
  EXPECT_EQ(c.job(id).outcome.term, Term::None);
}

TEST_F(Setbacks, a_job_whose_tasks_all_fail_at_the_start_fails_with_the_last) {
  c.run(id, {h1, h2, h3});
  for (std::uint32_t task : {1, 2, 3}) c.step(ended(c, id, task, kExit3), 1);
  EXPECT_EQ(c.job(id).state, JobState::Failed);
  EXPECT_EQ(c.job(id).outcome.status, kExit3);
}

TEST_F(Setbacks, a_job_with_too_few_left_ends_at_the_first_failure) {
  auto needs_all = c.submit(SpecBuilder().elastic().tasks(3, 4).gpus(1));
  c.run(needs_all, {h1, h2, h3});
  c.step(ended(c, needs_all, 2, kExit3), 1);
  EXPECT_TRUE(c.job(needs_all).ending);
}

TEST_F(Setbacks, a_task_that_fails_long_after_its_start_ends_a_job_whose_tasks_never_spoke) {
  c.run(id, {h1, h2});
  c.step(ended(c, id, 2, kExit3), 300);
  EXPECT_TRUE(c.job(id).ending);
}

}  // namespace
}  // namespace wm
