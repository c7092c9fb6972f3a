// Real shepherds with a real warm parent: forks are tasks like any other, and whatever becomes
// of the warm parent, tasks start. It holds a small module instead of a framework.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "libwm/proc/tree.h"
#include "test/support/zygote.h"

namespace wm::test {
namespace {

using launch::AttemptEnded;
using launch::TaskEnded;
using launch::TaskStarted;

std::string warm_program() {
  auto self = std::filesystem::read_symlink("/proc/self/exe");
  return self.parent_path().parent_path() / "lib/python/fabric_model/warm.py";
}

/// An elastic attempt with a first task that sleeps, and the script its other tasks run.
class WarmAttempt {
 public:
  explicit WarmAttempt(std::uint32_t job, const std::string& modules = "json") {
    std::ofstream(zygote.folder + "/x.py") << "import os, sys, time\n"
                                              "print('json' in sys.modules, flush=True)\n"
                                              "open('up' + os.environ['WM_TASK'], 'w')\n"
                                              "while not os.path.exists('go'): time.sleep(0.01)\n"
                                              "sys.exit(5)\n";
    auto spec = shell_attempt(zygote, job, "sleep 1000");
    spec.ends_with_last_task = false;
    task = spec.tasks[0];
    task.argv[2] = "python3 x.py";
    key = spec.key;
    fd = zygote.start(spec);
    await<TaskStarted>(fd);
    auto env = task.env;
    env[1] = "WM_TASK=0";
    env.push_back("PATH=/usr/bin:/bin");
    launch::KeepWarm order{task.argv,
                           {"/usr/bin/env", "python3", warm_program(), modules, "python3", "x.py"},
                           env,
                           {}};
    tell(fd, order);
    tell(fd, order);
  }

  std::string log() const { return zygote.read("run/" + to_string(key) + ".d/warm.log"); }
  bool is_ready() const {
    return eventually([&] { return log().find("ready") != std::string::npos; });
  }
  /// The warm parent, as the shepherd's child that no task number names.
  pid_t parent() const {
    for (auto pid : pids_of(key.job.job))
      if (proc::variable_of(pid, "WM_TASK") == "0") return pid;
    return 0;
  }
  /// Adds a task; its pid once its script runs.
  pid_t add(std::uint32_t number) {
    auto name = std::to_string(number);
    task.task = {number};
    task.env[1] = "WM_TASK=" + name;
    tell(fd, launch::StartTasks{{task}, ""});
    auto pid = await<TaskStarted>(fd).task.pid;
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(zygote.folder + "/up" + name); }));
    return pid;
  }
  launch::ExitRecord let_end() {
    std::ofstream(zygote.folder + "/go") << "";
    return await<TaskEnded>(fd).record;
  }
  void finish() {
    tell(fd, launch::Finish{""});
    await<AttemptEnded>(fd);
    EXPECT_TRUE(pids_of(key.job.job).empty());
  }

  Zygote zygote;
  launch::TaskSpec task;
  launch::AttemptKey key;
  Fd fd;
};

TEST(warm, a_fork_is_a_task_like_any_other) {
  WarmAttempt attempt(61);
  ASSERT_TRUE(attempt.is_ready());

  auto pid = attempt.add(2);

  proc::ProcessStat stat, shepherd;
  ASSERT_TRUE(proc::read_stat(pid, stat));
  ASSERT_TRUE(proc::read_stat(stat.parent, shepherd));
  EXPECT_EQ(stat.session, pid);
  EXPECT_EQ(shepherd.parent, attempt.zygote.pid());
  EXPECT_EQ(proc::variable_of(pid, "WM_TASK"), "2");
  auto record = attempt.let_end();
  EXPECT_EQ(record.task, TaskNumber{2});
  EXPECT_EQ(WEXITSTATUS(record.status), 5);
  EXPECT_EQ(attempt.zygote.read("out"), "True\n");
  attempt.finish();
}

TEST(warm, it_ends_with_its_shepherd) {
  WarmAttempt attempt(62);
  ASSERT_TRUE(attempt.is_ready());
  proc::ProcessStat warm;
  ASSERT_TRUE(proc::read_stat(attempt.parent(), warm));

  ::kill(warm.parent, SIGKILL);

  EXPECT_TRUE(eventually([&] { return attempt.parent() == 0; }));
  proc::kill_all([] { return pids_of(62); });  // what the first task had started
}

TEST(warm, after_its_death_tasks_start_cold) {
  WarmAttempt attempt(63);
  ASSERT_TRUE(attempt.is_ready());
  ::kill(attempt.parent(), SIGKILL);
  ASSERT_TRUE(eventually([&] { return attempt.parent() == 0; }));

  attempt.add(2);

  EXPECT_EQ(WEXITSTATUS(attempt.let_end().status), 5);
  EXPECT_EQ(attempt.zygote.read("out"), "False\n");
  attempt.finish();
}

TEST(warm, a_parent_that_hangs_does_not_keep_a_task_back) {
  WarmAttempt attempt(64);
  ASSERT_TRUE(attempt.is_ready());
  ::kill(attempt.parent(), SIGSTOP);

  attempt.add(2);

  EXPECT_EQ(attempt.parent(), 0) << "it is given up";
  EXPECT_EQ(WEXITSTATUS(attempt.let_end().status), 5);
  EXPECT_EQ(attempt.zygote.read("out"), "False\n");
  attempt.finish();
}

TEST(warm, a_module_that_cannot_be_imported_leaves_cold_starts) {
  WarmAttempt attempt(65, "no_such_module");
  ASSERT_TRUE(
      eventually([&] { return attempt.log().find("no_such_module") != std::string::npos; }));

  attempt.add(2);

  EXPECT_EQ(WEXITSTATUS(attempt.let_end().status), 5);
  attempt.finish();
}

TEST(warm, another_command_is_not_forked) {
  WarmAttempt attempt(66);
  ASSERT_TRUE(attempt.is_ready());
  attempt.task.argv[2] = "python3 ./x.py";

  attempt.add(2);

  EXPECT_EQ(WEXITSTATUS(attempt.let_end().status), 5);
  EXPECT_EQ(attempt.zygote.read("out"), "False\n");
  attempt.finish();
}

}  // namespace
}  // namespace wm::test
