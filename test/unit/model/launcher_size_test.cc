#include "libwm/model/launcher_size.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

std::string against(const std::string& command, const LauncherRoom& room) {
  return size_contradiction(training_launcher_of(command), room);
}

TEST(launcher_size, more_processes_than_there_is_room_for_contradict) {
  const LauncherRoom two{1, 2, 2};
  for (const char* option : {"--nproc_per_node 8", "--nproc-per-node 8", "--nproc_per_node=8",
                             "--nproc-per-node=8", "--nproc_per_node 1 --nproc_per_node 8"})
    EXPECT_EQ(against(std::string("torchrun ") + option + " train.py", two),
              "--nproc_per_node 8, but the job has room for 2 on a host")
        << option;
  EXPECT_EQ(against("torchrun --nproc_per_node 2 train.py", two), "");
  EXPECT_EQ(against("torchrun --nproc_per_node 1 train.py", two), "") << "threads may use the rest";
  EXPECT_EQ(against("torchrun --nproc_per_node 3 train.py", {0, 0, 2}),
            "--nproc_per_node 3, but the job has room for 2 in all");
}

TEST(launcher_size, any_other_number_of_hosts_contradicts) {
  const LauncherRoom two{2, 1, 2};
  EXPECT_EQ(against("torchrun --nnodes 3 train.py", two), "--nnodes 3, but the job has 2 hosts");
  EXPECT_EQ(against("python3 -m torch.distributed.run --nnodes=1 train.py", two),
            "--nnodes 1, but the job has 2 hosts");
  EXPECT_EQ(against("torchrun --nnodes 2 train.py", {1, 2, 2}),
            "--nnodes 2, but the job has 1 host");
  EXPECT_EQ(against("torchrun --nnodes 3 train.py", {0, 0, 2}),
            "--nnodes 3, but the job has room for 2 processes in all");
  EXPECT_EQ(against("torchrun --nnodes 2 train.py", two), "");
  EXPECT_EQ(against("torchrun --nnodes 2 train.py", {0, 0, 4}), "");
}

TEST(launcher_size, accelerates_options_count_machines_and_all_processes) {
  const LauncherRoom room{2, 2, 4};
  EXPECT_EQ(against("accelerate launch --num_machines 3 train.py", room),
            "--num_machines 3, but the job has 2 hosts");
  EXPECT_EQ(against("accelerate launch --num-processes=8 train.py", room),
            "--num_processes 8, but the job has room for 4 in all");
  EXPECT_EQ(against("accelerate launch --num_processes 4 --num_machines 2 train.py", room), "");
}

TEST(launcher_size, what_is_no_plain_number_or_stands_behind_the_script_contradicts_nothing) {
  const LauncherRoom one{1, 1, 1};
  for (const char* command :
       {"torchrun --nnodes $NNODES train.py", "torchrun --nnodes 1:3 train.py",
        "torchrun --nproc_per_node gpu train.py", "torchrun --nproc_per_node=auto train.py",
        "torchrun --nproc_per_node '8' train.py", "torchrun train.py --nnodes 3",
        "torchrun --nnodes", "torchrun --nnodes= train.py", "torchrun",
        "python train.py --nnodes 3", "deepspeed --num_nodes 3 train.py", ""})
    EXPECT_EQ(against(command, one), "") << command;
  EXPECT_EQ(against("torchrun --nnodes 3 --nproc_per_node 8 train.py", {}), "")
      << "nothing is known";
}

TEST(launcher_size, before_placement_only_a_fixed_size_is_known) {
  JobSpec spec;
  spec.min_tasks = spec.max_tasks = 4;
  EXPECT_EQ(room_before_placement(spec), (LauncherRoom{0, 0, 4}));
  spec.span.ptile = 2;
  EXPECT_EQ(room_before_placement(spec), (LauncherRoom{2, 2, 4}));
  spec.span.ptile = 3;
  EXPECT_EQ(room_before_placement(spec), (LauncherRoom{2, 3, 4}));
  spec.span.ptile = 0;
  spec.span.one_host = true;
  EXPECT_EQ(room_before_placement(spec), (LauncherRoom{1, 4, 4}));
  spec.max_tasks = 8;
  EXPECT_EQ(room_before_placement(spec), LauncherRoom{});
  spec.max_tasks = 4;
  spec.elastic = true;
  EXPECT_EQ(room_before_placement(spec), LauncherRoom{});
}

