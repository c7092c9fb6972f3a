// Role: consoles of interactive tasks: who sees what, when nobody looks, and when somebody else
// does.
#include "daemons/wagent/launch/consoles.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <map>

#include "test/support/loop.h"
#include "test/support/store_files.h"

namespace wm::wagent {
namespace {

class consoles : public ::testing::Test {
 protected:
  struct Seen {
    std::string out;
    std::int32_t pid = 0;
    std::optional<LaunchEnded> ended;
  };
  void SetUp() override { ASSERT_TRUE(consoles_.listen(path_)); }
  void TearDown() override {
    for (auto pid : tasks_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  // A task that has its console from the agent and runs a line of shell on it.
  pid_t task(std::uint32_t number, const char* line) {
    auto pid = ::fork();
    if (pid == 0) {
      ::setsid();
      if (!proc::call_console({path_, TaskNumber{number}, false, {}})) ::_exit(3);
      ::execl("/bin/sh", "sh", "-c", line, nullptr);
      ::_exit(4);
    }
    tasks_.push_back(pid);
    return pid;
  }
  Seen& of(Consoles::Viewer viewer) { return seen_[viewer]; }
  bool sees(Consoles::Viewer viewer, const std::string& text) {
    return loop_.until([&] { return seen_[viewer].out == text; });
  }

  test::Loop loop_;
  test::ScratchDir dir_;
  std::string path_ = dir_.path() + "/console";
  std::map<Consoles::Viewer, Seen> seen_;
  std::vector<pid_t> tasks_;
  Consoles consoles_{loop_.context, [this](Consoles::Viewer viewer, const FromLaunch& words) {
                       auto& seen = seen_[viewer];
                       if (auto* up = std::get_if<LaunchUp>(&words)) seen.pid = up->pid;
                       if (auto* ended = std::get_if<LaunchEnded>(&words)) seen.ended = *ended;
                       auto* output = std::get_if<LaunchOutput>(&words);
                       if (output == nullptr) return;
                       seen.out += output->bytes;
                       boost::asio::post(loop_.context, [this, viewer, n = output->bytes.size()] {
                         consoles_.on(viewer, LaunchTaken{n});
                       });
                     }};
};

TEST_F(consoles, who_asked_first_gets_it_when_the_task_comes) {
  consoles_.attach(1, {TaskNumber{2}, 24, 80});
  auto pid = task(2, "read word; echo got $word");
  ASSERT_TRUE(loop_.until([&] { return of(1).pid != 0; }));
  EXPECT_EQ(of(1).pid, pid);
  consoles_.on(1, LaunchInput{"it\n"});
  EXPECT_TRUE(sees(1, "got it\n"));
  ASSERT_TRUE(loop_.until([&] { return of(1).ended.has_value(); }));
  EXPECT_FALSE(of(1).ended->refused);
  EXPECT_EQ(of(1).ended->status, 0) << "its exit is the job's";
  EXPECT_TRUE(consoles_.idle());
}

TEST_F(consoles, what_was_written_before_anybody_looked_is_kept) {
  task(2, "echo early; read word");
  loop_.context.run_for(std::chrono::milliseconds(100));
  consoles_.attach(1, {TaskNumber{2}, 24, 80});
  EXPECT_TRUE(sees(1, "early\n"));
}

TEST_F(consoles, the_newest_viewer_takes_over_and_the_other_is_told) {
  task(2, "echo one; read word; echo $word");
  consoles_.attach(1, {TaskNumber{2}, 24, 80});
  ASSERT_TRUE(sees(1, "one\n"));
  consoles_.attach(7, {TaskNumber{2}, 24, 80});
  ASSERT_TRUE(of(1).ended);
  EXPECT_TRUE(of(1).ended->refused);
  EXPECT_EQ(of(1).ended->text, "somebody else has taken over this console");
  consoles_.on(1, LaunchInput{"old\n"});
  consoles_.on(7, LaunchInput{"new\n"});
  EXPECT_TRUE(sees(7, "new\n"));
  EXPECT_EQ(of(1).out, "one\n");
}

TEST_F(consoles, one_that_left_may_come_back) {
  task(2, "echo one; read word; echo $word");
  consoles_.attach(1, {TaskNumber{2}, 24, 80});
  ASSERT_TRUE(sees(1, "one\n"));
  consoles_.leave(1);
  consoles_.attach(2, {TaskNumber{2}, 24, 80});
  consoles_.on(2, LaunchInput{"back\n"});
  EXPECT_TRUE(sees(2, "back\n"));
}

TEST_F(consoles, each_task_has_its_own) {
  task(2, "read word; echo two $word");
  task(3, "read word; echo three $word");
  consoles_.attach(1, {TaskNumber{2}, 24, 80});
  consoles_.attach(2, {TaskNumber{3}, 24, 80});
  ASSERT_TRUE(loop_.until([&] { return of(1).pid != 0 && of(2).pid != 0; }));
  consoles_.on(2, LaunchInput{"x\n"});
  consoles_.on(1, LaunchInput{"y\n"});
  EXPECT_TRUE(sees(1, "two y\n"));
  EXPECT_TRUE(sees(2, "three x\n"));
}

}  // namespace
}  // namespace wm::wagent
