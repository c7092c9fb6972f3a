// A host that is drained: its tasks of resizable jobs are not wanted there any more and go on,
// until others have their places or the host is opened. Rigid jobs know nothing of it.
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

TaskGroup serving_group(const std::string& name, std::uint32_t least, std::uint32_t most) {
  return {.name = name, .min_tasks = least, .max_tasks = most, .restart = Restart::Independent};
}

struct Drained : ::testing::Test {
  Drained() {
    c.submit(
        SpecBuilder().group(serving_group("router", 1, 1)).group(serving_group("kernel", 0, 4)));
    c.run(router, {h1});
    c.run(kernel, {h1, h2});
  }
  Actions close(HostId host, bool drain = true, double when = 10) {
    return c.step(HostClosed{host, "root", "disk", false, drain}, when);
  }
  std::vector<std::uint32_t> moving(JobId id) const {
    std::vector<std::uint32_t> numbers;
    for (const Task& task : c.job(id).tasks)
      if (task.moves) numbers.push_back(task.number.value);
    return numbers;
  }
  ClusterBuilder c;
  HostId h1 = c.host(8), h2 = c.host(8), h3 = c.host(8);
  JobId router{1, 1}, kernel{1, 2};
};

using Numbers = std::vector<std::uint32_t>;

TEST_F(Drained, what_serves_there_moves_and_goes_on_and_the_scheduler_looks) {
  auto actions = close(h1);
  EXPECT_NE(std::find(actions.begin(), actions.end(), Action{RunScheduler{}}), actions.end());
  EXPECT_EQ(moving(router), Numbers{1});
  EXPECT_EQ(moving(kernel), Numbers{1});
  EXPECT_EQ(tasks_wanted(c.job(router)), 0u);
  EXPECT_EQ(tasks_wanted(c.job(kernel)), 1u);
  EXPECT_EQ(slots_held(c.job(kernel)), 2u);
  EXPECT_EQ(c.job(router).tasks[0].state, TaskState::Running);
  EXPECT_TRUE(is_resizable(c.state, c.job(router)));
}

TEST_F(Drained, closed_alone_moves_nothing_and_closing_so_again_stops_a_drain) {
  close(h1, false);
  EXPECT_TRUE(moving(router).empty());
  close(h1);
  EXPECT_EQ(moving(router), Numbers{1});
  close(h1, false);
  EXPECT_TRUE(moving(router).empty());
  EXPECT_FALSE(c.host_of(h1).drains);
  EXPECT_TRUE(c.host_of(h1).closed);
}

TEST_F(Drained, opened_it_keeps_what_has_not_left) {
  close(h1);
  c.step(HostOpened{h1, "root"}, 12);
  EXPECT_TRUE(moving(router).empty());
  EXPECT_TRUE(moving(kernel).empty());
  EXPECT_EQ(tasks_wanted(c.job(kernel)), 2u);
  EXPECT_FALSE(c.host_of(h1).drains);
}

TEST_F(Drained, rigid_jobs_and_those_whose_command_is_asked_stay) {
  auto rigid = c.submit({});
  c.run(rigid, {h1});
  auto spec = SpecBuilder().elastic().app("batch").tasks(1, 4);
  spec.spec.side.notify = "tell";
  auto asked = c.submit(spec);
  c.run(asked, {h1});
  close(h1);
  EXPECT_TRUE(moving(rigid).empty());
  EXPECT_TRUE(moving(asked).empty());
  EXPECT_EQ(c.job(rigid).state, JobState::Running);
}

TEST_F(Drained, elastic_tasks_move_once_their_job_can_be_resized) {
  auto id = c.submit(SpecBuilder().elastic().tasks(1, 4));
  c.run(id, {h1, h3});
  c.step(JobSuspended{id, "ann"}, 5);
  close(h1);
  EXPECT_TRUE(moving(id).empty());
  c.step(JobResumed{id, "ann"}, 20);
  EXPECT_EQ(moving(id), Numbers{1});
}

