#include "libwm/model/cluster.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

Launch launch(const std::string& app, const std::string& command, std::uint32_t milli_gpus = 0) {
  Config config;
  config.apps = {{.name = "batch"}, {.name = "training", .type = AppType::Training}};
  JobSpec spec;
  spec.app = app;
  spec.program.command = command;
  spec.task.milli_gpus = milli_gpus;
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

TEST(launch, accelerate_starts_once_a_host_where_there_are_gpus) {
  for (const char* command : {"accelerate launch train.py", "/opt/bin/accelerate launch -m x",
                              "python3 -m accelerate.commands.launch train.py"})
    EXPECT_EQ(launch("training", command, 1000), Launch::PerHost) << command;
  EXPECT_EQ(launch("batch", "accelerate launch --multi_gpu train.py"), Launch::PerHost);
  EXPECT_EQ(launch("training", "accelerate env"), Launch::PerSlot);
}

TEST(launch, accelerate_starts_the_script_alone_without_and_so_does_every_task) {
  for (const char* app : {"batch", "training"}) {
    EXPECT_EQ(launch(app, "accelerate launch --num_processes $WORLD_SIZE train.py"),
              Launch::PerSlot);
    EXPECT_EQ(launch(app, "accelerate-launch --cpu train.py", 1000), Launch::PerSlot);
    EXPECT_EQ(launch(app, "accelerate-launch train.py"), Launch::PerHost) << "as it was asked";
    EXPECT_EQ(launch(app, "accelerate launch train.py --cpu", 1000), Launch::PerHost);
  }
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

TEST(run_limit, a_jobs_own_comes_before_its_profiles_and_that_before_its_queues) {
  using std::chrono::minutes;
  Config config;
  config.queues = {{.name = "normal", .run_limit = {minutes(3), {}}}};
  config.apps = {{.name = "batch", .run_limit = {minutes(2), {}}}, {.name = "plain"}};
  JobSpec spec;
  spec.queue = "normal";
  spec.app = "plain";
  EXPECT_EQ(run_limit_of(config, spec), minutes(3));
  spec.app = "batch";
  EXPECT_EQ(run_limit_of(config, spec), minutes(2));
  spec.run_limit = minutes(1);
  EXPECT_EQ(run_limit_of(config, spec), minutes(1));
}

TEST(users, a_list_names_users_groups_or_everybody) {
  Config config;
  config.users = {{.name = "ann", .groups = {"ml"}}};
  Identity ann{1, 1, "ann"}, bob{2, 2, "bob"};
  EXPECT_TRUE(is_listed(config, {"ann"}, ann));
  EXPECT_TRUE(is_listed(config, {"ml"}, ann));
  EXPECT_FALSE(is_listed(config, {"ml"}, bob));
  EXPECT_TRUE(is_listed(config, {"all"}, bob));
  EXPECT_FALSE(is_listed(config, {}, ann));
}

TEST(users, a_plan_that_lists_nobody_is_for_those_of_the_nearest_above_that_does) {
  Config config;
  for (const char* path : {"/", "/a", "/a/b", "/a/b/c", "/d"})
    config.plans.push_back({.path = path});
  config.plans[1].users = {"ann"};
  config.plans[3].users = {"bob"};
  Identity ann{1, 1, "ann"}, bob{2, 2, "bob"};
  EXPECT_TRUE(may_use_plan(config, "/a/b", ann));
  EXPECT_FALSE(may_use_plan(config, "/a/b", bob));
  EXPECT_TRUE(may_use_plan(config, "/a/b/c", bob));
  EXPECT_FALSE(may_use_plan(config, "/a/b/c", ann));
  EXPECT_TRUE(may_use_plan(config, "/d", bob));
  config.plans[0].users = {"ann"};
  EXPECT_FALSE(may_use_plan(config, "/d", bob));
  EXPECT_FALSE(may_use_plan(config, "/", bob));
}

TEST(users, a_plan_of_their_own_is_the_top_of_what_they_may_use) {
  Config config;
  for (const char* path : {"/", "/a", "/a/b", "/ab"}) config.plans.push_back({.path = path});
  config.users = {{.name = "ann", .plan = "/a"}, {.name = "root", .plan = "/"}};
  config.queues = {{.name = "night", .plan = "/ab"}, {.name = "normal"}};
  Identity ann{1, 1, "ann"};
  EXPECT_TRUE(is_below_users_plan(config, "normal", "/a", ann));
  EXPECT_TRUE(is_below_users_plan(config, "normal", "/a/b", ann));
  EXPECT_FALSE(is_below_users_plan(config, "normal", "/", ann));
  EXPECT_FALSE(is_below_users_plan(config, "normal", "/ab", ann)) << "a name that begins alike";
  EXPECT_TRUE(is_below_users_plan(config, "night", "/ab", ann)) << "as the queue itself says";
  EXPECT_TRUE(is_below_users_plan(config, "normal", "/ab", {2, 2, "root"}));
  EXPECT_TRUE(is_below_users_plan(config, "normal", "/", {3, 3, "bob"})) << "has none";
}

}  // namespace
}  // namespace wm
