// Role: the child that answers lines: asked, found dead, too slow, not there.
#include "daemons/wmasterd/rim/suggester.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "test/support/folder.h"

namespace wm::master {
namespace {

using namespace std::chrono_literals;

/// A program of these lines of shell.
class Program {
 public:
  explicit Program(const std::string& lines) {
    std::ofstream(path()) << "#!/bin/sh\n" << lines;
    ::chmod(path().c_str(), 0755);
  }
  std::string path() const { return folder_.path() + "/suggest"; }

 private:
  test::OwnFolder folder_;
};

TEST(suggester, gives_a_line_for_a_line_by_one_child) {
  Program program("while read -r line; do echo \"$$ $line\"; done\n");
  Suggester suggester(program.path());
  auto first = suggester.ask("a", 20s), second = suggester.ask("b c", 20s);
  ASSERT_TRUE(first && second);
  auto child = first->substr(0, first->find(' '));
  EXPECT_EQ(*first, child + " a");
  EXPECT_EQ(*second, child + " b c");
}

TEST(suggester, is_started_again_where_the_child_has_died_since) {
  Program program("read -r line; echo \"$line\"\n");
  Suggester suggester(program.path());
  EXPECT_EQ(*suggester.ask("a", 20s), "a");
  EXPECT_EQ(*suggester.ask("b", 20s), "b");
}

TEST(suggester, a_child_that_dies_of_a_question_is_not_asked_for_ever) {
  Program program("exit 1\n");
  Suggester suggester(program.path());
  auto answer = suggester.ask("a", 20s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::System);
}

TEST(suggester, a_child_that_thinks_too_long_is_ended_and_the_next_is_asked) {
  Program program("read -r line; [ \"$line\" = hard ] && exec sleep 1000; echo easy\n");
  Suggester suggester(program.path());
  auto late = suggester.ask("hard", 20ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::Timeout);
  EXPECT_EQ(*suggester.ask("a", 20s), "easy");
}

TEST(suggester, a_program_that_is_not_there_is_named) {
  Suggester suggester("/nonexistent/wsuggest");
  auto answer = suggester.ask("a", 1s);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().text.find("/nonexistent/wsuggest"), std::string::npos);
}

}  // namespace
}  // namespace wm::master
