// Role: one command of an agent: its terminal, its variables, a slow reader, what it leaves behind.
#include "daemons/wagent/launch/command.h"

#include <signal.h>
#include <sys/wait.h>

#include "test/unit/wagent/launch_rig.h"

namespace wm::wagent {
namespace {

using ::testing::HasSubstr;

class command : public ::testing::Test {
 protected:
  bool ends(Caller& caller) {
    return loop_.until([&] { return caller.is_over(); });
  }
  static LaunchStart on_terminal(const std::string& line) {
    auto start = shell_line(line);
    start.terminal = true;
    start.rows = 24;
    start.columns = 100;
    return start;
  }
  test::Loop loop_;
  test::ScratchDir dir_;
  Part here_{loop_, dir_.path(), "a"};
};

TEST_F(command, on_a_terminal_all_streams_are_one_and_it_has_the_size_that_was_said) {
  Caller caller(loop_, here_, on_terminal("test -t 0 && test -t 2 && stty size; echo err >&2"));
  ASSERT_TRUE(ends(caller));
  EXPECT_EQ(caller.out, "24 100\r\nerr\r\n");
  EXPECT_EQ(caller.err, "");
}

TEST_F(command, another_size_of_the_terminal_is_told_to_it) {
  Caller caller(loop_, here_,
                on_terminal("trap 'stty size; exit 0' WINCH; echo; while :; do sleep 0.02; done"));
  ASSERT_TRUE(loop_.until([&] { return !caller.out.empty(); }));
  caller.say(LaunchResize{50, 132});
  ASSERT_TRUE(ends(caller));
  EXPECT_EQ(caller.out, "\r\n50 132\r\n");
}

TEST_F(command, a_reader_that_is_slow_holds_it_up_and_loses_nothing) {
  constexpr std::size_t kBytes = 1'000'000;
  Caller caller(loop_, here_, shell_line("head -c 1000000 /dev/zero"));
  caller.reads = false;
  ASSERT_TRUE(loop_.until([&] { return caller.out.size() == kLaunchWindow; }));
  loop_.context.restart();
  loop_.context.run_for(std::chrono::milliseconds(50));
  EXPECT_EQ(caller.out.size(), kLaunchWindow);
  EXPECT_FALSE(caller.is_over());
  caller.reads = true;
  caller.say(LaunchTaken{kLaunchWindow});
  ASSERT_TRUE(ends(caller));
  EXPECT_EQ(caller.out, std::string(kBytes, '\0'));
}

TEST_F(command, what_it_leaves_in_the_background_does_not_keep_its_end_from_being_told) {
  Caller caller(loop_, here_, shell_line("sleep 30 & echo $!; exit 4"));
  ASSERT_TRUE(ends(caller));
  ASSERT_TRUE(caller.ended);
  EXPECT_EQ(WEXITSTATUS(caller.ended->status), 4);
  auto left = std::atoi(caller.out.c_str());
  EXPECT_EQ(::kill(left, SIGKILL), 0) << "it is the shepherd's to end";
}

TEST_F(command, a_program_that_cannot_be_run_says_why) {
  auto start = shell_line("");
  start.argv = {"/no/such/program"};
  Caller caller(loop_, here_, start);
  ASSERT_TRUE(ends(caller));
  ASSERT_TRUE(caller.ended);
  EXPECT_EQ(WEXITSTATUS(caller.ended->status), 127);
  EXPECT_THAT(caller.ended->text, HasSubstr("/no/such/program"));
}

TEST_F(command, as_a_task_of_another_job_nobody_gets_in) {
  LaunchStart start;
  start.argv = {"/bin/true"};
  start.pid = ::getpid();  // has no mark of this job
  Caller caller(loop_, here_, start);
  ASSERT_TRUE(ends(caller));
  ASSERT_TRUE(caller.ended);
  EXPECT_TRUE(caller.ended->refused);
  EXPECT_EQ(caller.ended->text, "process " + std::to_string(start.pid) + " is not of this job");
}

TEST_F(command, beside_no_task_it_has_the_agents_variables) {
  LaunchStart start;
  start.argv = {"/bin/sh", "-c", "echo $WM_HOST ${PATH:+path}"};
  Caller caller(loop_, here_, start);
  ASSERT_TRUE(ends(caller));
  EXPECT_EQ(caller.out, "a path\n");
}

}  // namespace
}  // namespace wm::wagent
