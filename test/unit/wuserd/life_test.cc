// Role: when a wuserd ends by itself, and which of what is open is cut.
#include "daemons/wuserd/door/life.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libwm/base/clock.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;

TEST(why_to_end, an_idle_hour_and_not_before) {
  EXPECT_FALSE(why_to_end({59min, false, true, {1}, {1}}));
  EXPECT_TRUE(why_to_end({60min, false, true, {1}, {1}}));
  EXPECT_FALSE(why_to_end({0s, false, true, {}, {}}));
}

TEST(why_to_end, a_replaced_program_when_nothing_is_under_way) {
  EXPECT_FALSE(why_to_end({0s, true, true, {1}, {1}}));
  EXPECT_TRUE(why_to_end({2s, true, true, {1}, {1}}));
}

TEST(why_to_end, a_lost_group_or_account_whatever_is_under_way) {
  EXPECT_TRUE(why_to_end({0s, false, true, {1, 27}, {1}}));
  EXPECT_TRUE(why_to_end({0s, false, false, {1}, {1}}));
  EXPECT_FALSE(why_to_end({0s, false, true, {1}, {27, 1}})) << "a new one is no loss";
}

TEST(open_requests, what_may_not_go_on_is_cut_and_the_rest_is_not) {
  OpenRequests open(TimePoint{});
  int ends[2], others[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, others), 0);
  bool good = true;
  {
    OpenRequests::Entry mine(open, ends[0], [&] { return good; });
    OpenRequests::Entry another(open, others[0], [] { return true; });
    open.look();
    EXPECT_EQ(::send(ends[1], "x", 1, MSG_NOSIGNAL), 1);
    good = false;  // logged off
    open.look();
    char c = 0;
    EXPECT_EQ(::recv(ends[1], &c, 1, MSG_DONTWAIT), 0) << "its end was closed";
    EXPECT_EQ(::send(others[1], "x", 1, MSG_NOSIGNAL), 1);
    EXPECT_EQ(open.idle(steady_now() + 5h), Duration::zero());
  }
  open.look();
  EXPECT_GE(open.idle(steady_now() + 5h), Duration(4h));
  for (int fd : {ends[0], ends[1], others[0], others[1]}) ::close(fd);
}

}  // namespace
}  // namespace wm::user
