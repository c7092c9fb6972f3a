// Lines that are waited for until they are whole.
#include "libwm/base/whole_lines.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

using Lines = std::vector<std::string>;

TEST(whole_lines, a_line_comes_when_it_has_ended) {
  WholeLines lines;
  EXPECT_EQ(lines.add("bou"), Lines{});
  EXPECT_EQ(lines.add("nd"), Lines{});
  EXPECT_EQ(lines.add("\n\nnext"), (Lines{"bound\n", "\n"}));
  EXPECT_EQ(lines.rest(), "next");
  EXPECT_EQ(lines.rest(), "");
}

TEST(whole_lines, one_that_is_too_long_comes_in_parts) {
  WholeLines lines;
  std::string part(WholeLines::kLongest, 'x');
  EXPECT_EQ(lines.add(part), Lines{});
  EXPECT_EQ(lines.add("\n"), Lines{part + "\n"});
  EXPECT_EQ(lines.add(part + part + "end\n"), (Lines{part, part, "end\n"}));
}

TEST(whole_lines, nothing_is_added_and_nothing_is_lost) {
  WholeLines lines;
  std::string all, back;
  for (int i = 0; i < 3000; ++i) {
    std::string bytes(static_cast<std::size_t>(i * 7 % 97), static_cast<char>('\n' + i % 5));
    all += bytes;
    for (const auto& line : lines.add(bytes)) back += line;
  }
  EXPECT_EQ(back + lines.rest(), all);
}

}  // namespace
}  // namespace wm
