// Real zygote, real shepherds: what an attempt may use, and what ends it when it uses more.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "libwm/proc/tree.h"
#include "test/fault/attempt_runs.h"

namespace wm::test {
namespace {

using launch::AttemptEnded;
using launch::EndCause;
using launch::TaskEnded;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A task that takes 200 MB and then waits for ever.
constexpr const char* kEater =
    "exec python3 -c 'import signal; x = bytearray(200 << 20); signal.pause()'";
constexpr std::uint64_t kSmall = 60 << 20;

TEST(limits, a_job_that_eats_memory_is_killed_and_its_peak_is_told) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 1, kEater);
  spec.limits.mem = kSmall;
  auto record = run_to_end(zygote, spec);
  EXPECT_EQ(record.cause, EndCause::MemLimit) << record.text;
  EXPECT_EQ(WTERMSIG(record.status), SIGKILL);
  EXPECT_GT(record.usage.max_mem.value, static_cast<std::int64_t>(kSmall));
  EXPECT_NE(record.text.find("TERM_MEMLIMIT"), std::string::npos) << record.text;
  EXPECT_FALSE(record.usage.by_cgroup);
}

TEST(limits, memory_of_all_processes_counts_and_shared_pages_once) {
  Zygote zygote;
  // one process with 40 MB that five children share: 40 MB, not 240
  auto spec = shell_attempt(zygote, 2,
                            "exec python3 -c 'import os, time\n"
                            "x = bytearray(40 << 20)\n"
                            "for i in range(5):\n"
                            "  if os.fork() == 0: time.sleep(1); os._exit(0)\n"
                            "time.sleep(1)'");
  spec.limits.mem = 120 << 20;
  EXPECT_EQ(run_to_end(zygote, spec).cause, EndCause::Exited);
  auto apart =
      shell_attempt(zygote, 3,
                    "for i in 1 2 3 4; do python3 -c 'import signal; x = bytearray(40 << 20); "
                    "signal.pause()' & done; wait");
  apart.limits.mem = 120 << 20;
  EXPECT_EQ(run_to_end(zygote, apart).cause, EndCause::MemLimit);
}

TEST(limits, cpu_time_of_all_processes_ends_a_job_with_sigxcpu_first) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 4,
                            "trap 'echo warned; exit 3' XCPU; (while :; do :; done) & "
                            "while :; do :; done");
  spec.limits.cpu = milliseconds(600);
  spec.kill_interval = seconds(10);
  auto record = run_to_end(zygote, spec);
  EXPECT_EQ(record.cause, EndCause::CpuLimit) << record.text;
  EXPECT_EQ(zygote.read("out"), "warned\n");
}

TEST(limits, too_many_processes_or_threads_end_a_job) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 5, "for i in 1 2 3 4 5 6; do sleep 1000 & done; wait");
  spec.limits.processes = 5;
  EXPECT_EQ(run_to_end(zygote, spec).cause, EndCause::ProcessLimit);
  spec = shell_attempt(
      zygote, 6,
      "exec python3 -c 'import threading, time\n"
      "for i in range(9): threading.Thread(target=time.sleep, args=(1000,)).start()'");
  spec.limits.threads = 8;
  EXPECT_EQ(run_to_end(zygote, spec).cause, EndCause::ThreadLimit);
}

TEST(limits, what_stays_below_its_limits_is_left_alone) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 7, "sleep 0.5 & wait; exit 4");
  spec.limits = {seconds(100), 1u << 30, 1ull << 40, 10, 100};
  auto record = run_to_end(zygote, spec);
  EXPECT_EQ(record.cause, EndCause::Exited);
  EXPECT_EQ(WEXITSTATUS(record.status), 4);
}

TEST(limits, a_file_may_not_grow_beyond_its_limit) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 8, "dd if=/dev/zero of=big bs=1M count=3 2> /dev/null");
  spec.caps = {{RLIMIT_FSIZE, 1 << 20}};
  EXPECT_NE(run_to_end(zygote, spec).status, 0);
  EXPECT_EQ(std::filesystem::file_size(zygote.folder + "/big"), 1u << 20);
}

