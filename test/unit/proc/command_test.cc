#include "libwm/proc/command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

namespace wm::proc {
namespace {

using namespace std::chrono_literals;

Result<std::string> shell(const std::string& text, Duration limit = 20s) {
  return run_command({"sh", "-c", text}, limit);
}

TEST(command, gives_the_output_of_a_program_that_ends_well) {
  auto said = shell("echo one; echo two >&2");
  ASSERT_TRUE(said);
  EXPECT_EQ(*said, "one\ntwo\n");
  EXPECT_EQ(last_line(*said), "two");
  EXPECT_EQ(*shell("true"), "");
}

TEST(command, tells_status_and_last_line_of_one_that_fails) {
  auto said = shell("echo unplugged; exit 7");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, Code::System);
  EXPECT_EQ(said.error().text, "sh ended with status 7: unplugged");
  EXPECT_EQ(shell("kill -9 $$").error().text, "sh was ended by signal 9");
}

TEST(command, names_a_program_that_is_not_there) {
  auto said = run_command({"no-such-program-here"}, 1s);
  ASSERT_FALSE(said);
  EXPECT_NE(said.error().text.find("no-such-program-here: cannot be started"), std::string::npos);
  EXPECT_EQ(run_command({}, 1s).error().code, Code::BadArgument);
}

TEST(command, words_reach_the_program_as_they_are) {
  EXPECT_EQ(*run_command({"printf", "%s", "a b; $HOME"}, 20s), "a b; $HOME");
}

TEST(command, is_given_its_input_which_it_need_not_read) {
  const std::string input(1 << 20, 'x');
  EXPECT_EQ(*run_command({"wc", "-c"}, 20s, input), "1048576\n");
  EXPECT_TRUE(run_command({"true"}, 20s, input));
  EXPECT_EQ(*run_command({"wc", "-c"}, 20s), "0\n");
}

TEST(command, ends_at_its_limit_with_all_it_started) {
  auto said = shell("sleep 1000 & echo $! ; exec sleep 1000", 300ms);
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, Code::Timeout);
}

TEST(command, what_it_left_behind_is_ended_and_not_waited_for) {
  // The one left behind holds the pipe: only its end lets the reader see the end.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto held = "/proc/self/fd/" + std::to_string(ends[1]);
  auto said = shell("sleep 1000 > " + held + " & echo started");
  ::close(ends[1]);
  ASSERT_TRUE(said);
  char byte;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // end of file: nobody writes any more
  ::close(ends[0]);
}

TEST(command, long_output_does_not_stop_the_program) {
  auto said = shell("head -c 2000000 /dev/zero | tr '\\0' 'x'; echo; echo end");
  ASSERT_TRUE(said);
  EXPECT_EQ(last_line(*said), "end");
  EXPECT_LE(said->size(), 64u << 10);
}

}  // namespace
}  // namespace wm::proc
