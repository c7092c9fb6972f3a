// Role: what a key or a password gives, and until when.
#include "daemons/wlogind/grant.h"

#include <gtest/gtest.h>

#include "libwm/login/api_keys.h"
#include "libwm/model/revocations.h"

namespace wm::login {
namespace {

TEST(grant, a_key_that_ends_in_an_hour_gives_tokens_that_end_no_later) {
  EXPECT_EQ(token_end({"read", 1000 + 3600}, 1000), 1000 + 3600);
  EXPECT_EQ(token_end({"read", 1000 + 100 * 86400}, 1000), 1000 + kTokenLife);
  EXPECT_EQ(token_end({"read", 0}, 1000), 1000 + kTokenLife) << "a password has no end";
  EXPECT_EQ(token_end({"read", 999}, 1000), 999);
}

TEST(grant, is_read_back_as_it_was_told) {
  Grant grant{"read,submit", 1234567890};
  EXPECT_EQ(grant_text(grant), "1234567890 read,submit");
  EXPECT_EQ(read_grant(grant_text(grant)), grant);
  EXPECT_EQ(read_grant("7 submit,read"), (Grant{"read,submit", 7}));
  EXPECT_EQ(read_grant("0 read"), (Grant{"read", 0})) << "without an end";
}

TEST(grant, what_a_users_process_says_else_is_no_grant) {
  for (const char* text : {"", "7", "7 ", "7 ,", " read", "x read", "7x read", "-1 read", "7 root",
                           "7  read", "read", "99999999999999999999 read"})
    EXPECT_FALSE(read_grant(text)) << text;
}

}  // namespace
}  // namespace wm::login