TEST(limits, an_exec_format_error_and_a_full_disk_are_told) {
  Zygote zygote;
  std::ofstream(zygote.folder + "/odd") << std::string("\177ELF nonsense\0\1", 15);
  std::filesystem::permissions(zygote.folder + "/odd", std::filesystem::perms(0755));
  auto spec = shell_attempt(zygote, 10, "");
  spec.tasks[0].argv = {zygote.folder + "/odd"};
  auto record = run_to_end(zygote, spec);
  EXPECT_NE(record.status, 0);
  EXPECT_NE(zygote.read("err").find("/odd"), std::string::npos) << zygote.read("err");
  spec = shell_attempt(zygote, 11, "seq 1 1000");
  spec.tasks[0].out = {{.path = "/dev/full", .name = {}}};
  record = run_to_end(zygote, spec);
  EXPECT_EQ(record.status, 0);
  EXPECT_NE(record.text.find("output lost"), std::string::npos) << record.text;
}

/// States of the attempt's processes: "TT".
std::string states_of(std::uint32_t job) {
  std::string states;
  for (auto pid : pids_of(job)) {
    proc::ProcessStat stat;
    if (proc::read_stat(pid, stat)) states += stat.state;
  }
  return states;
}

void suspend_and_resume(const std::string& cgroups) {
  Zygote zygote(cgroups);
  auto spec = shell_attempt(zygote, 12,
                            "(setsid sh -c 'while :; do echo x >> beat; sleep 0.02; done' &) ; "
                            "echo > up; sleep 1000");
  auto fd = zygote.start(spec);
  auto beats = [&] { return zygote.read("beat").size(); };
  ASSERT_TRUE(eventually([&] { return beats() > 4; }));
  tell(fd, launch::Suspend{true});
  std::size_t last = 0;
  ASSERT_TRUE(eventually([&] {
    auto before = std::exchange(last, beats());
    ::usleep(200000);
    return before == last;
  }));
  tell(fd, launch::Suspend{false});
  EXPECT_TRUE(eventually([&] { return beats() > last; }));
  tell(fd, launch::Suspend{true});
  tell(fd, launch::EndTasks{{}, false, 0, "why"});  // what is stopped can be ended
  EXPECT_EQ(await<TaskEnded>(fd).record.cause, EndCause::Ordered);
  await<AttemptEnded>(fd);
  EXPECT_EQ(states_of(12), "");
}

TEST(suspend, stops_every_process_also_one_in_a_session_of_its_own) { suspend_and_resume(""); }

TEST(suspend, the_freezer_does_the_same) {
  CgroupsForTests cgroups;
  if (cgroups.roots.empty()) GTEST_SKIP() << "no writable cgroup below our own";
  suspend_and_resume(cgroups.text());
}

TEST(suspend, the_run_limit_stands_still_meanwhile) {
  Zygote zygote;
  auto fd = zygote.start(shell_attempt(zygote, 13, "sleep 1000"));
  await<launch::TaskStarted>(fd);
  tell(fd, launch::Suspend{true});
  tell(fd, launch::LimitRun{milliseconds(200)});
  pollfd word{fd.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&word, 1, 600), 0) << "no end while it is suspended";
  tell(fd, launch::Suspend{false});
  EXPECT_EQ(await<TaskEnded>(fd).record.cause, EndCause::RunLimit);
}

TEST(run_limit, another_one_counts_from_when_it_is_told) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 17, "sleep 1000");
  spec.run_limit = std::chrono::hours(1);
  auto fd = zygote.start(spec);
  await<launch::TaskStarted>(fd);
  tell(fd, launch::LimitRun{milliseconds(1)});
  EXPECT_EQ(await<TaskEnded>(fd).record.cause, EndCause::RunLimit);
}

