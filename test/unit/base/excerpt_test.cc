#include "libwm/base/excerpt.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

TEST(excerpt, short_text_is_shown_as_it_is) {
  EXPECT_EQ(excerpt("select[mem>1]"), "select[mem>1]");
  EXPECT_EQ(excerpt(""), "");
  EXPECT_EQ(excerpt("Grün"), "Grün");
}

TEST(excerpt, long_text_is_cut_and_says_so) {
  EXPECT_EQ(excerpt("abcdef", 4), "abcd...");
  EXPECT_EQ(excerpt("abcd", 4), "abcd");
  EXPECT_EQ(excerpt("Grün", 3), "Gr...") << "not half a letter";
}

TEST(excerpt, no_terminal_obeys_it) {
  EXPECT_EQ(excerpt("a\x1b[2Jb\n\t\x7f"), "a\\x1b[2Jb\\x0a\\x09\\x7f");
  EXPECT_EQ(excerpt(std::string_view("\0", 1)), "\\x00");
}

}  // namespace
}  // namespace wm
