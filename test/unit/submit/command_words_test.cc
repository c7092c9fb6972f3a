#include "libwm/submit/command_words.h"

#include <gtest/gtest.h>

#include <vector>

namespace wm::cmd {
namespace {

std::string line(std::vector<std::string> words) { return command_line_of(words); }

TEST(command_words, a_single_word_is_a_line_of_the_shell) {
  EXPECT_EQ(line({"cd /x && ./run > out"}), "cd /x && ./run > out");
  EXPECT_EQ(line({}), "");
}

TEST(command_words, what_was_one_argument_stays_one) {
  EXPECT_EQ(line({"rm", "keep b.txt"}), "rm 'keep b.txt'");
  EXPECT_EQ(line({"bash", "-c", "V=7; echo $V"}), "bash -c 'V=7; echo $V'");
  EXPECT_EQ(line({"python3", "-c", "print('x y')"}), R"(python3 -c 'print('\''x y'\'')')");
  EXPECT_EQ(line({"cmd", "", "a\tb", "c\nd"}), "cmd '' 'a\tb' 'c\nd'");
  EXPECT_EQ(line({"echo", "it's", "say\"", "a\\b", "f(x)"}), R"(echo it\'s say\" a\\b f\(x\))");
}

TEST(command_words, operators_and_names_are_the_jobs_shells) {
  EXPECT_EQ(line({"cmd", "a", ">", "out", "2>&1", ";", "ls", "*.c", "|", "wc"}),
            "cmd a > out 2>&1 ; ls *.c | wc");
  EXPECT_EQ(line({"echo", "x$HOME"}), "echo x$HOME");
  EXPECT_EQ(line({"echo", "$HOME"}), "echo '$HOME'");
}

TEST(command_words, in_a_file_that_no_shell_has_read_names_are_the_jobs) {
  const std::vector<std::string> words{"echo", "$LSB_JOBNAME", "a b"};
  EXPECT_EQ(command_line_of(words, Names::OfTheJob), "echo $LSB_JOBNAME 'a b'");
}

TEST(command_words, the_first_word_is_taken_as_it_is) {
  EXPECT_EQ(line({"A=1 ./run", "b c"}), "A=1 ./run 'b c'");
}

TEST(command_words, a_word_is_no_comment_that_swallows_the_rest) {
  EXPECT_EQ(line({"cmd", "#1", "a#b"}), "cmd \\#1 a#b");
}

}  // namespace
}  // namespace wm::cmd
