// What a failed task said last, as its job's output and report repeat it.
#include "libwm/launch/last_words.h"

#include <gtest/gtest.h>

#include <csignal>

namespace wm::launch {
namespace {

ExitRecord failed(std::int32_t status) {
  ExitRecord record;
  record.task = TaskNumber{3};
  record.status = status;
  return record;
}

TEST(last_words, the_last_line_that_says_something_is_told) {
  EXPECT_EQ(last_line("Traceback:\n  x()\nValueError: boom\n\n \n"), "ValueError: boom");
  EXPECT_EQ(last_line("  only one"), "only one");
  EXPECT_EQ(last_line(""), "");
  EXPECT_EQ(last_line(" \n\t\r\n"), "");
}

TEST(last_words, a_line_is_without_control_characters_and_not_longer_than_a_record_holds) {
  EXPECT_EQ(last_line("a\x1b[31mred\tb\x7f."), "a [31mred b .");
  EXPECT_EQ(last_line(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(last_line(std::string(201, 'x')), std::string(200, 'x'));
  auto umlaut = std::string(199, 'x') + "\u00e4";
  EXPECT_EQ(last_line(umlaut), std::string(199, 'x')) << "no half a character";
}

TEST(last_words, a_block_names_the_task_its_host_and_how_it_ended) {
  EXPECT_EQ(failure_block(failed(7 << 8), "n2", "a\nb\n"),
            "\n---- task 3 on host n2 failed with exit code 7; the end of its stderr: ----\n"
            "a\nb\n----\n");
  auto killed = failure_block(failed(SIGSEGV), "n2", "x");
  EXPECT_NE(killed.find("failed with signal 11;"), killed.npos) << killed;
}

TEST(last_words, nothing_is_said_of_a_task_that_said_nothing) {
  EXPECT_EQ(failure_block(failed(256), "n2", ""), "");
  EXPECT_EQ(failure_block(failed(256), "n2", "\n \n"), "");
}

TEST(last_words, a_block_holds_the_end_from_the_beginning_of_a_line) {
  std::string bytes;
  for (int i = 0; i < 2000; ++i) bytes += "line " + std::to_string(i) + "\n";
  auto block = failure_block(failed(256), "n2", bytes);
  EXPECT_LE(block.size(), kLastWords + 100);
  EXPECT_GE(block.size(), kLastWords - 100);
  EXPECT_TRUE(block.ends_with("line 1999\n----\n"));
  auto first = block.substr(block.find("stderr: ----\n") + 13);
  EXPECT_TRUE(first.starts_with("line ")) << first.substr(0, 20);
  auto one = failure_block(failed(256), "n2", std::string(5000, 'y') + "\n");
  EXPECT_NE(one.find("\n" + std::string(kLastWords - 1, 'y') + "\n"), one.npos)
      << "a line longer than that is cut where it must be";
}

}  // namespace
}  // namespace wm::launch
