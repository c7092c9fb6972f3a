// Role: streams of tasks: their order, what is late, room, and which streams make a group.
#include "libwm/serve/streams.h"

#include <gtest/gtest.h>

#include <utility>

#include "test/support/moments.h"

namespace wm::serve {
namespace {

using std::chrono::seconds;

using test::mono::at;

TEST(stream_queue, tasks_come_in_order_and_one_whose_turn_is_too_late_says_so) {
  StreamQueue queue({0, true, seconds(2)});
  queue.put({7, "a", at(0)});
  queue.put({7, "b", at(0)});
  queue.put({8, "c", at(1)});
  auto a = queue.next(at(1)), b = queue.next(at(2)), c = queue.next(at(2));
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(a->task.data + b->task.data + c->task.data, "abc");
  EXPECT_FALSE(a->late);
  EXPECT_TRUE(b->late);
  EXPECT_FALSE(c->late);
  EXPECT_FALSE(queue.next(at(2)));
}

TEST(stream_queue, nothing_is_late_where_none_is_discarded_or_there_is_no_end) {
  for (auto rules : {StreamRules{0, false, seconds(2)}, StreamRules{0, true, {}}}) {
    StreamQueue queue(rules);
    queue.put({1, "a", at(0)});
    EXPECT_FALSE(queue.next(at(1000))->late);
  }
}

TEST(stream_queue, many_tasks_or_many_bytes_fill_it_until_one_is_taken) {
  StreamQueue many({});
  for (std::size_t n = 0; n < StreamQueue::kMostTasks; ++n) {
    EXPECT_TRUE(many.has_room());
    many.put({n, "", at(0)});
  }
  EXPECT_FALSE(many.has_room());
  (void)many.next(at(0));
  EXPECT_TRUE(many.has_room());
  StreamQueue large({});
  large.put({1, std::string(StreamQueue::kMostBytes, 'x'), at(0)});
  EXPECT_FALSE(large.has_room());
  (void)large.next(at(0));
  EXPECT_TRUE(large.has_room());
}

TEST(stream_groups, so_many_streams_of_one_service_share_one_and_a_place_that_is_left_is_taken) {
  StreamGroups groups(100);
  EXPECT_EQ(groups.join("a", 0), 0u);
  auto first = groups.join("a", 2);
  EXPECT_EQ(groups.join("a", 2), first);
  auto second = groups.join("a", 2);
  EXPECT_NE(second, first);
  auto other = groups.join("b", 2);
  EXPECT_NE(other, first);
  EXPECT_NE(other, second);
  groups.leave("a", first);
  EXPECT_EQ(groups.join("a", 2), first);
  groups.leave("a", second);
  auto third = groups.join("a", 2);
  EXPECT_NE(third, second);  // that one was over
  groups.leave("none", 1);
  groups.leave("a", 0);
}

}  // namespace
}  // namespace wm::serve
