// Real zygote, real shepherds, real processes: what becomes of a job's tree whatever happens.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "libwm/base/exit_status.h"
#include "libwm/proc/exit_log.h"
#include "libwm/proc/tree.h"
#include "test/fault/attempt_runs.h"

namespace wm::test {
namespace {

using launch::AttemptEnded;
using launch::EndCause;
using launch::TaskEnded;
using std::chrono::milliseconds;

TEST(shepherd, exit_codes_and_signals_come_back_as_wait_gives_them) {
  Zygote zygote;
  EXPECT_EQ(run_shell(zygote, 1, "exit 0").status, 0);
  EXPECT_EQ(WEXITSTATUS(run_shell(zygote, 2, "exit 7").status), 7);
  EXPECT_EQ(shell_status(run_shell(zygote, 3, "kill -SEGV $$").status), 128 + SIGSEGV);
  EXPECT_EQ(shell_status(run_shell(zygote, 4, "no-such-program").status), 127);
}

TEST(shepherd, a_missing_program_or_folder_names_itself) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 1, "");
  spec.tasks[0].argv = {"/no/such/program"};
  auto record = run_to_end(zygote, spec);
  EXPECT_EQ(shell_status(record.status), 127);
  EXPECT_NE(record.text.find("/no/such/program"), std::string::npos) << record.text;

  spec = shell_attempt(zygote, 2, "true");
  spec.cwd = "/no/such/folder";
  record = run_to_end(zygote, spec);
  EXPECT_EQ(record.cause, EndCause::NoFolder);
  EXPECT_NE(record.text.find("working directory /no/such/folder"), std::string::npos)
      << record.text;
}

TEST(shepherd, records_are_on_disk_when_the_end_is_told) {
  Zygote zygote;
  auto fd = zygote.start(shell_attempt(zygote, 9, "exit 3"));
  await<TaskEnded>(fd);
  auto records = proc::read_exits(zygote.exits);
  ASSERT_TRUE(records);
  ASSERT_GE(records->size(), 1u);
  EXPECT_EQ((*records)[0].task, TaskNumber{1});
  EXPECT_EQ(WEXITSTATUS((*records)[0].status), 3);
}

TEST(shepherd, a_daemonised_child_does_not_outlive_its_job) {
  Zygote zygote;
  auto record = run_shell(zygote, 21,
                          "(setsid sh -c 'sleep 1000 & echo > up; sleep 1000' &) ; "
                          "while ! [ -e up ]; do sleep 0.01; done");
  EXPECT_EQ(record.status, 0);
  EXPECT_TRUE(pids_of(21).empty());
}

launch::AttemptSpec bash_attempt(const Zygote& zygote, std::uint32_t job,
                                 const std::string& command, Duration stray_grace) {
  auto spec = shell_attempt(zygote, job, command);
  spec.tasks[0].argv[0] = "/bin/bash";
  spec.stray_grace = stray_grace;
  return spec;
}

TEST(shepherd, what_a_task_writes_to_at_its_end_gets_to_write_it) {
  Zygote zygote;
  auto spec =
      bash_attempt(zygote, 24,
                   "exec > >(sleep 0.3; tee log) 2>&1; "
                   "exec 3> >(sleep 0.3; sed s/a/b/ > changed); echo a; echo aa >&3; exit 3",
                   std::chrono::seconds(60));
  EXPECT_EQ(WEXITSTATUS(run_to_end(zygote, spec).status), 3);
  EXPECT_EQ(zygote.read("log"), "a\n");
  EXPECT_EQ(zygote.read("out"), "a\n");
  EXPECT_EQ(zygote.read("changed"), "ba\n");
}

TEST(shepherd, what_a_task_leaves_is_killed_when_its_grace_is_over) {
  Zygote zygote;
  auto spec = bash_attempt(zygote, 25, "(setsid sleep 1000 &); exit 0", milliseconds(500));
  EXPECT_EQ(run_to_end(zygote, spec).status, 0);
  EXPECT_TRUE(pids_of(25).empty());
}

