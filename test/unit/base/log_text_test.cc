// What users wrote in a log line: one line stays one line, and a terminal obeys nothing in it.
#include "libwm/base/log_text.h"

#include <gtest/gtest.h>

namespace wm::log {
namespace {

TEST(one_line, plain_text_and_other_scripts_stay) {
  EXPECT_EQ(one_line("ann's job /a b"), "ann's job /a b");
  EXPECT_EQ(one_line("stra\xc3\x9f"
                     "e \xe6\x97\xa5 \xf0\x9f\x98\x80"),
            "stra\xc3\x9f"
            "e \xe6\x97\xa5 \xf0\x9f\x98\x80");
}

TEST(one_line, line_ends_escapes_and_nul_are_shown) {
  EXPECT_EQ(one_line("x\n2026 wmasterd info forged\r"), "x\\n2026 wmasterd info forged\\r");
  EXPECT_EQ(one_line("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(one_line(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
}

TEST(one_line, eight_bit_controls_and_broken_characters_are_shown) {
  EXPECT_EQ(one_line("\xc2\x9b"
                     "31m"),
            "\\xc2\\x9b31m")
      << "a terminal takes it for ESC [";
  EXPECT_EQ(one_line("\x9b"
                     "31m"),
            "\\x9b31m");
  EXPECT_EQ(one_line("cut \xe6\x97"), "cut \\xe6\\x97");
  EXPECT_EQ(one_line("\xe6\nx"), "\\xe6\\nx") << "the line end is no part of it";
}

}  // namespace
}  // namespace wm::log
