// Questions to hosts what a task's output is: each is answered once, whatever becomes of the host.
#include "daemons/wmasterd/hosts/peeks.h"

#include <gtest/gtest.h>

#include <vector>

namespace wm::master {
namespace {

using std::chrono::seconds;

class peeks : public ::testing::Test {
 protected:
  std::uint64_t ask(std::uint32_t host, Duration now = {}) {
    return peeks_.ask(
        HostId{host}, [this](Result<std::string> answer) { told_.push_back(std::move(answer)); },
        now);
  }

  Peeks peeks_;
  std::vector<Result<std::string>> told_;
};

TEST_F(peeks, the_first_answer_counts_and_goes_to_who_asked) {
  auto first = ask(1), second = ask(1);
  EXPECT_NE(first, second);
  peeks_.on_reply({second, "bytes", ""});
  peeks_.on_reply({second, "again", ""});
  peeks_.on_reply({99, "of nobody", ""});
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(*told_[0], "bytes");
  peeks_.on_reply({first, "", "no such file"});
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_EQ(told_[1].error().code, Code::NotFound);
  EXPECT_EQ(told_[1].error().text, "no such file");
}

TEST_F(peeks, a_session_that_ends_answers_for_its_own_host_alone) {
  ask(1);
  auto other = ask(2);
  peeks_.on_left(HostId{1});
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].error().code, Code::Unavailable);
  peeks_.on_reply({other, "still there", ""});
  EXPECT_EQ(told_.size(), 2u);
}

TEST_F(peeks, a_host_that_never_answers_keeps_nobody_waiting_for_longer_than_a_minute) {
  auto late = ask(1, seconds(100));
  ask(1, seconds(130));
  peeks_.on_tick(seconds(159));
  EXPECT_TRUE(told_.empty());
  peeks_.on_tick(seconds(160));
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].error().code, Code::Unavailable);
  EXPECT_NE(told_[0].error().text.find("1m"), std::string::npos) << told_[0].error().text;
  peeks_.on_reply({late, "too late", ""});
  EXPECT_EQ(told_.size(), 1u);
  peeks_.on_tick(seconds(190));
  EXPECT_EQ(told_.size(), 2u);
}

TEST_F(peeks, who_is_told_may_ask_again_at_once) {
  std::uint64_t again = 0;
  peeks_.ask(HostId{1}, [&](const Result<std::string>&) { again = ask(1); }, {});
  peeks_.on_left(HostId{1});
  EXPECT_NE(again, 0u);
  EXPECT_TRUE(told_.empty()) << "the new one waits for the next session";
}

}  // namespace
}  // namespace wm::master