TEST(shepherd, whoever_ends_a_job_does_not_wait_for_what_its_tasks_left) {
  for (const auto& order : {launch::ShepherdOrder(launch::EndTasks{{}, false, 0, "owner"}),
                            launch::ShepherdOrder(launch::Finish{"done with it"})}) {
    Zygote zygote;
    auto fd = zygote.start(
        bash_attempt(zygote, 26, "(setsid sleep 1000 &); echo > up", std::chrono::hours(1)));
    auto task = await<launch::TaskStarted>(fd).task.pid;
    ASSERT_TRUE(eventually([&] { return ::kill(task, 0) != 0; }));
    EXPECT_TRUE(eventually([] { return pids_of(26).size() == 1u; }));
    tell(fd, order);
    EXPECT_EQ(await<TaskEnded>(fd).record.cause, EndCause::Exited) << "it had ended by itself";
    await<AttemptEnded>(fd);
    EXPECT_TRUE(pids_of(26).empty());
  }
}

TEST(shepherd, a_child_that_hides_its_environment_is_found_too) {
  Zygote zygote;
  run_shell(zygote, 22, "(setsid env -i /bin/sleep 1237 &) ; sleep 0.05");
  EXPECT_NE(::system("pgrep -fx '/bin/sleep 1237' > /dev/null"), 0);
}

// Each process starts the next and ends, so its number is old when it is known. Bounded: 12.
TEST(shepherd, processes_that_change_all_the_time_are_ended) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 23,
                            "hop() { sleep 0.01; hop & }; "
                            "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do hop & done; "
                            "echo > up; sleep 1000");
  auto fd = zygote.start(spec);
  await_file(zygote, "up");
  tell(fd, launch::EndTasks{{}, true, 0, "enough"});
  await<AttemptEnded>(fd);
  EXPECT_TRUE(pids_of(23).empty());
}

TEST(shepherd, ending_goes_from_interrupt_to_terminate_to_kill) {
  Zygote zygote;
  auto spec =
      shell_attempt(zygote, 31,
                    "trap 'echo int' INT; trap 'echo term' TERM; trap 'echo cont' CONT; echo > up; "
                    "while :; do sleep 0.02; done");
  spec.kill_interval = std::chrono::seconds(1);
  auto fd = zygote.start(spec);
  await_file(zygote, "up");
  tell(fd, launch::EndTasks{{}, false, 0, "owner"});
  auto record = await<TaskEnded>(fd).record;
  EXPECT_EQ(record.cause, EndCause::Ordered);
  EXPECT_EQ(record.text, "owner");
  EXPECT_EQ(shell_status(record.status), 128 + SIGKILL);
  EXPECT_EQ(zygote.read("out"), "int\nterm\n");
}

TEST(shepherd, the_run_limit_sends_usr2_and_is_the_named_reason) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 32, "sleep 1000");
  spec.run_limit = milliseconds(50);
  auto record = run_to_end(zygote, spec);
  EXPECT_EQ(record.cause, EndCause::RunLimit);
  EXPECT_EQ(shell_status(record.status), 128 + SIGUSR2);
  EXPECT_TRUE(record.text.starts_with("TERM_RUNLIMIT")) << record.text;
}

TEST(shepherd, stop_and_continue_reach_the_whole_tree) {
  Zygote zygote;
  auto fd = zygote.start(shell_attempt(zygote, 33, "setsid sleep 1000 & echo > up; wait"));
  await_file(zygote, "up");
  ASSERT_TRUE(eventually([&] { return pids_of(33).size() == 2; }));
  auto all_in = [&](const char* states) {
    return [=] {
      for (auto pid : pids_of(33)) {
        proc::ProcessStat stat;
        if (!proc::read_stat(pid, stat) || !std::strchr(states, stat.state)) return false;
      }
      return true;
    };
  };
  tell(fd, launch::SignalTasks{{}, SIGSTOP});
  EXPECT_TRUE(eventually(all_in("T")));
  tell(fd, launch::SignalTasks{{}, SIGCONT});
  EXPECT_TRUE(eventually(all_in("SR")));
  tell(fd, launch::Finish{"done with it"});
  await<AttemptEnded>(fd);
  EXPECT_TRUE(pids_of(33).empty());
}

TEST(shepherd, a_stopped_task_goes_on_to_obey_its_end) {
  Zygote zygote;
  auto spec =
      shell_attempt(zygote, 38, "trap 'echo int; exit' INT; kill -STOP $$; while :; do :; done");
  spec.kill_interval = std::chrono::minutes(1);
  auto fd = zygote.start(spec);
  ASSERT_TRUE(eventually([&] {
    proc::ProcessStat stat;
    auto pids = pids_of(38);
    return pids.size() == 1 && proc::read_stat(pids[0], stat) && stat.state == 'T';
  }));
  tell(fd, launch::EndTasks{{}, false, 0, "owner"});
  EXPECT_EQ(WEXITSTATUS(await<TaskEnded>(fd).record.status), 0);
  EXPECT_EQ(zygote.read("out"), "int\n");
}

