// What launchers find in a task's environment, and which hosts get an agent.
#include "libwm/launch/part_env.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wm::launch {
namespace {

HostFacts host_b() {
  HostFacts host;
  host.name = "b";
  host.run = "/run/b";
  host.bin_dir = "/opt/bin";
  host.munge_socket = "/run/munge";
  return host;
}

/// Job 12, attempt 1: task 1 on host a runs the command, 2 is room there, 3 and 4 on b.
HostOrder two_hosts() {
  HostOrder o;
  o.job = {12, 0};
  o.attempt = {1};
  o.resolved.owner = {1000, 100, "ann"};
  o.hosts = job_hosts_of({{{1}, "a", ""}, {{2}, "a", ""}, {{3}, "b", ""}, {{4}, "b", ""}}, "b");
  for (std::uint32_t n : {3u, 4u}) {
    OrderedTask task;
    task.task = {n};
    task.has_process = false;
    task.gpus = {static_cast<std::uint16_t>(n)};
    o.tasks.push_back(task);
  }
  return o;
}

HostOrder one_host() {
  auto o = two_hosts();
  o.hosts = job_hosts_of({{{1}, "a", ""}, {{2}, "a", ""}}, "a");
  o.tasks.resize(1);
  o.tasks[0].has_process = true;
  return o;
}

TEST(part_env, an_agent_only_where_somebody_may_come_in) {
  EXPECT_TRUE(wants_agent(two_hosts()));
  EXPECT_FALSE(wants_agent(one_host()));
  auto interactive = one_host();
  interactive.resolved.console.streams = Streams::Pipes;
  EXPECT_TRUE(wants_agent(interactive));
  auto attached = one_host();
  attached.control.attach = true;
  EXPECT_TRUE(wants_agent(attached));
  auto grouped = one_host();
  grouped.team.groups = {{"only", "", {}}};
  EXPECT_FALSE(wants_agent(grouped)) << "there is no other";
  grouped.team.groups.push_back({"more", "", {}});
  EXPECT_TRUE(wants_agent(grouped));
}

TEST(part_env, what_comes_in_from_elsewhere_is_of_this_group) {
  auto o = one_host();
  o.job.index = 2;
  o.team.groups = {{"driver", "", {"a:1"}}, {"worker", "", {"b:1", "b:2"}}};
  VariableMap vars;
  add_agent_part(vars, o, host_b());
  EXPECT_EQ(vars["WM_GROUP"], "worker");
  EXPECT_EQ(vars["WM_GROUP_DRIVER"], "a:1");
  EXPECT_EQ(vars["WM_GROUP_WORKER"], "b:1,b:2");
  EXPECT_FALSE(vars.contains("WM_GROUP_RANK")) << "it is no task of it";
}

TEST(part_env, a_trials_tasks_are_asked_for_their_report) {
  auto o = one_host();
  EXPECT_TRUE(plan_task(o, host_b(), o.tasks[0]).report_by.empty());
  o.resolved.open = true;
  auto host = host_b();
  host.sbin_dir = "/opt/sbin";
  EXPECT_EQ(plan_task(o, host, o.tasks[0]).report_by,
            (std::vector<std::string>{"/opt/sbin/wagent", "--report", result_dir(o, host)}));
}

TEST(part_env, a_notebook_knows_where_to_listen_and_when_it_is_forgotten) {
  auto o = one_host();
  VariableMap vars;
  add_web(vars, o, host_b());
  EXPECT_TRUE(vars.empty()) << "of type notebook alone";
  auto files = small_files(o).size();
  o.app.type = AppType::Notebook;
  o.app.command = "wm-notebook --now";
  o.app.idle = {std::chrono::minutes(90), std::chrono::seconds(30), 7};
  add_web(vars, o, host_b());
  EXPECT_EQ(vars["WM_WEB_SOCKET"], attempt_dir(o, host_b()) + "/web");
  EXPECT_EQ(small_files(o).size(), files + 1) << "the folder of the socket is made before the task";
  EXPECT_EQ(vars["WM_IDLE_LIMIT"], "90m");
  EXPECT_EQ(vars["WM_IDLE_WARNING"], "30s");
  EXPECT_EQ(vars["WM_IDLE_CPU"], "7");
  EXPECT_EQ(plan_task(o, host_b(), o.tasks[0]).argv.back(), "wm-notebook --now");
  o.resolved.program.command = "jupyter lab";
  EXPECT_EQ(plan_task(o, host_b(), o.tasks[0]).argv.back(), "jupyter lab") << "its own goes first";
}

TEST(part_env, ranks_ask_their_agent_which_knows_all_hosts) {
  auto o = two_hosts();
  for (auto& task : o.tasks) task.has_process = true;
  EXPECT_TRUE(plan_attempt(o, host_b(), {}, {}).tasks.at(0).rank_socket.empty());
  o.resolved.mpi = Mpi::Pmix;
  auto spec = plan_attempt(o, host_b(), {}, {});
  EXPECT_EQ(spec.tasks.at(0).rank, 2u);
  EXPECT_EQ(spec.tasks.at(1).rank, 3u);
  EXPECT_EQ(spec.tasks.at(1).rank_socket, "/run/b/12-0.1.d/ranks");
  for (const char* entry : {"WM_AGENT_RANKS=a 2 b 2", "WM_AGENT_RANK_SOCKET=/run/b/12-0.1.d/ranks"})
    EXPECT_NE(std::find(spec.agent_env.begin(), spec.agent_env.end(), entry), spec.agent_env.end())
        << entry;
}

TEST(part_env, tagged_output_of_all_goes_where_rank_0s_would) {
  auto o = one_host();
  o.resolved.mpi = Mpi::Pmix;
  o.resolved.files.out = "/tmp/out";
  o.first_host = true;
  o.hosts = job_hosts_of({{{3}, "b", ""}, {{4}, "b", ""}}, "b");
  EXPECT_TRUE(plan_attempt(o, host_b(), {}, {}).out.empty());
  o.resolved.files.tag = true;
  auto spec = plan_attempt(o, host_b(), {}, {});
  ASSERT_EQ(spec.out.size(), 1u);
  EXPECT_EQ(spec.out[0].path, "/tmp/out");
  EXPECT_TRUE(spec.merge_err);
  EXPECT_TRUE(spec.tasks.at(0).tag);
  const auto& env = spec.agent_env;
  EXPECT_NE(std::find(env.begin(), env.end(), "WM_AGENT_TAG=1"), env.end());
}

TEST(part_env, ranks_of_one_host_have_an_agent_too) {
  auto o = one_host();
  o.resolved.mpi = Mpi::Pmix;
  EXPECT_TRUE(wants_agent(o));
}

TEST(part_env, a_host_without_a_task_of_its_own_is_a_bare_part_that_lives_on) {
  EXPECT_TRUE(is_bare_part(two_hosts()));
  EXPECT_FALSE(is_bare_part(one_host()));
  auto spec = plan_attempt(two_hosts(), host_b(), {}, {});
  EXPECT_TRUE(spec.tasks.empty());
  EXPECT_FALSE(spec.ends_with_last_task);
  ASSERT_FALSE(spec.agent_argv.empty());
  EXPECT_TRUE(plan_attempt(one_host(), host_b(), {}, {}).agent_argv.empty());
}

TEST(part_env, a_job_of_one_task_gets_none_of_it) {
  auto o = one_host();
  o.hosts = job_hosts_of({{{1}, "a", ""}}, "a");
  VariableMap vars{{"WM_LAUNCH_SOCKET", "/of/another/job"}};
  add_launch(vars, o, host_b());
  EXPECT_EQ(vars, (VariableMap{{"WM_HOST", "b"}}));
}

TEST(part_env, the_agent_may_use_the_gpus_of_all_its_tasks) {
  VariableMap vars;
  add_agent_part(vars, two_hosts(), host_b());
  EXPECT_EQ(vars["CUDA_VISIBLE_DEVICES"], "3,4");
  EXPECT_EQ(vars["WM_AGENT_NAME"], "b");
  EXPECT_EQ(vars["WM_AGENT_MUNGE"], "/run/munge");
}

TEST(part_env, the_agent_knows_the_container_for_what_it_launches) {
  VariableMap vars;
  auto o = two_hosts();
  add_agent_part(vars, o, host_b());
  EXPECT_EQ(vars["WM_AGENT_CONTAINER"], "");
  o.resolved.program.cwd = "/home/ann";
  o.app.container.driver = "charliecloud";
  o.app.container.image = "/images/x";
  add_agent_part(vars, o, host_b());
  EXPECT_TRUE(vars["WM_AGENT_CONTAINER"].starts_with("env\n")) << vars["WM_AGENT_CONTAINER"];
  EXPECT_TRUE(vars["WM_AGENT_CONTAINER"].ends_with("\n/images/x\n--"));
}

TEST(part_env, the_first_task_of_an_interactive_job_has_a_console) {
  auto o = one_host();
  o.resolved.console.streams = Streams::Terminal;
  o.resolved.console.rows = 33;
  TaskSpec first, second;
  first.task = {1};
  second.task = {2};
  plan_console(o, host_b(), first);
  plan_console(o, host_b(), second);
  EXPECT_EQ(first.console, "/run/b/12-0.1.d/console");
  EXPECT_TRUE(first.terminal);
  EXPECT_EQ(first.rows, 33u);
  EXPECT_TRUE(second.console.empty());
}

// Task 1 on host a and task 2 on b are launchers; the order is for b, or for a where that is asked.
HostOrder launchers(bool on_first = false) {
  HostOrder o;
  o.job = {12, 0};
  o.attempt = {1};
  o.resolved.owner = {1000, 100, "ann"};
  o.resolved.program.cwd = "/home/ann";
  o.resolved.files.out = "out.%J";
  o.app.type = AppType::Batch;
  o.launch = Launch::PerHost;
  o.first_host = on_first;
  o.hosts = job_hosts_of({{{1}, "a", ""}, {{2}, "b", ""}}, on_first ? "a" : "b");
  OrderedTask task;
  task.task = {on_first ? 1u : 2u};
  task.has_process = true;
  o.tasks.push_back(task);
  return o;
}

TEST(part_env, launchers_of_several_hosts_of_a_batch_job_share_its_files) {
  EXPECT_TRUE(shares_output(launchers()));
  auto o = launchers();
  o.app.type = AppType::Training;
  EXPECT_FALSE(shares_output(o)) << "each task has its own files";
  o = launchers();
  o.launch = Launch::Once;
  EXPECT_FALSE(shares_output(o));
  o = launchers();
  o.resolved.console.streams = Streams::Pipes;
  EXPECT_FALSE(shares_output(o));
  o = launchers();
  o.hosts = job_hosts_of({{{2}, "b", ""}}, "b");
  EXPECT_FALSE(shares_output(o));
  o.team.elastic = true;
  EXPECT_TRUE(shares_output(o)) << "it may have more at any time";
}

TEST(part_env, a_launcher_on_another_host_keeps_the_newest_and_one_on_the_first_writes_the_file) {
  auto o = launchers();
  auto other = plan_task(o, host_b(), o.tasks[0]);
  EXPECT_TRUE(other.tag && other.rank_socket.empty() && !other.writer);
  ASSERT_EQ(other.out.size(), 1u);
  EXPECT_EQ(other.out[0].path, "/run/b/12-0.1.d/stdout-2");
  EXPECT_TRUE(other.out[0].newest && other.err[0].newest);
  EXPECT_EQ(other.out[0].limit_bytes, 4u << 20);
  EXPECT_TRUE(other.says_why);
  auto first = launchers(true);
  auto writer = plan_task(first, host_b(), first.tasks[0]);
  EXPECT_TRUE(writer.tag && writer.writer && writer.merge_err && writer.says_why);
  EXPECT_FALSE(writer.out[0].newest);
  EXPECT_TRUE(writer.last_words.empty());
}

TEST(part_env, every_agent_of_launchers_knows_the_jobs_files) {
  for (bool on_first : {true, false}) {
    VariableMap vars;
    add_agent_part(vars, launchers(on_first), host_b());
    EXPECT_EQ(vars["WM_AGENT_OUTPUT_SOCKET"], "/run/b/12-0.1.d/output");
    EXPECT_EQ(vars["WM_AGENT_OUTPUT_FILE"], "/home/ann/out.12");
    EXPECT_EQ(vars["WM_AGENT_OUTPUT_NAME"], "12.out");
    EXPECT_EQ(vars["WM_AGENT_OUTPUT_LIMIT"], "0");
    EXPECT_FALSE(vars.contains("WM_AGENT_ERRORS_FILE")) << "errors go to the same";
    EXPECT_EQ(vars.contains("WM_AGENT_OUTPUT_OTHERS"), on_first);
  }
  auto o = launchers(true);
  o.resolved.files.err = "/tmp/err";
  VariableMap vars;
  add_agent_part(vars, o, host_b());
  EXPECT_EQ(vars["WM_AGENT_ERRORS_FILE"], "/tmp/err");
  EXPECT_EQ(vars["WM_AGENT_OUTPUT_OTHERS"], "1");
  VariableMap none;
  add_agent_part(none, two_hosts(), host_b());
  EXPECT_FALSE(none.contains("WM_AGENT_OUTPUT_SOCKET"));
}

TEST(part_env, a_launcher_whose_options_contradict_the_size_says_so_first_on_the_first_host) {
  auto o = launchers(true);
  const std::vector<std::string> usual{"/bin/sh", "-c", "torchrun --nnodes 3 train.py"};
  o.resolved.program.command = usual[2];
  auto argv = plan_task(o, host_b(), o.tasks[0]).argv;
  ASSERT_EQ(argv.size(), 7u);
  EXPECT_EQ(argv[3], "WM: the command says --nnodes 3, but the job has 2 hosts");
  EXPECT_EQ(std::vector<std::string>(argv.begin() + 4, argv.end()), usual);
  o = launchers();
  o.resolved.program.command = usual[2];
  EXPECT_EQ(plan_task(o, host_b(), o.tasks[0]).argv, usual) << "another host";
  o = launchers(true);
  o.resolved.program.command = "torchrun --nproc_per_node 2 train.py";
  EXPECT_EQ(plan_task(o, host_b(), o.tasks[0]).argv[3],
            "WM: the command says --nproc_per_node 2, but the job has room for 1 on a host");
  o.tasks[0].gpus = {0, 1};
  EXPECT_EQ(plan_task(o, host_b(), o.tasks[0]).argv.size(), 3u) << "one for each GPU";
}

}  // namespace
}  // namespace wm::launch
