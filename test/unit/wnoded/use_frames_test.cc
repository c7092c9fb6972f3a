// The frames that tell the master what attempts use: of this moment, and of the last minute.
#include "daemons/wnoded/use_frames.h"

#include <gtest/gtest.h>

#include "test/support/fake_env.h"

namespace wm::node {
namespace {

using std::chrono::seconds;

class use_frames : public ::testing::Test {
 protected:
  use_frames() {
    attempt_.key = {{7, 0}, {1}};
    OrderedTask task;
    task.task = {3};
    attempt_.order.tasks.push_back(task);
  }
  static launch::Used used(bool now) {
    launch::Used word;
    word.cpu = seconds(5);
    word.seen = seconds(10);
    word.now = now;
    return word;
  }
  /// How many frames of this kind are sent at a tick so much later.
  std::size_t sent(std::uint16_t kind, seconds later) {
    env_.now += later;
    env_.sent.clear();
    frames_.on_tick();
    std::size_t count = 0;
    for (const auto& [verb, payload] : env_.sent) count += verb == static_cast<NodeVerb>(kind);
    return count;
  }

  test::FakeEnv env_;
  UseFrames frames_{env_};
  LocalAttempt attempt_;
};

TEST_F(use_frames, without_anything_to_tell_none_is_sent) {
  EXPECT_EQ(sent(kUsesFrame, seconds(0)) + sent(kMeterFrame, seconds(61)), 0u);
}

TEST_F(use_frames, what_was_used_counts_for_the_first_task_once_a_minute) {
  EXPECT_EQ(sent(kMeterFrame, seconds(0)), 0u);
  frames_.hear(attempt_, used(false));
  EXPECT_EQ(sent(kMeterFrame, seconds(59)), 0u);
  ASSERT_EQ(sent(kMeterFrame, seconds(1)), 1u);
  auto told = codec::decode<HostMeter>(env_.sent.back().second);
  ASSERT_TRUE(told);
  ASSERT_EQ(told->tasks.size(), 1u);
  EXPECT_EQ(told->tasks[0].task, TaskNumber{3});
  EXPECT_EQ(sent(kMeterFrame, seconds(60)), 0u) << "it begins anew";
}

TEST_F(use_frames, words_of_an_attempt_without_an_order_count_for_no_task) {
  attempt_.order.tasks.clear();
  frames_.hear(attempt_, used(true));
  EXPECT_EQ(sent(kUsesFrame, seconds(0)), 1u);
  EXPECT_EQ(sent(kMeterFrame, seconds(60)), 0u);
}

TEST_F(use_frames, another_master_hears_what_holds_and_nothing_of_what_is_gone) {
  frames_.hear(attempt_, used(true));
  EXPECT_EQ(sent(kUsesFrame, seconds(0)), 1u);
  EXPECT_EQ(sent(kUsesFrame, seconds(2)), 0u);
  frames_.say_again();
  EXPECT_EQ(sent(kUsesFrame, seconds(2)), 1u);
  frames_.forget(attempt_.key);
  frames_.say_again();
  ASSERT_EQ(sent(kUsesFrame, seconds(2)), 1u);
  EXPECT_TRUE(codec::decode<HostUses>(env_.sent.back().second)->attempts.empty());
}

}  // namespace
}  // namespace wm::node
