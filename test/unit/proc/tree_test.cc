// Processes as /proc shows them, real ones: what is stopped, or about to be.
#include "libwm/proc/tree.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/support/zygote.h"

namespace wm::test {
namespace {

char state_of(pid_t pid) {
  proc::ProcessStat stat;
  return proc::read_stat(pid, stat) ? stat.state : '?';
}

/// A process that waits in vfork for a child that has stopped itself.
class Parent {
 public:
  Parent() : pid_(::fork()) {
    if (pid_ != 0) return;
    if (::vfork() == 0) {
      ::kill(::getpid(), SIGSTOP);
      ::_exit(0);
    }
    ::_exit(7);
  }
  ~Parent() {
    if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == 0) {
      for (pid_t pid : proc::tree_of(pid_)) ::kill(pid, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  pid_t pid() const { return pid_; }
  bool has_stopped_child() const {
    auto children = proc::children_of(pid_);
    return children.size() == 1 && state_of(children[0]) == 'T';
  }

 private:
  pid_t pid_;
};

TEST(tree, who_is_about_to_stop_is_continued_too) {
  Parent parent;
  ASSERT_TRUE(eventually([&] { return parent.has_stopped_child(); }));
  ::kill(parent.pid(), SIGSTOP);  // takes effect when vfork returns
  ASSERT_NE(state_of(parent.pid()), 'T');
  proc::continue_stopped(proc::tree_of(parent.pid()));
  int status = 0;
  ASSERT_EQ(::waitpid(parent.pid(), &status, WUNTRACED), parent.pid());
  ASSERT_TRUE(WIFEXITED(status)) << "stopped by " << WSTOPSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(tree, a_name_is_that_of_the_program_s_file_until_another_is_taken) {
  EXPECT_EQ(proc::name_of(::getpid()), std::string("unit_proc"));
  ::prctl(PR_SET_NAME, "a name)\n of 15 b");
  auto taken = proc::name_of(::getpid());
  ::prctl(PR_SET_NAME, "unit_proc");
  EXPECT_EQ(taken, "a name)\n of 15 ");
}

TEST(tree, who_waits_for_a_signal_handles_it_as_who_has_a_handler_does) {
  EXPECT_FALSE(proc::handles(::getpid(), SIGUSR2));
  auto before = ::signal(SIGUSR2, [](int) {});
  EXPECT_TRUE(proc::handles(::getpid(), SIGUSR2));
  ::signal(SIGUSR2, before);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGUSR2);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  EXPECT_TRUE(proc::handles(::getpid(), SIGUSR2));
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

TEST(tree, who_runs_is_not_signalled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t pid = ::fork();
  if (pid == 0) {
    static volatile sig_atomic_t continued = 0;
    ::signal(SIGCONT, [](int) { continued = 1; });
    ::signal(SIGUSR1, [](int) { ::_exit(continued); });
    ::close(ready[1]);
    ::close(ready[0]);
    for (;;) ::pause();
  }
  ::close(ready[1]);
  char none = 0;
  EXPECT_EQ(::read(ready[0], &none, 1), 0) << "the end, when its handlers are there";
  ::close(ready[0]);
  proc::continue_stopped({pid});
  ::kill(pid, SIGUSR1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace wm::test
