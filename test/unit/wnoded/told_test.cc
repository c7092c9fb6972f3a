// What a running shepherd is told when its order changes: the differences, each once.
#include "daemons/wnoded/attempts/told.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wm::node {
namespace {

using std::chrono::minutes;

class told : public ::testing::Test {
 protected:
  told() {
    order_.job = {7, 0};
    order_.attempt = {1};
    order_.resolved.program.command = "true";
    order_.resolved.run_limit = minutes(10);
    OrderedTask task;
    task.task = {1};
    order_.tasks.push_back(task);
    told_ = told_at_start(order_, {});
  }
  std::vector<launch::ShepherdOrder> words() { return take_differences(order_, host_, told_); }
  template <class T>
  T only() {
    auto all = words();
    EXPECT_EQ(all.size(), 1u);
    return std::get<T>(all.at(0));
  }
  void notice(std::uint32_t number, bool grow) {
    order_.change.notice = ResizeNotice{number, grow, {}};
    order_.change.command = "ask";
    order_.change.hosts = "2 n";
  }

  HostOrder order_;
  launch::HostFacts host_;
  Told told_;
};

TEST_F(told, nothing_differs_from_the_order_that_it_was_made_with) {
  EXPECT_TRUE(words().empty());
  order_.control.suspend = true;
  told_ = told_at_start(order_, {});
  EXPECT_TRUE(words().empty()) << "it is stopped from the start";
}

TEST_F(told, a_start_does_not_forget_what_was_asked_of_the_attempt_before) {
  Told before;
  before.ending = before.warned = true;
  before.ends = {TaskNumber{1}};
  before.noticed = 4;
  auto after = told_at_start(order_, before);
  EXPECT_TRUE(after.ending && after.warned);
  EXPECT_EQ(after.ends, before.ends);
  EXPECT_EQ(after.noticed, 4u);
}

TEST_F(told, each_difference_is_told_once) {
  order_.control.suspend = true;
  EXPECT_TRUE(only<launch::Suspend>().on);
  EXPECT_TRUE(words().empty());
  order_.control.suspend = false;
  EXPECT_FALSE(only<launch::Suspend>().on);
  order_.resolved.run_limit = minutes(20);
  order_.run_left = minutes(15);
  EXPECT_EQ(only<launch::LimitRun>().left, Duration(minutes(15)));
  EXPECT_TRUE(words().empty());
  order_.team.writer = {2};
  EXPECT_EQ(only<launch::WriteAsked>().task, TaskNumber{2});
  EXPECT_TRUE(words().empty());
  order_.team.writer = {};
  EXPECT_TRUE(words().empty()) << "no writer is no news";
}

TEST_F(told, all_differences_come_in_their_order) {
  order_.control.suspend = true;
  order_.resolved.run_limit = minutes(20);
  notice(1, true);
  order_.team.writer = {2};
  auto all = words();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<launch::Suspend>(all[0]));
  EXPECT_TRUE(std::holds_alternative<launch::LimitRun>(all[1]));
  EXPECT_TRUE(std::holds_alternative<launch::Notice>(all[2]));
  EXPECT_TRUE(std::holds_alternative<launch::WriteAsked>(all[3]));
}

TEST_F(told, after_a_restart_of_wnoded_what_is_not_known_is_told_again) {
  told_ = {};
  auto all = words();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_FALSE(std::get<launch::Suspend>(all[0]).on);
  EXPECT_TRUE(std::holds_alternative<launch::LimitRun>(all[1]));
}

TEST_F(told, a_notice_waits_for_a_process_and_an_older_one_is_not_asked) {
  notice(3, false);
  order_.tasks[0].has_process = false;
  EXPECT_TRUE(words().empty());
  order_.tasks[0].has_process = true;
  auto asked = only<launch::Notice>();
  EXPECT_EQ(asked.number, 3u);
  const auto& env = asked.command.env;
  EXPECT_NE(std::find(env.begin(), env.end(), "LSB_RESIZE_EVENT=shrink"), env.end());
  EXPECT_NE(std::find(env.begin(), env.end(), "LSB_RESIZE_HOSTS=2 n"), env.end());
  notice(2, true);
  EXPECT_TRUE(words().empty());
}

TEST_F(told, the_answer_of_a_notification_command_says_why_it_is_none) {
  launch::AttemptKey key{{7, 0}, {1}};
  EXPECT_TRUE(notified(key, {3, 0}).ok);
  EXPECT_EQ(notified(key, {3, 2 << 8}).text, "the notification command said 2");
  auto silent = notified(key, {3, -1});
  EXPECT_FALSE(silent.ok);
  EXPECT_EQ(silent.number, 3u);
  EXPECT_NE(silent.text.find("did not answer within"), std::string::npos);
}

}  // namespace
}  // namespace wm::node
