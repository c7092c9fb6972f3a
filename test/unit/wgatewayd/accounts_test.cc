// Role: who may log on in a private cluster.
#include "daemons/wgatewayd/accounts.h"

#include <gtest/gtest.h>

namespace wm::gateway {
namespace {

TEST(accounts, one_user_with_one_key) {
  Accounts accounts("ann", "a key of some length");
  EXPECT_TRUE(accounts.check({"ann", "a key of some length"}));
  auto name = accounts.check({"bob", "a key of some length"});
  auto key = accounts.check({"ann", "another"});
  ASSERT_FALSE(name);
  ASSERT_FALSE(key);
  EXPECT_EQ(name.error(), key.error()) << "nothing tells which of the two was wrong";
}

}  // namespace
}  // namespace wm::gateway
