// Role: one stream while it is answered: each task in order, no more than there is room for, and an
// end for both sides whichever ends it.
#include "daemons/wgrpc/conversation.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>

namespace wm::grpc_door {
namespace {

using namespace std::chrono_literals;
using serve::StreamQueue;

// A call that waits without end has a thread that nobody gets back: the program ends there.
template <class Call>
auto in_time(Call call) {
  auto done = std::async(std::launch::async, std::move(call));
  if (done.wait_for(20s) == std::future_status::ready) return done.get();
  std::fputs("a conversation does not go on\n", stderr);
  std::abort();
}

class conversation : public ::testing::Test {
 protected:
  bool put(std::uint64_t id, const std::string& data = "x") {
    return in_time([&] { return one.put({id, data, {}}); });
  }
  /// The number of the next task; 0: all have been taken.
  std::uint64_t next() {
    auto turn = in_time([&] { return one.next(); });
    return turn ? turn->task.id : 0;
  }
  Conversation one{serve::StreamRules{}};
};

TEST_F(conversation, tasks_come_out_in_their_order_and_then_the_end) {
  for (std::uint64_t id : {4, 2, 9}) EXPECT_TRUE(put(id));
  one.end();
  EXPECT_EQ(next(), 4u);
  EXPECT_EQ(next(), 2u);
  EXPECT_EQ(next(), 9u);
  EXPECT_EQ(next(), 0u);
  EXPECT_EQ(next(), 0u) << "and so for good";
}

TEST_F(conversation, who_waits_for_a_task_is_woken_by_it_and_by_the_end) {
  auto turn = std::async(std::launch::async, [&] { return next(); });
  EXPECT_EQ(turn.wait_for(50ms), std::future_status::timeout);
  EXPECT_TRUE(put(7));
  EXPECT_EQ(turn.get(), 7u);
  turn = std::async(std::launch::async, [&] { return next(); });
  EXPECT_EQ(turn.wait_for(50ms), std::future_status::timeout);
  one.end();
  EXPECT_EQ(turn.get(), 0u);
}

TEST_F(conversation, a_flood_waits_until_there_is_room) {
  for (std::size_t n = 0; n < StreamQueue::kMostTasks; ++n) ASSERT_TRUE(put(n + 1));
  auto beyond = std::async(std::launch::async, [&] { return put(1000); });
  EXPECT_EQ(beyond.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(next(), 1u);
  EXPECT_TRUE(beyond.get());
}

TEST_F(conversation, so_does_one_long_task_behind_another) {
  ASSERT_TRUE(put(1, std::string(StreamQueue::kMostBytes, 'x')));
  auto beyond = std::async(std::launch::async, [&] { return put(2); });
  EXPECT_EQ(beyond.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(next(), 1u);
  EXPECT_TRUE(beyond.get());
}

TEST_F(conversation, once_nobody_takes_answers_nothing_is_taken_in) {
  EXPECT_TRUE(put(1));
  one.abandon();
  EXPECT_FALSE(put(2)) << "though there is room";
}

TEST_F(conversation, who_waits_for_room_hears_that_nobody_takes_answers) {
  for (std::size_t n = 0; n < StreamQueue::kMostTasks; ++n) ASSERT_TRUE(put(n + 1));
  auto beyond = std::async(std::launch::async, [&] { return put(1000); });
  EXPECT_EQ(beyond.wait_for(50ms), std::future_status::timeout);
  one.abandon();
  EXPECT_FALSE(beyond.get());
}

TEST(conversation_rules, a_task_whose_turn_comes_late_says_so) {
  Conversation one({.per_group = 0, .discards = true, .patience = 1us});
  ASSERT_TRUE(one.put({1, "x", {}}));
  auto until = std::chrono::steady_clock::now() + 1ms;
  while (std::chrono::steady_clock::now() < until) {
  }
  EXPECT_TRUE(one.next()->late);
}

}  // namespace
}  // namespace wm::grpc_door