TEST(shepherd, one_task_is_ended_with_its_tree_while_the_other_runs_on) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 34, "(setsid sleep 1000 &); echo > up1; sleep 1000");
  spec.tasks.push_back(spec.tasks[0]);
  spec.tasks[1].task = {2};
  spec.tasks[1].argv[2] = "(setsid sleep 1000 &); echo > up2; sleep 1000";
  spec.tasks[1].env[1] = "WM_TASK=2";
  auto fd = zygote.start(spec);
  await_file(zygote, "up1");
  await_file(zygote, "up2");
  ASSERT_TRUE(eventually([&] { return pids_of(34).size() == 6; }));
  tell(fd, launch::EndTasks{{TaskNumber{1}}, true, 0, "reclaimed"});
  EXPECT_EQ(await<TaskEnded>(fd).record.task, TaskNumber{1});
  auto left = pids_of(34);
  EXPECT_EQ(left.size(), 3u);
  for (auto pid : left) EXPECT_EQ(proc::variable_of(pid, "WM_TASK"), "2");
}

TEST(shepherd, no_descriptor_reaches_the_task) {
  Zygote zygote;
  run_shell(zygote, 35, "ls /proc/self/fd | tr '\\n' ' '; readlink /proc/self/fd/0");
  EXPECT_EQ(zygote.read("out"), "0 1 2 3 /dev/null\n");  // 3: the folder ls itself reads
}

TEST(shepherd, the_environment_is_exactly_as_given) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 36, "");
  spec.tasks[0].argv = {"/usr/bin/env"};
  spec.tasks[0].env = {"B=2", "A=a b", "WM_ATTEMPT=test@test:36.1"};
  run_to_end(zygote, spec);
  EXPECT_EQ(zygote.read("out"), "B=2\nA=a b\nWM_ATTEMPT=test@test:36.1\n");
}

TEST(shepherd, tasks_can_be_added_and_a_repeat_starts_nothing_twice) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 37, "echo x >> started; sleep 1000");
  auto fd = zygote.start(spec);
  await<launch::TaskStarted>(fd);
  auto more = spec.tasks[0];
  tell(fd, launch::StartTasks{{more}, ""});
  more.task = {2};
  tell(fd, launch::StartTasks{{more}, "new memo"});
  EXPECT_EQ(await<launch::TaskStarted>(fd).task.task, TaskNumber{2});
  EXPECT_TRUE(eventually([&] { return zygote.read("started") == "x\nx\n"; }));
  tell(fd, launch::Finish{""});
  await<AttemptEnded>(fd);
}

TEST(shepherd, outlives_wnoded_and_is_found_again_by_its_socket) {
  Zygote zygote;
  auto spec =
      shell_attempt(zygote, 41, "echo > up; while ! [ -e go ]; do sleep 0.01; done; exit 5");
  spec.memo = "what wnoded knew";
  auto fd = zygote.start(spec);
  await_file(zygote, "up");
  fd.reset();
  zygote.lose();

  std::string socket;
  for (const auto& entry : std::filesystem::directory_iterator(zygote.run))
    if (entry.path().extension() == ".sock") socket = entry.path();
  auto again = proc::connect_unix(socket);
  ASSERT_TRUE(again);
  auto up = await<launch::ShepherdUp>(*again);
  EXPECT_EQ(up.key, spec.key);
  EXPECT_EQ(up.memo, spec.memo);
  ASSERT_EQ(up.tasks.size(), 1u);
  EXPECT_FALSE(up.tasks[0].ended);
  std::ofstream(zygote.folder + "/go") << "";
  EXPECT_EQ(WEXITSTATUS(await<TaskEnded>(*again).record.status), 5);
}

TEST(shepherd, an_end_while_nobody_listens_is_kept) {
  Zygote zygote;
  auto fd = zygote.start(shell_attempt(zygote, 42, "echo > up; sleep 0.1; exit 6"));
  await_file(zygote, "up");
  fd.reset();
  zygote.lose();
  ASSERT_TRUE(eventually([&] { return proc::read_exits(zygote.exits)->size() == 2; }));
  EXPECT_EQ(WEXITSTATUS(proc::read_exits(zygote.exits)->at(0).status), 6);
  EXPECT_EQ(proc::read_exits(zygote.exits)->at(1).task, TaskNumber{});
}

