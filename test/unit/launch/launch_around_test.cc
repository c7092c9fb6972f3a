// What an attempt may use and what runs around its tasks, from the order alone.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>

#include "libwm/launch/launch_env.h"

namespace wm::launch {
namespace {

HostFacts host_a() {
  HostFacts host;
  host.name = "a";
  host.address = "10.0.0.1";
  host.run = "/run/a";
  return host;
}

/// Job 12 with tasks 1 and 2 on host a (ours) and 3 on host b.
HostOrder three_tasks() {
  HostOrder o;
  o.job = {12, 0};
  o.attempt = {1};
  o.resolved.owner = {1000, 100, "ann"};
  o.resolved.program.command = "run";
  o.first_host = true;
  o.hosts =
      job_hosts_of({{{1}, "a", "10.0.0.1"}, {{2}, "a", "10.0.0.1"}, {{3}, "b", "10.0.0.2"}}, "a");
  OrderedTask task;
  task.task = {1};
  task.gpus = {0};
  o.tasks.push_back(task);
  task.task = {2};
  task.gpus = {1};
  task.has_process = false;
  o.tasks.push_back(task);
  return o;
}

AttemptSpec plan(const HostOrder& o, const HostFacts& host = host_a()) {
  return plan_attempt(o, host, {}, {});
}

bool has(const std::vector<std::string>& env, const std::string& entry) {
  return std::find(env.begin(), env.end(), entry) != env.end();
}

TEST(launch_around, memory_counts_for_every_task_here_the_other_sums_once) {
  auto o = three_tasks();
  o.resolved.limits.mem = Bytes{100};
  o.resolved.limits.swap = Bytes{500};
  o.resolved.limits.processes = 7;
  o.resolved.limits.cpu = Duration(9);
  EXPECT_EQ(plan(o).limits, (UseLimits{Duration(9), 200, 500, 7, 0}));
}

TEST(launch_around, limits_of_a_process_become_resource_limits) {
  auto o = three_tasks();
  o.resolved.limits.file = Bytes{10};
  o.resolved.limits.core = Bytes{0};
  EXPECT_EQ(plan(o).caps, (std::vector<ResourceCap>{{RLIMIT_FSIZE, 10}, {RLIMIT_CORE, 0}}));
  EXPECT_TRUE(plan(three_tasks()).caps.empty());
}

TEST(launch_around, site_queue_and_job_go_before_and_the_other_way_after) {
  auto o = three_tasks();
  auto host = host_a();
  host.scripts.prolog = "p";
  host.scripts.epilog = "e";
  o.queue_side.pre = "qa";
  o.queue_side.post = "qb";
  o.app.pre_exec = "never";
  o.app.post_exec = "ab";
  o.resolved.side.pre = "ja";
  auto words = [](const std::vector<SideCommand>& list) {
    std::string text;
    for (const auto& command : list) text += command.argv.back() + " ";
    return text;
  };
  auto spec = plan(o, host);
  EXPECT_EQ(words(spec.before), "p qa ja ");
  EXPECT_EQ(words(spec.after), "ab qb e ");
  o.first_host = false;
  EXPECT_EQ(words(plan(o, host).before), "p ");
}

// "cp -- a b" of every copy in a list.
std::string copies(const std::vector<SideCommand>& list) {
  std::string text;
  for (const auto& command : list)
    text += command.argv[2] + " [" + command.argv[4] + " " + command.argv[5] + "] ";
  return text;
}

TEST(launch_around, files_are_copied_before_and_after_on_the_first_host) {
  auto o = three_tasks();
  o.resolved.program.submit_host = "login";
  o.resolved.files.copies = {{"/l/in", "in", true, false, false},
                             {"/l/out", "out", false, true, false},
                             {"/l/log", "log", false, true, true},
                             {"/l/both", "both", true, true, false}};
  auto spec = plan(o);
  EXPECT_EQ(copies(spec.before), R"(cp -- "$1" "$2" [/l/in in] cp -- "$1" "$2" [/l/both both] )");
  EXPECT_EQ(copies(spec.copies), R"(cp -- "$1" "$2" [out /l/out] cat -- "$1" >>"$2" [log /l/log] )"
                                 R"(cp -- "$1" "$2" [both /l/both] )");
  o.first_host = false;
  EXPECT_TRUE(plan(o).before.empty());
}

TEST(launch_around, the_sites_copy_command_is_for_other_hosts_than_the_submission_host) {
  auto o = three_tasks();
  auto host = host_a();
  host.scripts.copy = "scp -B";
  o.resolved.program.submit_host = "login";
  o.resolved.files.copies = {{"/l/in", "in", true, true, false}};
  EXPECT_EQ(copies(plan(o, host).before), R"(scp -B "$1" "$2" [login:/l/in in] )");
  EXPECT_EQ(copies(plan(o, host).copies), R"(scp -B "$1" "$2" [in login:/l/in] )");
  o.resolved.program.submit_host = host.name;
  EXPECT_EQ(copies(plan(o, host).before), R"(cp -- "$1" "$2" [/l/in in] )");
}

TEST(launch_around, a_spooled_input_is_removed_at_the_end) {
  auto o = three_tasks();
  o.resolved.files.in = "/home/ann/.lsbatch/in.1";
  EXPECT_TRUE(plan(o).after.empty());
  o.resolved.files.in_spooled = true;
  ASSERT_EQ(plan(o).after.size(), 1u);
  EXPECT_EQ(plan(o).after[0].argv.back(), o.resolved.files.in);
}

TEST(launch_around, the_sites_commands_get_nothing_of_the_users_environment) {
  auto o = three_tasks();
  auto host = host_a();
  host.scripts.prolog = "p";
  o.blobs.env = std::string("LD_PRELOAD=/evil.so\0PATH=/mine\0", 31);
  auto command = plan(o, host).before.at(0);
  EXPECT_TRUE(command.privileged);
  EXPECT_EQ(command.time_limit, host.scripts.time_limit);
  EXPECT_TRUE(has(command.env, "PATH=/usr/sbin:/usr/bin:/sbin:/bin"));
  EXPECT_TRUE(has(command.env, "LSB_JOBID=12"));
  for (const auto& entry : command.env) EXPECT_FALSE(entry.starts_with("LD_"));
}

TEST(launch_around, a_warning_is_a_signal_everywhere_or_a_command_on_the_first_host) {
  auto o = three_tasks();
  o.resolved.side.warn_time = Duration(5);
  o.resolved.side.warn_action = std::to_string(SIGUSR1);
  EXPECT_EQ(plan(o).warning.signal, SIGUSR1);
  EXPECT_EQ(plan(o).warning.lead, Duration(5));
  o.resolved.side.warn_action = "save me";
  EXPECT_EQ(plan(o).warning.command.argv.back(), "save me");
  o.first_host = false;
  EXPECT_EQ(plan(o).warning, Warning{});
}

TEST(launch_around, a_job_without_a_warning_of_its_own_has_the_queues) {
  auto o = three_tasks();
  o.queue_side.warn_action = "tell";
  o.queue_side.warn_time = Duration(7);
  EXPECT_EQ(plan(o).warning.lead, Duration(7));
  EXPECT_EQ(plan(o).warning.command.argv.back(), "tell");
  o.resolved.side.warn_action = "10";
  o.resolved.side.warn_time = Duration(5);
  EXPECT_EQ(plan(o).warning.signal, 10);
}

TEST(launch_around, a_profiles_priority_of_processes_goes_before_the_queues) {
  auto o = three_tasks();
  o.queue_controls.nice = 5;
  EXPECT_EQ(plan(o).nice, 5);
  o.app.controls.nice = 10;
  EXPECT_EQ(plan(o).nice, 10);
}

TEST(launch_around, a_launcher_is_told_hosts_rank_and_rendezvous_and_has_all_gpus) {
  auto o = three_tasks();
  o.launch = Launch::PerHost;
  auto task = plan(o).tasks.at(0);
  for (const char* entry : {"PET_NNODES=2", "PET_NODE_RANK=0", "PET_NPROC_PER_NODE=2",
                            "PET_MASTER_ADDR=10.0.0.1", "CUDA_VISIBLE_DEVICES=0,1"})
    EXPECT_TRUE(has(task.env, entry)) << entry;
  EXPECT_EQ(plan(o).tasks.size(), 1u);
  o.launch = Launch::PerSlot;
  EXPECT_FALSE(has(plan(o).tasks.at(0).env, "PET_NNODES=2"));
}

TEST(launch_around, a_restart_meets_at_the_next_port_of_the_lease) {
  auto o = three_tasks();
  EXPECT_EQ(master_port(o), 0u);
  o.team.port = 20000;
  EXPECT_EQ(master_port(o), 20000u);
  o.control.relaunches = 3;
  EXPECT_EQ(master_port(o), 20003u);
  o.control.relaunches = 4;
  EXPECT_EQ(master_port(o), 20000u);
}

TEST(launch_around, acts_are_signals_everywhere_and_commands_on_the_first_host) {
  auto o = three_tasks();
  o.queue_controls = {"", "SIGTSTP", "go on", "end it"};
  o.app.controls.terminate = "USR2";
  auto acts = plan(o).acts;
  EXPECT_EQ(acts.suspend.signal, SIGTSTP);
  EXPECT_EQ(acts.resume.command.argv, (std::vector<std::string>{"/bin/sh", "-c", "go on"}));
  EXPECT_TRUE(has(acts.resume.command.env, "LSB_JOBID=12"));
  EXPECT_FALSE(acts.resume.command.privileged);
  EXPECT_EQ(acts.terminate.signal, SIGUSR2);  // the profile's
  o.first_host = false;
  EXPECT_EQ(plan(o).acts.suspend.signal, SIGTSTP);
  EXPECT_TRUE(plan(o).acts.resume.usual());
}

TEST(launch_around, checkpoints_are_written_by_the_sites_program_or_the_trainer) {
  auto o = three_tasks();
  o.resolved.checkpoint = {"/ckpt", std::chrono::minutes(5), "site"};
  auto made = plan(o).acts.checkpoints;
  EXPECT_EQ(made.period, std::chrono::minutes(5));
  EXPECT_TRUE(has(made.command.env, "LSB_CHKPNT_DIR=/ckpt/12"));
  EXPECT_TRUE(has(made.command.env, "LSB_ECHKPNT_METHOD=site"));
  for (const char* own : {"", "wm"}) {
    o.resolved.checkpoint.method = own;
    EXPECT_TRUE(plan(o).acts.checkpoints.command.argv.empty());
    EXPECT_EQ(plan(o).acts.checkpoints.period, std::chrono::minutes(5));
  }
  o.first_host = false;
  EXPECT_EQ(plan(o).acts.checkpoints.period, Duration{});
}

}  // namespace
}  // namespace wm::launch
