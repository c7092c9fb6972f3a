// Role: which log-on is asked about at all.
#include "daemons/wlogind/check.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace wm::login {
namespace {

TEST(find_account, names_that_none_has_root_and_strangers_get_one_refusal) {
  auto none = find_account("nobody-of-that-name");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::Denied);
  for (const char* name : {"", "-x", "root", "a b", "a\nb", "a/b", "../x", "\x1b[2J"}) {
    auto found = find_account(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error(), none.error()) << name;
  }
}

TEST(find_account, an_account_of_the_system_is_found) {
  auto found = find_account("daemon");
  ASSERT_TRUE(found);
  EXPECT_NE(found->uid, 0u);
}

TEST(check_secret, without_an_account_a_key_and_no_secret_are_refused_in_the_same_words) {
  auto key = check_secret(std::nullopt, "wmkey_abc", "wm");
  auto none = check_secret(std::nullopt, "", "wm");
  ASSERT_FALSE(key);
  ASSERT_FALSE(none);
  EXPECT_EQ(key.error(), none.error());
  EXPECT_EQ(key.error().code, Code::Denied);
}

}  // namespace
}  // namespace wm::login
