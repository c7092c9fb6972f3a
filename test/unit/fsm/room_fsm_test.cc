// A placement is refused where there is no room for it, whatever proposes it.
#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

class RoomFsm : public testing::Test {
 protected:
  RoomFsm() : h1(c.host(4, 1)) {}

  JobDispatched dispatch(JobId id, std::uint32_t tasks) const {
    JobDispatched event{id, Attempt{1}, {}, std::string(32, 'k')};
    for (std::uint32_t n = 1; n <= tasks; ++n) {
      Task task;
      task.number = TaskNumber{n};
      task.host = h1;
      event.tasks.push_back(task);
    }
    return event;
  }
  JobId submit(TaskRequest request) {
    auto spec = SpecBuilder().tasks(1, 9);
    spec.spec.task = request;
    return c.submit(spec);
  }
  std::string refusal(const EventBody& body) const {
    auto legal = c.check(body);
    return legal ? "" : legal.error().text;
  }

  ClusterBuilder c;  // hosts have 16 GiB
  HostId h1;
};

TEST_F(RoomFsm, no_more_tasks_than_slots_are_taken) {
  auto id = submit({.milli_cpus = 0});
  EXPECT_EQ(refusal(dispatch(id, 4)), "");
  EXPECT_EQ(refusal(dispatch(id, 5)), "host h1 has no room for 5 more task(s): not enough slots");
  c.run(submit({.milli_cpus = 0}), {h1, h1, h1});
  EXPECT_NE(refusal(dispatch(id, 2)), "");
  EXPECT_EQ(refusal(dispatch(id, 1)), "");
}

TEST_F(RoomFsm, no_more_cpus_than_there_are) {
  auto id = submit({.milli_cpus = 1500});
  EXPECT_EQ(refusal(dispatch(id, 2)), "");
  EXPECT_NE(refusal(dispatch(id, 3)).find("CPUs"), std::string::npos);
}

TEST_F(RoomFsm, no_more_memory_than_there_is) {
  auto id = submit({.mem = Bytes{std::int64_t{6} << 30}});
  EXPECT_EQ(refusal(dispatch(id, 2)), "");
  EXPECT_NE(refusal(dispatch(id, 3)).find("memory"), std::string::npos);
}

TEST_F(RoomFsm, memory_per_host_is_taken_once_on_each) {
  auto id = submit({.mem = Bytes{std::int64_t{12} << 30}, .mem_per_host = true});
  EXPECT_EQ(refusal(dispatch(id, 4)), "");
  c.run(submit({.mem = Bytes{std::int64_t{6} << 30}}), {h1});
  EXPECT_NE(refusal(dispatch(id, 1)).find("memory"), std::string::npos);
}

TEST_F(RoomFsm, what_an_elastic_job_gets_has_room_too) {
  auto spec = SpecBuilder().tasks(1, 9).elastic();
  auto id = c.submit(spec);
  c.run(id, {h1, h1, h1});
  TasksAdded more{id, Attempt{1}, dispatch(id, 2).tasks, ""};
  for (auto& task : more.tasks) task.number.value += 3;
  EXPECT_NE(refusal(more), "");
  more.tasks.pop_back();
  EXPECT_EQ(refusal(more), "");
}

TEST_F(RoomFsm, a_gpu_that_somebody_has_or_that_is_not_there_is_not_given) {
  TaskRequest whole{.milli_gpus = 1000};
  auto has = dispatch(submit(whole), 1);
  has.tasks[0].gpus = {0};
  c.step(has);
  auto wants = dispatch(submit(whole), 1);
  wants.tasks[0].gpus = {0};
  EXPECT_EQ(refusal(wants), "GPU 0 of h1 is not free");
  wants.tasks[0].gpus = {7};
  EXPECT_EQ(refusal(wants), "GPU 7 of h1 is not free");
}

TEST_F(RoomFsm, gpus_are_those_of_the_alternative_that_it_starts_with) {
  TaskRequest half{.milli_gpus = 500, .gpu_shared = true};
  auto first = submit(half);
  auto start = dispatch(first, 1);
  start.tasks[0].gpus = {0};
  c.step(start);

  auto spec = SpecBuilder();
  spec.spec.task = half;
  spec.alternatives = {spec.spec};
  spec.alternatives[0].task = {.milli_gpus = 1000, .gpu_shared = true};
  auto second = dispatch(c.submit(spec), 1);
  second.tasks[0].gpus = {0};
  EXPECT_EQ(refusal(second), "");
  second.alternative = 1;
  EXPECT_NE(refusal(second).find("has not enough left"), std::string::npos);
}

}  // namespace
}  // namespace wm
