#include "libwm/model/cluster.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

Launch launch(const std::string& app, const std::string& command) {
  Config config;
  config.apps = {{.name = "batch"}, {.name = "training", .type = AppType::Training}};
  JobSpec spec;
  spec.app = app;
  spec.command = command;
  return launch_of(config, spec);
}

TEST(launch, training_starts_every_task_and_batch_the_first) {
  EXPECT_EQ(launch("training", "python3 train.py"), Launch::PerSlot);
  EXPECT_EQ(launch("batch", "./a.out"), Launch::Once);
}

TEST(launch, a_torchrun_command_starts_once_a_host) {
  for (const char* command :
       {"torchrun --nproc_per_node=2 train.py", "/opt/bin/torchrun train.py",
        "python3 -m torch.distributed.run train.py", "A=1 B=/x exec torchrun train.py",
        "/usr/bin/env python3.11 -u -m torch.distributed.launch train.py"})
    EXPECT_EQ(launch("training", command), Launch::PerHost) << command;
  EXPECT_EQ(launch("batch", "torchrun train.py"), Launch::PerHost);
}

TEST(launch, accelerate_starts_once_a_host) {
  for (const char* command : {"accelerate launch train.py", "/opt/bin/accelerate launch -m x",
                              "python3 -m accelerate.commands.launch train.py"})
    EXPECT_EQ(launch("training", command), Launch::PerHost) << command;
  EXPECT_EQ(launch("training", "accelerate env"), Launch::PerSlot);
}

TEST(launch, deepspeed_reaches_other_hosts_itself_unless_told_not_to) {
  EXPECT_EQ(launch("training", "deepspeed --launcher openmpi train.py"), Launch::Once);
  EXPECT_EQ(launch("training", "deepspeed --no_ssh --node_rank $NODE_RANK train.py"),
            Launch::PerHost);
  EXPECT_EQ(launch("training", "python3 -m deepspeed.launcher.runner train.py"), Launch::Once);
}

TEST(launch, what_only_mentions_torchrun_is_no_launcher) {
  for (const char* command : {"echo torchrun", "python3 train.py -m torch.distributed.run",
                              "./torchrun.sh", "python3 -m", "python3 -m torch.distributed", ""})
    EXPECT_EQ(launch("training", command), Launch::PerSlot) << command;
}

}  // namespace
}  // namespace wm
