// Which GPUs and MPS daemons the attempts of a host need.
#include "daemons/wnoded/gpu_needs.h"

#include <gtest/gtest.h>

namespace wm::node {
namespace {

class gpu_needs : public ::testing::Test {
 protected:
  /// Two tasks with a GPU each; the first runs.
  LocalAttempt& add(std::uint32_t job) {
    auto& one = known_.add({{job, 0}, {1}});
    one.stage = LocalAttempt::Stage::Up;
    for (std::uint32_t number : {1u, 2u}) {
      OrderedTask task;
      task.task = {number};
      task.gpu_uuids = {number == 1 ? "GPU-a" : "GPU-b"};
      one.order.tasks.push_back(task);
    }
    one.tasks[{1}].pid = 4711;
    return one;
  }
  using Names = std::set<std::string>;

  Attempts known_{[](const auto&) { return false; }, [](const auto&) {}};
};

TEST_F(gpu_needs, a_device_is_held_while_its_task_runs) {
  auto& one = add(7);
  EXPECT_EQ(held_gpus(known_), Names{"GPU-a"});
  one.tasks[{1}].ended = true;
  EXPECT_TRUE(held_gpus(known_).empty());
}

TEST_F(gpu_needs, tasks_that_see_each_others_devices_hold_all_until_none_runs) {
  auto& one = add(7);
  one.order.resolved.task.gpu_see_all = true;
  EXPECT_EQ(held_gpus(known_), (Names{"GPU-a", "GPU-b"}));
  one.tasks[{1}].ended = true;
  EXPECT_TRUE(held_gpus(known_).empty());
}

TEST_F(gpu_needs, a_shared_device_has_several_holders) {
  add(7);
  add(8).tasks[{2}].ended = true;
  auto holders = gpu_holders(known_);
  EXPECT_EQ(holders.size(), 1u);
  EXPECT_EQ(holders["GPU-a"].size(), 2u);
}

TEST_F(gpu_needs, a_daemon_is_wanted_from_the_order_until_the_end_of_its_last_task) {
  auto& one = add(7);
  EXPECT_TRUE(wanted_mps(known_).empty()) << "no MPS is asked for";
  one.order.resolved.task.mps_uid = 1000;
  EXPECT_EQ(wanted_mps(known_).size(), 2u) << "one for the task that is still to start, too";
  one.tasks[{1}].ended = true;
  EXPECT_EQ(wanted_mps(known_), (std::set<MpsKey>{{1000, {"GPU-b"}}}));
  one.order.tasks[1].has_process = false;
  EXPECT_TRUE(wanted_mps(known_).empty());
  one.order.tasks[1].has_process = true;
  one.forgotten = true;
  EXPECT_TRUE(wanted_mps(known_).empty());
}

TEST_F(gpu_needs, gpus_that_are_only_declared_have_no_daemon) {
  HostOrder order;
  order.resolved.task.mps_uid = 1000;
  OrderedTask task;
  EXPECT_FALSE(mps_of(order, task)) << "no GPU at all";
  task.gpu_uuids = {"n-gpu0"};
  EXPECT_FALSE(mps_of(order, task));
  task.gpu_uuids = {"MIG-1"};
  EXPECT_TRUE(mps_of(order, task));
}

TEST_F(gpu_needs, a_task_that_is_not_of_the_order_has_no_devices) {
  const auto& one = add(7);
  EXPECT_EQ(gpus_of(one.order, {2}), std::vector<std::string>{"GPU-b"});
  EXPECT_TRUE(gpus_of(one.order, {3}).empty());
}

}  // namespace
}  // namespace wm::node
