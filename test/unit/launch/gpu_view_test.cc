// Which GPUs a task sees: its own alone, or with see=all those of its job on the host.
#include <gtest/gtest.h>

#include <algorithm>

#include "libwm/launch/launch_env.h"

namespace wm::launch {
namespace {

/// Tasks 3 and 4 of a training, each with one GPU, on the job's second host.
HostOrder order(bool see_all) {
  HostOrder o;
  o.job = {12, 0};
  o.attempt = {1};
  o.app.type = AppType::Training;
  o.launch = Launch::PerSlot;
  o.resolved.program.command = "train";
  o.resolved.task.milli_gpus = 1000;
  o.resolved.task.gpu_see_all = see_all;
  o.hosts = job_hosts_of({{{1}, "a", "10.0.0.1"},
                          {{2}, "a", "10.0.0.1"},
                          {{3}, "b", "10.0.0.2"},
                          {{4}, "b", "10.0.0.2"}},
                         "b");
  for (std::uint32_t number : {3u, 4u}) {
    OrderedTask task;
    task.task = {number};
    task.gpus = {static_cast<std::uint16_t>(number)};
    task.gpu_uuids = {"GPU-" + std::to_string(number)};
    o.tasks.push_back(task);
  }
  return o;
}

std::string value_of(const HostOrder& o, int index, const std::string& name) {
  for (const auto& entry : task_environment(o, {}, o.tasks[index]))
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  return "none";
}

std::size_t devices_of(const HostOrder& o, int index) {
  HostFacts host;
  for (const auto& task : o.tasks) host.gpu_devices[task.gpu_uuids.front()] = {};
  return plan_task(o, host, o.tasks[index]).devices.size();
}

TEST(gpu_view, a_task_sees_its_own_as_its_first) {
  auto o = order(false);
  EXPECT_EQ(value_of(o, 1, "CUDA_VISIBLE_DEVICES"), "GPU-4");
  EXPECT_EQ(value_of(o, 1, "LOCAL_RANK"), "0");
  EXPECT_EQ(devices_of(o, 1), 1u);
}

TEST(gpu_view, with_see_all_it_sees_those_of_its_host_and_its_own_stands_at_local_rank) {
  auto o = order(true);
  for (int index : {0, 1}) {
    EXPECT_EQ(value_of(o, index, "CUDA_VISIBLE_DEVICES"), "GPU-3,GPU-4");
    EXPECT_EQ(value_of(o, index, "NVIDIA_VISIBLE_DEVICES"), "GPU-3,GPU-4");
    EXPECT_EQ(value_of(o, index, "LOCAL_RANK"), std::to_string(index));
    EXPECT_EQ(value_of(o, index, "LOCAL_WORLD_SIZE"), "2");
    EXPECT_EQ(devices_of(o, index), 2u) << "and may open them";
  }
}

TEST(gpu_view, a_process_that_accelerate_starts_alone_is_one_of_as_many_as_there_are_hosts) {
  auto o = order(false);
  o.launch = Launch::PerHost;
  o.resolved.task.milli_gpus = 0;
  o.resolved.program.command = "accelerate launch train.py";
  EXPECT_EQ(value_of(o, 0, "RANK"), "1");
  EXPECT_EQ(value_of(o, 0, "WORLD_SIZE"), "2");
  EXPECT_EQ(value_of(o, 0, "LOCAL_RANK"), "0");
  o.resolved.program.command = "torchrun train.py";
  EXPECT_EQ(value_of(o, 0, "WORLD_SIZE"), "4");
}

}  // namespace
}  // namespace wm::launch
