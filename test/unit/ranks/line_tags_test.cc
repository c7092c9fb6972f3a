// One text of what many ranks write.
#include "libwm/ranks/line_tags.h"

#include <gtest/gtest.h>

namespace wm::ranks {
namespace {

TEST(line_tags, whole_lines_come_with_their_rank) {
  LineTags tags;
  EXPECT_EQ(tags.add(3, 1, "one\ntwo\n"), "[3] one\n[3] two\n");
  EXPECT_EQ(tags.add(0, 1, "\n"), "[0] \n");
}

TEST(line_tags, lines_of_several_ranks_and_streams_do_not_mix) {
  LineTags tags;
  EXPECT_EQ(tags.add(1, 1, "he"), "");
  EXPECT_EQ(tags.add(2, 1, "wor"), "");
  EXPECT_EQ(tags.add(1, 2, "err\n"), "[1] err\n");
  EXPECT_EQ(tags.add(1, 1, "llo\nmore"), "[1] hello\n");
  EXPECT_EQ(tags.add(2, 1, "ld\n"), "[2] world\n");
}

TEST(line_tags, what_has_no_end_of_line_is_a_line_at_the_end) {
  LineTags tags;
  EXPECT_EQ(tags.add(1, 1, "all\nbut"), "[1] all\n");
  EXPECT_EQ(tags.end(1, 1), "[1] but\n");
  EXPECT_EQ(tags.end(1, 1), "");
  EXPECT_EQ(tags.end(7, 2), "");
}

TEST(line_tags, a_line_without_end_is_cut) {
  LineTags tags;
  auto long_line = std::string(WholeLines::kLongest + 5, 'x');
  auto part = "[1] " + std::string(WholeLines::kLongest, 'x') + "\n";
  EXPECT_EQ(tags.add(1, 1, long_line), part);
  EXPECT_EQ(tags.add(1, 1, "\n"), "[1] xxxxx\n");
}

}  // namespace
}  // namespace wm::ranks