TEST(launcher_size, gpus_make_room_for_processes) {
  JobSpec spec;
  spec.task.milli_gpus = 8000;
  spec.task.gpus_per_host = true;
  EXPECT_EQ(room_before_placement(spec), (LauncherRoom{1, 8, 8}));
  spec.min_tasks = spec.max_tasks = 2;
  EXPECT_EQ(room_before_placement(spec), (LauncherRoom{0, 0, 16})) << "on two hosts, maybe";
  spec.span.one_host = true;
  EXPECT_EQ(room_before_placement(spec), (LauncherRoom{1, 8, 8}));
  spec.task.gpus_per_host = false;
  EXPECT_EQ(room_before_placement(spec), (LauncherRoom{1, 16, 16}));
}

TEST(launcher_size, torchrun_waits_for_as_many_hosts_as_it_is_told) {
  auto hosts = [](const char* command) { return hosts_awaited(training_launcher_of(command), 2); };
  EXPECT_EQ(hosts("torchrun train.py"), 2u);
  EXPECT_EQ(hosts("torchrun --nnodes=3 train.py"), 3u);
  EXPECT_EQ(hosts("torchrun --nnodes 1 train.py"), 2u);
  EXPECT_EQ(hosts("torchrun --nnodes 1:4 train.py"), 2u);
  EXPECT_EQ(hosts("torchrun train.py --nnodes 3"), 2u) << "the script's own";
  EXPECT_EQ(hosts("accelerate launch --nnodes 3 train.py"), 2u);
}

TEST(launcher_size, a_launcher_meets_at_the_port_that_its_options_say) {
  auto port = [](const char* command) {
    return port_awaited(training_launcher_of(command), 20000);
  };
  EXPECT_EQ(port("torchrun train.py"), 20000u);
  EXPECT_EQ(port("python3 train.py --master_port 4000"), 20000u);
  EXPECT_EQ(port("torchrun --master-port=4000 train.py"), 4000u);
  EXPECT_EQ(port("torchrun --rdzv_endpoint $MASTER_ADDR:4001 train.py"), 4001u);
  EXPECT_EQ(port("torchrun --rdzv-endpoint=node1 train.py"), 20000u);
  EXPECT_EQ(port("torchrun --rdzv-endpoint=$MASTER_ADDR:$MASTER_PORT train.py"), 20000u);
  EXPECT_EQ(port("deepspeed --no_ssh --master_port 4002 train.py"), 4002u);
  EXPECT_EQ(port("accelerate launch --main_process_port 4003 train.py"), 4003u);
  EXPECT_EQ(port("torchrun --master_port 70000 train.py"), 20000u);
  EXPECT_EQ(port("torchrun --master_port 0 train.py"), 20000u);
}

TEST(launcher_size, accelerate_that_starts_one_process_for_several_tasks_is_doubted) {
  JobSpec spec;
  spec.min_tasks = spec.max_tasks = 4;
  spec.program.command = "accelerate launch train.py";
  EXPECT_NE(size_doubt(spec).find("starts 1 process on a host, and the job has 4 tasks"),
            std::string::npos);
  for (const char* fine : {"accelerate launch --cpu train.py",
                           "accelerate launch --num_processes $WORLD_SIZE train.py"}) {
    spec.program.command = fine;
    EXPECT_EQ(size_doubt(spec), "") << fine;
  }
  spec.program.command = "accelerate launch train.py";
  spec.task.milli_gpus = 1000;
  EXPECT_EQ(size_doubt(spec), "") << "it starts one for each GPU";
}

}  // namespace
}  // namespace wm