TEST(shepherd, when_it_is_killed_its_tasks_are_found_and_ended_with_a_reason) {
  Zygote zygote;
  auto fd =
      zygote.start(shell_attempt(zygote, 43, "setsid sh -c 'sleep 1000' & echo > up; sleep 1000"));
  auto up = await<launch::ShepherdUp>(fd);
  await_file(zygote, "up");
  ASSERT_TRUE(eventually([&] { return pids_of(43).size() >= 3; }));
  ::kill(up.pid, SIGKILL);
  EXPECT_FALSE(next_word(fd) && next_word(fd));  // TaskStarted at most, then closed

  auto sweeper = zygote.fork_with(launch::Sweep{"test", {{43, 0}, {1}}, {}, milliseconds(5000)});
  auto record = await<AttemptEnded>(sweeper).record;
  EXPECT_EQ(record.cause, EndCause::ShepherdLost);
  EXPECT_TRUE(pids_of(43).empty());
  EXPECT_TRUE(std::filesystem::is_empty(zygote.run));
}

TEST(shepherd, an_end_that_it_wrote_but_nobody_heard_is_not_lost) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 63, "exit 19");
  auto fd = zygote.start(spec);
  await<AttemptEnded>(fd);
  auto sweeper = zygote.fork_with(launch::Sweep{"test", spec.key, {}, milliseconds(5000)});
  EXPECT_EQ(await<TaskEnded>(sweeper).record.status, 19 << 8);
  EXPECT_EQ(await<AttemptEnded>(sweeper).record.cause, EndCause::Exited);
  auto written = proc::read_exits(zygote.exits);
  ASSERT_TRUE(written);
  for (const auto& record : *written) EXPECT_EQ(record.cause, EndCause::Exited);
}

TEST(shepherd, an_end_of_an_earlier_shepherd_is_not_that_of_one_which_was_killed) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 67, "exit 19");
  await<AttemptEnded>(zygote.start(spec));
  ASSERT_TRUE(eventually([&] { return std::filesystem::is_empty(zygote.run); }));
  spec.tasks[0].task = {2};
  spec.tasks[0].argv[2] = "sleep 1000";
  auto fd = zygote.start(spec);
  auto up = await<launch::ShepherdUp>(fd);
  await<launch::TaskStarted>(fd);
  ::kill(up.pid, SIGKILL);

  auto sweeper = zygote.fork_with(launch::Sweep{"test", spec.key, {}, milliseconds(5000)});
  EXPECT_EQ(await<TaskEnded>(sweeper).record.status, 19 << 8) << "told again, it may be unheard";
  EXPECT_EQ(await<AttemptEnded>(sweeper).record.cause, EndCause::ShepherdLost);
  EXPECT_FALSE(next_word(sweeper)) << "one end of the attempt";
}

TEST(shepherd, a_sweeper_that_cannot_record_the_end_waits_until_it_can) {
  Zygote zygote;
  auto folder = zygote.folder + "/later";
  ASSERT_EQ(::symlink((folder + "/exits").c_str(), zygote.exits.c_str()), 0);
  auto sweeper = zygote.fork_with(launch::Sweep{"test", {{65, 0}, {1}}, {}, milliseconds(5000)});
  pollfd word{sweeper.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&word, 1, 200), 0) << "neither a word nor its end";
  std::filesystem::create_directory(folder);
  EXPECT_EQ(await<AttemptEnded>(sweeper).record.cause, EndCause::ShepherdLost);
  EXPECT_EQ(proc::read_exits(zygote.exits)->size(), 1u);
}

TEST(shepherd, with_a_cgroup_tasks_are_in_it_and_it_goes_with_the_attempt) {
  CgroupsForTests cgroups;
  if (cgroups.roots.empty()) GTEST_SKIP() << "no writable cgroup below our own";
  Zygote zygote(cgroups.text());
  auto spec = shell_attempt(zygote, 61, "cat /proc/self/cgroup; (setsid sleep 1000 &)");
  run_to_end(zygote, spec);
  auto name = "/test@test-" + to_string(spec.key);
  EXPECT_NE(zygote.read("out").find(name), std::string::npos) << zygote.read("out");
  for (const auto& [controller, root] : cgroups.roots) {
    auto folder = root + name;
    EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(folder); })) << controller;
  }
}