TEST_F(Drained, the_first_host_of_a_command_that_starts_again_at_each_size_stays) {
  auto id = c.submit(SpecBuilder().app("training").elastic().tasks(1, 4));
  c.run(id, {h1, h1, h3});
  c.step(TasksMet{id, Attempt{1}}, 6);
  close(h1);
  EXPECT_EQ(moving(id), Numbers{2});
}

TEST_F(Drained, the_next_one_has_the_place_of_the_one_that_moves) {
  close(h1);
  auto number = next_numbers(c.job(router), 1).front();
  EXPECT_EQ(place_in(1, number), 0u);
  c.step(TasksAdded{router, Attempt{1}, {Task{.number = number, .host = h3}}, ""}, 11);
  auto actions = c.step(TaskStarted{router, Attempt{1}, number, 7}, 12);
  EXPECT_NE(std::find(actions.begin(), actions.end(), Action{RunScheduler{}}), actions.end())
      << "the one there can go now";
  EXPECT_TRUE(has_moving_task(c.job(router)));
  c.step(ended(c, router, 1), 13);  // it gives way by itself
  EXPECT_EQ(c.job(router).state, JobState::Running);
  EXPECT_EQ(c.job(router).size.grow_again, WallTime{}) << "no pause as after a failure";
  EXPECT_FALSE(has_moving_task(c.job(router)));
}

TEST_F(Drained, a_silent_host_makes_no_job_unknown_of_which_everything_there_moves) {
  close(h1);
  c.step(HostSilent{h1}, 15);
  EXPECT_EQ(c.job(kernel).state, JobState::Running);
}

TEST_F(Drained, a_kernel_has_begun_its_work_once_its_router_says_so) {
  const auto& config = *c.state.config;
  EXPECT_TRUE(has_begun_work(config, c.job(kernel), c.job(kernel).tasks[0])) << "routers of before";
  c.step(TasksServing{kernel, Attempt{1}, {TaskNumber{2}}}, 5);
  EXPECT_FALSE(has_begun_work(config, c.job(kernel), c.job(kernel).tasks[0]));
  EXPECT_TRUE(has_begun_work(config, c.job(kernel), c.job(kernel).tasks[1]));
  EXPECT_FALSE(c.check(TasksServing{kernel, Attempt{1}, {TaskNumber{2}}})) << "known";
  EXPECT_FALSE(c.check(TasksServing{kernel, Attempt{2}, {TaskNumber{1}}})) << "no such attempt";
}

TEST_F(Drained, nothing_moves_twice_nor_in_an_older_attempt) {
  close(h1);
  EXPECT_FALSE(c.check(TasksMoving{kernel, Attempt{1}, {TaskNumber{1}}}));
  EXPECT_FALSE(c.check(TasksMoving{kernel, Attempt{7}, {TaskNumber{2}}}));
  EXPECT_FALSE(c.check(TasksMoving{kernel, Attempt{1}, {TaskNumber{9}}})) << "no such task";
}

// What was plugged in while the machine runs; hosts.conf goes before it.
TEST(host_memory, is_what_the_host_says_unless_it_is_declared) {
  ClusterBuilder c;
  auto h1 = c.host(8);
  c.step(HostMemoryChanged{h1, Bytes{126LL << 30}}, 5);
  EXPECT_EQ(c.host_of(h1).capacity.mem, Bytes{126LL << 30});
  HostConf conf;
  conf.name = "h1";
  conf.mem = Bytes{8LL << 30};
  c.config.hosts = {conf};
  c.reconfigure();
  c.step(HostMemoryChanged{h1, Bytes{200LL << 30}}, 6);
  EXPECT_EQ(c.host_of(h1).capacity.mem, Bytes{8LL << 30});
  EXPECT_FALSE(c.check(HostMemoryChanged{HostId{99}, Bytes{1}}));
}

}  // namespace
}  // namespace wm
