// Role: connections end when those who opened them may not have them any more.
#include "daemons/wuserd/master/standing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

#include "libwm/files/fd.h"

namespace wm::user {
namespace {

/// Both ends of a connection.
struct Pair {
  Pair() {
    int both[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, both), 0);
    near.reset(both[0]);
    far.reset(both[1]);
  }
  /// Has the far end seen its end?
  bool is_over() const {
    char byte;
    return ::recv(far.get(), &byte, 1, 0) == 0;
  }
  Fd near, far;
};

TEST(standing, one_that_may_stay_no_more_is_shut_down_and_the_other_is_not) {
  Standing all;
  Pair first, second;
  bool first_may = true;
  auto one = all.keep(first.near.get(), [&] { return first_may; }, false);
  auto other = all.keep(second.near.get(), [] { return true; }, false);
  all.look();
  EXPECT_FALSE(first.is_over());
  first_may = false;
  all.look();
  EXPECT_TRUE(first.is_over());
  EXPECT_FALSE(second.is_over());
}

TEST(standing, one_that_is_over_is_asked_about_no_more) {
  Standing all;
  Pair pair;
  int asked = 0;
  {
    auto held = all.keep(pair.near.get(), [&] { return ++asked > 0; }, false);
    all.look();
  }
  all.look();
  EXPECT_EQ(asked, 1);
}

// It ends while the answer is on its way: its number may be another connection's by then.
TEST(standing, one_that_ends_during_the_question_is_left_alone) {
  Standing all;
  Pair pair;
  std::unique_ptr<Standing::Held> held;
  auto ends = [&] {
    held.reset();  // as its handler's end does
    return false;
  };
  held.reset(new Standing::Held(all.keep(pair.near.get(), ends, false)));
  all.look();
  EXPECT_FALSE(pair.is_over());
}

}  // namespace
}  // namespace wm::user
