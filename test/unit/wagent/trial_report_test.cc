// Role: what of a training's own files is reported, and what is left out.
#include "daemons/wagent/trials/trial_report.h"

#include <gtest/gtest.h>

#include "libwm/model/event.h"

namespace wm::wagent {
namespace {

constexpr const char* kLine =
    R"({"meta":{},"grouplabel":"test","etimes":{"iteration":{"type":2,"value":"4"}},)"
    R"("values":{"loss":{"type":3,"value":"0.25"},"note":{"value":"7"}}})";

TEST(trial_report, is_the_last_of_the_list) {
  EXPECT_EQ(newest_report(R"([{"step":1,"loss":2.5},{"step":2,"loss":1.5}])", ""),
            R"({"loss":1.5,"step":2})");
}

TEST(trial_report, has_what_emetrics_wrote_in_its_last_whole_line) {
  std::string text = std::string(kLine) + "\n" + R"({"values":{"lo)";
  EXPECT_EQ(newest_report("", text), R"({"iteration":4,"loss":0.25,"note":"7"})");
  EXPECT_EQ(newest_report("", kLine), "");
}

TEST(trial_report, of_both_the_list_has_the_last_word) {
  EXPECT_EQ(newest_report(R"([{"loss":0.1}])", std::string(kLine) + "\n"),
            R"({"iteration":4,"loss":0.1,"note":"7"})");
}

TEST(trial_report, is_empty_where_nothing_reads) {
  for (const char* text : {"", "[]", "{}", "[3]", "[{]", R"([{"a":[1]}])"})
    EXPECT_EQ(newest_report(text, ""), "") << text;
  EXPECT_EQ(newest_report("", "\n"), "");
  EXPECT_EQ(newest_report("", "x\n\n"), "");
}

TEST(trial_report, is_empty_where_it_is_too_large) {
  EXPECT_EQ(newest_report("[{\"a\":\"" + std::string(kMaxReport, 'x') + "\"}]", ""), "");
}

}  // namespace
}  // namespace wm::wagent
