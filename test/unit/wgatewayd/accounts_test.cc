// Role: who may log on in a private cluster, and how often somebody may fail.
#include "daemons/wgatewayd/accounts.h"

#include <gtest/gtest.h>

namespace wm::gateway {
namespace {

TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(seconds)); }

TEST(accounts, one_user_with_one_key) {
  Accounts accounts("ann", "a key of some length");
  EXPECT_TRUE(accounts.check({"ann", "a key of some length"}, "here", at(1)));
  auto name = accounts.check({"bob", "a key of some length"}, "here", at(1));
  auto key = accounts.check({"ann", "another"}, "here", at(1));
  ASSERT_FALSE(name);
  ASSERT_FALSE(key);
  EXPECT_EQ(name.error(), key.error()) << "nothing tells which of the two was wrong";
}

TEST(accounts, after_five_failures_a_minute_has_to_pass) {
  Accounts accounts("ann", "right");
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(accounts.check({"ann", "x"}, "a", at(i)).error().code, Code::Denied);
  EXPECT_EQ(accounts.check({"ann", "right"}, "a", at(10)).error().code, Code::Limit);
  EXPECT_TRUE(accounts.check({"ann", "right"}, "b", at(10))) << "from elsewhere";
  EXPECT_TRUE(accounts.check({"ann", "right"}, "a", at(61)));
}

TEST(attempts, of_many_names_are_forgotten_in_time) {
  Attempts attempts(1);
  for (int i = 0; i < 30000; ++i) attempts.failed("who" + std::to_string(i), at(0));
  attempts.failed("last", at(1));
  EXPECT_FALSE(attempts.may("last", at(2)));
  EXPECT_TRUE(attempts.may("last", at(100)));
}

}  // namespace
}  // namespace wm::gateway
