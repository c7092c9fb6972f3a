// Role: lines of a log that are looked for, however it comes in blocks.
#include "libwm/rest/log_lines.h"

#include <gtest/gtest.h>

namespace wm::rest {
namespace {

std::vector<FoundLine> found(const std::string& text, const std::string& word,
                             std::size_t block = 1 << 20) {
  LineSearch search({word, 200});
  for (std::size_t at = 0; at < text.size(); at += block)
    search.take(std::string_view(text).substr(at, block));
  search.end();
  return search.found();
}

TEST(LineSearch, finds_lines_by_a_word_in_either_case) {
  auto lines = found("epoch 1\nLoss 0.5\nepoch 2\nloss 0.4", "LOSS");
  EXPECT_EQ(lines, (std::vector<FoundLine>{{8, 2, "Loss 0.5"}, {25, 4, "loss 0.4"}}));
}

TEST(LineSearch, blocks_may_end_anywhere) {
  const std::string text = "one\n\ntwo three\nfour\r\nthree";
  auto whole = found(text, "three");
  ASSERT_EQ(whole.size(), 2u);
  for (std::size_t block = 1; block < 12; ++block) EXPECT_EQ(found(text, "three", block), whole);
}

TEST(LineSearch, a_word_is_no_pattern_and_ends_with_its_line) {
  EXPECT_TRUE(found("a\nb", "a\nb").empty());
  EXPECT_EQ(found("x.y\nxzy", "x.y").size(), 1u);
  EXPECT_TRUE(found("", "x").empty());
}

TEST(LineSearch, all_are_counted_and_some_kept) {
  LineSearch search({"x", 2});
  search.take("x\nx\nx\ny\n");
  search.end();
  EXPECT_EQ(search.count(), 3u);
  EXPECT_EQ(search.found().size(), 2u);
}

TEST(LineSearch, a_line_without_end_is_looked_at_in_pieces) {
  std::string text(200'000, 'a');
  text += "needle\nlast needle\n";
  auto lines = found(text, "needle", 1000);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_LE(lines[0].text.size(), 400u);
  EXPECT_EQ(lines[1].at, 200'007u);
}

TEST(LineSearch, a_line_is_cut_between_characters) {
  std::string text(399, 'x');
  auto lines = found(text + "ääää", "x");
  EXPECT_EQ(lines[0].text, text);
}

TEST(begins_error, as_scripts_and_launchers_write_them) {
  for (const char* line :
       {"Traceback (most recent call last):", "ValueError: no", "torch.cuda.OutOfMemoryError: CUDA",
        "RuntimeError", "CUDA error: device-side assert",
        "[rank3]: Traceback (most recent call last)", "fatal: x", "my_module.MyException: y"})
    EXPECT_TRUE(begins_error(line)) << line;
  for (const char* line : {"", "no error", "Errors: 0", "the ValueError: no", ": Error",
                           "Mean Error 5", "  raise ValueError('x')", "[1/20] loss 0.5"})
    EXPECT_FALSE(begins_error(line)) << line;
}

TEST(whole_lines, what_is_being_written_waits_for_its_end) {
  EXPECT_EQ(whole_lines("a\nb"), 2u);
  EXPECT_EQ(whole_lines("a\n"), 2u);
  EXPECT_EQ(whole_lines("abc"), 0u);
  EXPECT_EQ(whole_lines(std::string(70'000, 'x')), 70'000u);
}

}  // namespace
}  // namespace wm::rest