TEST(warning, comes_before_a_run_limit_again_before_a_later_one_and_not_for_the_same) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 19,
                            "trap 'echo warned' USR1; trap 'echo limit; exit 1' USR2; echo > up; "
                            "while :; do sleep 0.02; done");
  spec.kill_interval = seconds(10);
  spec.warning.lead = std::chrono::hours(1);
  spec.warning.signal = SIGUSR1;
  auto fd = zygote.start(spec);
  await_file(zygote, "up");
  tell(fd, launch::LimitRun{std::chrono::hours(1)});
  ASSERT_TRUE(eventually([&] { return zygote.read("out") == "warned\n"; }));
  tell(fd, launch::LimitRun{std::chrono::minutes(59)});  // repeated, as after a restart of the host
  tell(fd, launch::LimitRun{std::chrono::hours(1) + milliseconds(100)});
  ASSERT_TRUE(eventually([&] { return zygote.read("out") == "warned\nwarned\n"; }));
  tell(fd, launch::LimitRun{milliseconds(1)});
  EXPECT_EQ(await<TaskEnded>(fd).record.cause, EndCause::RunLimit);
  EXPECT_EQ(zygote.read("out"), "warned\nwarned\nlimit\n");
}

class CgroupLimits : public testing::Test {
 protected:
  void SetUp() override {
    if (cgroups_.roots.empty()) GTEST_SKIP() << "no writable cgroup below our own";
  }
  bool has(const char* controller) const { return cgroups_.has(controller); }
  CgroupsForTests cgroups_;
};

TEST_F(CgroupLimits, the_kernels_kill_for_memory_is_the_memory_limit) {
  if (!has("memory")) GTEST_SKIP() << "no memory controller here";
  Zygote zygote(cgroups_.text());
  auto spec = shell_attempt(zygote, 21, kEater);
  spec.limits.mem = kSmall;
  auto record = run_to_end(zygote, spec);
  EXPECT_EQ(record.cause, EndCause::MemLimit) << record.text;
  EXPECT_TRUE(record.usage.by_cgroup);
  EXPECT_LE(record.usage.max_mem.value, static_cast<std::int64_t>(kSmall));
  EXPECT_GT(record.usage.max_mem.value, static_cast<std::int64_t>(kSmall) * 9 / 10);
}

TEST_F(CgroupLimits, a_child_killed_for_memory_ends_the_whole_job) {
  if (!has("memory")) GTEST_SKIP() << "no memory controller here";
  Zygote zygote(cgroups_.text());
  auto spec = shell_attempt(zygote, 22, std::string("(") + kEater + "); sleep 1000");
  spec.limits.mem = kSmall;
  EXPECT_EQ(run_to_end(zygote, spec).cause, EndCause::MemLimit);
}

TEST_F(CgroupLimits, a_fork_bomb_is_held_and_ended) {
  if (!has("pids")) GTEST_SKIP() << "no pids controller here";
  Zygote zygote(cgroups_.text());
  auto spec = shell_attempt(zygote, 23,
                            "bomb() { bomb 2> /dev/null | bomb & }; bomb 2> /dev/null; sleep 1000");
  spec.limits.threads = 40;
  auto record = run_to_end(zygote, spec);
  EXPECT_EQ(record.cause, EndCause::ThreadLimit) << record.text;
  EXPECT_TRUE(pids_of(23).empty());
}

TEST_F(CgroupLimits, cpu_time_is_counted_by_the_kernel_also_of_what_nobody_waits_for) {
  if (!has("v2") && !has("cpuacct")) GTEST_SKIP() << "nothing counts CPU time here";
  Zygote zygote(cgroups_.text());
  auto spec = shell_attempt(zygote, 24,
                            "python3 -c 'import os, time\n"
                            "if os.fork() == 0:\n"
                            "  os.setsid()\n"
                            "  while time.process_time() < 0.4: pass\n"
                            "  open(\"done\", \"w\")\n"
                            "  os._exit(0)'; while ! [ -e done ]; do sleep 0.05; done");
  auto record = run_to_end(zygote, spec);
  EXPECT_GE(record.usage.cpu, milliseconds(400));
}

}  // namespace
}  // namespace wm::test
