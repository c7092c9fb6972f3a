// Role: names that nobody has checked are shown as one harmless word.
#include "libwm/login/shown_name.h"

#include <gtest/gtest.h>

namespace wm::rest {
namespace {

TEST(shown_name, an_account_and_an_address_are_shown_as_they_are) {
  for (const char* plain : {"ann", "ann.b_c-d@SITE", "10.0.0.1", "2001:db8::1", "svc$"})
    EXPECT_EQ(shown_name(plain), plain);
}

TEST(shown_name, what_could_be_another_entry_or_move_a_terminal_is_spelled_out) {
  EXPECT_EQ(shown_name("a\x1b[2J\r\n"), "a\\x1b\\x5b2J\\x0d\\x0a");
  EXPECT_EQ(shown_name(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(shown_name("ann> <token"), "ann\\x3e\\x20\\x3ctoken");
  EXPECT_EQ(shown_name("a\\x00"), "a\\x5cx00") << "a name cannot look as if it had been spelled";
  EXPECT_EQ(shown_name("\xc3\xa4"), "\\xc3\\xa4");
}

TEST(shown_name, it_is_short_and_never_nothing) {
  EXPECT_EQ(shown_name(""), "-");
  EXPECT_EQ(shown_name(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(shown_name(std::string(61, 'a')), std::string(60, 'a') + "...");
  EXPECT_LE(shown_name(std::string(4000, '\n')).size(), 63u);
}

}  // namespace
}  // namespace wm::rest