TEST(shepherd, with_a_cgroup_even_what_hid_is_found_after_the_shepherd_died) {
  CgroupsForTests cgroups;
  if (cgroups.roots.empty()) GTEST_SKIP() << "no writable cgroup below our own";
  Zygote zygote(cgroups.text());
  auto fd = zygote.start(
      shell_attempt(zygote, 62, "setsid env -i /bin/sleep 1238 & echo > up; sleep 1000"));
  auto up = await<launch::ShepherdUp>(fd);
  await_file(zygote, "up");
  ASSERT_TRUE(eventually([] { return ::system("pgrep -fx '/bin/sleep 1238' > /dev/null") == 0; }));
  ::kill(up.pid, SIGKILL);
  await<AttemptEnded>(
      zygote.fork_with(launch::Sweep{"test", {{62, 0}, {1}}, {}, milliseconds(5000)}));
  EXPECT_NE(::system("pgrep -fx '/bin/sleep 1238' > /dev/null"), 0);
}

TEST(shepherd, files_given_to_the_attempt_are_there_and_go_with_it) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 44, "");
  auto folder = zygote.run + "/" + to_string(spec.key) + ".d";
  spec.files = {{"script", "#!/bin/sh\ncat $1/hosts\n", true}, {"hosts", "a\nb\n", false}};
  spec.tasks[0].argv = {folder + "/script", folder};
  run_to_end(zygote, spec);
  EXPECT_EQ(zygote.read("out"), "a\nb\n");
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(folder); }));
}

TEST(shepherd, an_agent_runs_beside_the_tasks_and_is_started_again) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 45, "while ! [ -e two ]; do sleep 0.01; done");
  spec.agent_argv = {"/bin/sh", "-c",
                     "cd " + zygote.folder + "; [ -e one ] && touch two; touch one; sleep 0.05"};
  spec.agent_env = {"PATH=/usr/bin:/bin"};
  EXPECT_EQ(run_to_end(zygote, spec).status, 0);
}

TEST(shepherd, peek_reads_as_the_user_from_where_it_is_asked) {
  Zygote zygote;
  std::ofstream(zygote.folder + "/out") << "0123456789";
  launch::ReadFile order{
      {::geteuid(), ::getegid(), {}}, zygote.folder, {.path = "out", .name = {}}, 4, 3};
  auto fd = zygote.fork_with(order);
  auto read = await<launch::FileRead>(fd);
  EXPECT_EQ(read.bytes, "456");
  EXPECT_EQ(read.size, 10u);
  order.file.path = "none";
  EXPECT_EQ(await<launch::FileRead>(zygote.fork_with(order)), launch::FileRead{});
}

TEST(shepherd, tasks_run_as_their_user_with_their_groups) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  Zygote zygote;
  auto spec = shell_attempt(zygote, 51, "id -u; id -G; umask; cat secret");
  std::ofstream(zygote.folder + "/secret") << "";
  ::chmod((zygote.folder + "/secret").c_str(), 0600);
  std::filesystem::create_directory(zygote.folder + "/mine");
  ::chmod((zygote.folder + "/mine").c_str(), 0777);
  spec.account = {65534, 65534, {65534, 100}};
  spec.umask = 027;
  spec.tasks[0].out = {{.path = "mine/out", .name = {}}};
  spec.tasks[0].err = {{.path = "mine/err", .name = {}}};
  EXPECT_NE(run_to_end(zygote, spec).status, 0);
  EXPECT_EQ(zygote.read("mine/out"), "65534\n65534 100\n0027\n");
  EXPECT_NE(zygote.read("mine/err").find("Permission denied"), std::string::npos);
  struct stat file {};
  ASSERT_EQ(::stat((zygote.folder + "/mine/out").c_str(), &file), 0);
  EXPECT_EQ(file.st_uid, 65534u);
  EXPECT_EQ(file.st_mode & 0777, 0640u);
}

TEST(shepherd, a_job_does_not_inherit_how_the_memory_killer_sees_the_daemon) {
  Zygote zygote;
  std::ofstream("/proc/" + std::to_string(zygote.pid()) + "/oom_score_adj") << 300;
  run_shell(zygote, 53, "cat /proc/self/oom_score_adj");
  EXPECT_EQ(zygote.read("out"), "0\n");
}

TEST(shepherd, caps_above_the_hard_limit_are_lowered_to_it) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 52, "ulimit -n; ulimit -c");
  spec.caps = {{7 /* RLIMIT_NOFILE */, 1ull << 40}, {4 /* RLIMIT_CORE */, 0}};
  EXPECT_EQ(run_to_end(zygote, spec).status, 0);
  EXPECT_TRUE(zygote.read("out").ends_with("\n0\n")) << zygote.read("out");
}

}  // namespace
}  // namespace wm::test
