// Role: what of a training's own files is reported, and what is left out.
#include "daemons/wagent/trials/trial_report.h"

#include <gtest/gtest.h>

#include "libwm/model/event.h"

namespace wm::wagent {
namespace {

constexpr const char* kLine =
    R"({"meta":{},"grouplabel":"test","etimes":{"iteration":{"type":2,"value":"4"}},)"
    R"("values":{"loss":{"type":3,"value":"0.25"},"note":{"value":"7"}}})";

TEST(trial_report, says_of_each_metric_how_it_is_and_was) {
  EXPECT_EQ(report_of(R"([{"a":2.5},{"a":0.5,"name":"x"},{"a":1.5}])", ""),
            R"({"a":{"course":[[1.0,2.5],[2.0,0.5],[3.0,1.5]],"latest":1.5,"max":2.5,"min":0.5}})");
}

TEST(trial_report, has_the_course_of_each_metric_by_the_step_that_is_said) {
  EXPECT_EQ(
      report_of(R"([{"step":10,"a":2},{"step":20,"a":1.23456789}])", ""),
      R"({"a":{"course":[[10.0,2.0],[20.0,1.23457]],"latest":1.23456789,"max":2.0,"min":1.23456789},)"
      R"("step":{"latest":20.0,"max":20.0,"min":10.0}})");
}

TEST(trial_report, thins_a_long_course_out_until_it_has_room) {
  std::string list = "[";
  for (int i = 1; i <= 1000; ++i)
    list += (i > 1 ? "," : "") +
            ("{\"a\":" + std::to_string(i) + ",\"b\":" + std::to_string(i * 1.111)) +
            ",\"c\":3,\"d\":0.123456,\"e\":-1e-17,\"f\":" + std::to_string(1.0 / i) + "}";
  auto text = report_of(list + "]", "");
  EXPECT_GT(text.size(), kMaxReport / 3);
  EXPECT_LE(text.size(), kMaxReport);
  EXPECT_NE(text.find(R"("course":[[1.0,1.0],)"), std::string::npos);
  EXPECT_NE(text.find(R"([1000.0,1000.0]])"), std::string::npos);
}

TEST(trial_report, has_what_emetrics_wrote_in_whole_lines) {
  std::string text = std::string(kLine) + "\n" + R"({"values":{"lo)";
  EXPECT_EQ(report_of("", text), R"({"iteration":{"latest":4.0,"max":4.0,"min":4.0},)"
                                 R"("loss":{"latest":0.25,"max":0.25,"min":0.25}})");
  EXPECT_EQ(report_of("", kLine), "");
}

TEST(trial_report, of_both_the_list_has_the_last_word) {
  EXPECT_EQ(report_of(R"([{"loss":0.5,"iteration":9}])", std::string(kLine) + "\n"),
            R"({"iteration":{"latest":9.0,"max":9.0,"min":9.0},)"
            R"("loss":{"latest":0.5,"max":0.5,"min":0.5}})");
}

TEST(trial_report, is_empty_where_nothing_reads) {
  for (const char* text : {"", "[]", "{}", "[3]", "[{]", R"([{"a":[1]}])", R"([{"a":"x"}])"})
    EXPECT_EQ(report_of(text, ""), "") << text;
  EXPECT_EQ(report_of("", "\nx\n\n[]\n3\n"), "");
}

TEST(trial_report, is_empty_where_it_is_too_large) {
  EXPECT_EQ(report_of("[{\"" + std::string(kMaxReport, 'x') + "\":1}]", ""), "");
}

}  // namespace
}  // namespace wm::wagent
