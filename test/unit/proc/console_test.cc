// Consoles: ends of terminals and pipes, and their way from a task to its agent.
#include "libwm/proc/console.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "libwm/frames/blocking.h"
#include "test/support/folder.h"

namespace wm::proc {
namespace {

/// Everything until the other end is closed; a terminal then says EIO.
std::string read_to_end(int fd) {
  std::string text;
  char part[256];
  while (true) {
    pollfd wanted{fd, POLLIN, 0};
    ::poll(&wanted, 1, 10000);
    auto n = ::read(fd, part, sizeof part);
    if (n <= 0) return text;
    text.append(part, static_cast<std::size_t>(n));
  }
}

class console : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = wm::test::made_folder();
    listener_ = *listen_unix(folder_ + "/s");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// A task that fetches its streams, then runs a shell script on them; what the agent got.
  Result<ConsoleArrival> start(bool terminal, const char* script) {
    auto socket = folder_ + "/s";
    pid_ = ::fork();
    if (pid_ == 0) {
      ::signal(SIGINT, SIG_DFL);  // a runner in the background may have it ignored
      ::setsid();
      ConsoleCall call{socket, TaskNumber{3}, terminal, {31, 101}};
      if (!call_console(call)) ::_exit(99);
      ::execl("/bin/sh", "sh", "-c", script, nullptr);
    }
    pollfd wanted{listener_.get(), POLLIN, 0};
    ::poll(&wanted, 1, 10000);
    Fd caller(::accept(listener_.get(), nullptr, nullptr));
    return receive_console(caller.get());
  }
  int status() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WEXITSTATUS(status);
  }

  std::string folder_;
  Fd listener_;
  pid_t pid_ = 0;
};

TEST_F(console, a_task_s_three_pipes_reach_its_agent) {
  auto got = start(false, "read x; echo out $x; echo err >&2; exit 4");
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(got->task, TaskNumber{3});
  EXPECT_EQ(got->pid, pid_);
  EXPECT_FALSE(got->ends.terminal);
  ASSERT_EQ(::write(got->ends.in.get(), "word\n", 5), 5);
  EXPECT_EQ(read_to_end(got->ends.out.get()), "out word\n");
  EXPECT_EQ(read_to_end(got->ends.err.get()), "err\n");
  EXPECT_EQ(status(), 4);
}

TEST_F(console, a_terminal_is_the_task_s_controlling_one_and_has_the_size_asked_for) {
  auto got = start(true, "stty size </dev/tty; tty -s && echo yes; exit 5");
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_TRUE(got->ends.terminal);
  EXPECT_FALSE(got->ends.in);
  auto text = read_to_end(got->ends.out.get());
  EXPECT_NE(text.find("31 101"), text.npos) << text;
  EXPECT_NE(text.find("yes"), text.npos) << text;
  EXPECT_EQ(status(), 5);
}

TEST_F(console, an_interrupt_key_ends_what_runs_in_the_foreground) {
  auto got = start(true, "trap 'exit 7' INT; echo up; while :; do sleep 0.01; done");
  ASSERT_TRUE(got) << got.error().text;
  pollfd wanted{got->ends.out.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&wanted, 1, 10000), 1);
  ASSERT_EQ(::write(got->ends.out.get(), "\x03", 1), 1);
  read_to_end(got->ends.out.get());
  EXPECT_EQ(status(), 7);
}

TEST_F(console, a_new_size_arrives) {
  auto made = make_console(true, {});
  ASSERT_TRUE(made);
  resize_terminal(made->ours.out.get(), {40, 120});
  winsize size{};
  ASSERT_EQ(::ioctl(made->theirs.in.get(), TIOCGWINSZ, &size), 0);
  EXPECT_EQ(size.ws_row, 40);
  EXPECT_EQ(size.ws_col, 120);
}

TEST_F(console, what_is_no_console_is_refused) {
  auto pair = socket_pair();
  ASSERT_TRUE(frames::write_frame(pair->first.get(), "nonsense"));
  EXPECT_FALSE(receive_console(pair->second.get()));
  pair->first.reset();
  EXPECT_FALSE(receive_console(pair->second.get()));
}

}  // namespace
}  // namespace wm::proc
