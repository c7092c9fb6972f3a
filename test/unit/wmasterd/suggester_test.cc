// Role: children that answer lines: asked, found dead, too slow, not there, several at a time.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "daemons/wmasterd/rim/suggesters.h"
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

// Children answer "hard" once somebody writes into a pipe.
struct HardQuestions {
  HardQuestions() { ::mkfifo(pipe().c_str(), 0600); }
  std::string pipe() const { return folder.path() + "/enough"; }
  std::string lines() const {
    return "while read -r line; do [ \"$line\" = hard ] && read -r x <" + pipe() +
           "; echo \"$$ $line\"; done\n";
  }
  /// Once a child reads there.
  Fd writing_end() const {
    for (;;) {
      Fd end(::open(pipe().c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
      if (end) return end;
      std::this_thread::yield();
    }
  }
  test::OwnFolder folder;
};

TEST(suggesters, a_hard_question_keeps_no_other_waiting_and_one_child_stays) {
  HardQuestions hard;
  Program program(hard.lines());
  Suggesters suggesters(program.path());
  Result<std::string> late = std::string();
  std::thread waits([&] { late = suggesters.ask("hard", 20s); });
  auto enough = hard.writing_end();
  auto easy = suggesters.ask("easy", 20s), next = suggesters.ask("next", 20s);
  EXPECT_EQ(::write(enough.get(), "x\n", 2), 2);
  waits.join();
  ASSERT_TRUE(easy && next && late);
  EXPECT_EQ(easy->substr(easy->find(' ')), " easy");
  auto child = easy->substr(0, easy->find(' '));
  EXPECT_EQ(*next, child + " next") << "the one that waits is asked";
  EXPECT_EQ(*suggesters.ask("last", 20s), child + " last") << "the other has ended";
}

}  // namespace
}  // namespace wm::master
