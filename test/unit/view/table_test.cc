// Role: tables of text: cut, kept, to the right, and by characters.
#include "libwm/view/table.h"

#include <gtest/gtest.h>

namespace wm::view {
namespace {

constexpr int kWidths[] = {4, -3, 2};

TEST(line_of, fills_and_cuts_and_leaves_the_last_as_it_is) {
  EXPECT_EQ(line_of(Cells{"a", "1", "xyz", "the rest"}, kWidths), "a      1 xy the rest");
  EXPECT_EQ(line_of(Cells{"abcdef", "12345", "xyz"}, kWidths), "abcd 123 xyz");
  EXPECT_EQ(line_of(Cells{}, kWidths), "");
}

TEST(line_of, keeps_what_is_too_wide_where_that_is_wanted) {
  EXPECT_EQ(line_of(Cells{"abcdef", "12345", "xyz", ""}, kWidths, TooWide::Keep, "  "),
            "abcdef  12345  xyz  ");
}

TEST(line_of, counts_characters_and_lets_no_control_character_through) {
  EXPECT_EQ(line_of(Cells{"\u00e4\u00f6", "1", "x"}, kWidths), "\u00e4\u00f6     1 x");
  EXPECT_EQ(line_of(Cells{"a\nb", "\x1b[m", "\r"}, kWidths, TooWide::Keep), "a b  ?[m  ");
}

TEST(aligned, columns_are_as_wide_as_their_widest_cell) {
  const std::vector<Cells> rows{{"NAME", "N"}, {"\u00e4", "100"}, {"longer one"}};
  EXPECT_EQ(aligned(rows), "NAME       N\n\u00e4          100\nlonger one\n");
  EXPECT_EQ(lines_of(rows, true, "  "),
            (std::vector<std::string>{"NAME          N", "\u00e4           100", "longer one"}));
  EXPECT_EQ(aligned({}), "");
}

}  // namespace
}  // namespace wm::view
