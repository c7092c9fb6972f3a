// What ended jobs used, as /api/v1/usage is asked for it and tells it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/rest/usage_json.h"

namespace wm::rest {
namespace {

using namespace std::chrono_literals;

Result<UsageAsked> usage_of(const std::string& words) {
  return usage_asked(*parse_target("/api/v1/usage?" + words));
}

AcctSum usage_sum(std::int64_t jobs, Duration gpu_time) {
  AcctSum sum;
  sum.jobs = sum.done = sum.ran = jobs;
  sum.gpu_time = gpu_time.count();
  sum.slot_time = 2 * gpu_time.count();
  sum.gpu_energy_mj = 1500 * jobs;
  sum.wait = {Duration(1s).count() * jobs, Duration(1s).count(), Duration(1s).count()};
  return sum;
}

TEST(usage, is_asked_by_a_word_and_for_a_number_of_days) {
  EXPECT_EQ(usage_of("")->by, AcctBy::User);
  EXPECT_EQ(usage_of("")->days, 30u);
  auto asked = usage_of("by=plan&days=7");
  ASSERT_TRUE(asked) << asked.error().text;
  EXPECT_EQ(asked->by, AcctBy::Plan);
  EXPECT_EQ(asked->word, "plan");
  EXPECT_EQ(asked->days, 7u);
}

TEST(usage, what_it_cannot_be_asked_for_is_refused_by_its_word) {
  for (const char* words : {"by=month", "by=host", "days=0", "days=367", "days=-1", "days=7x",
                            "days=99999999999999999999"}) {
    auto asked = usage_of(words);
    ASSERT_FALSE(asked) << words;
    EXPECT_EQ(asked.error().code, Code::BadArgument);
    auto word = std::string(words).substr(0, std::string(words).find('='));
    EXPECT_NE(asked.error().text.find(word + ":"), std::string::npos) << asked.error().text;
  }
}

TEST(usage, days_are_of_utc_and_the_last_has_now_in_it) {
  const WallTime now(20000 * 24h + 5h);
  auto days = usage_days(3, now);
  ASSERT_EQ(days.size(), 3u);
  EXPECT_EQ(days[0], WallTime(19998 * 24h));
  EXPECT_EQ(days[2], WallTime(20000 * 24h));
  EXPECT_EQ(usage_days(1, WallTime(20000 * 24h)).front(), WallTime(20000 * 24h)) << "midnight";
}

TEST(usage, sums_of_a_name_are_one_row_and_days_tell_users_apart) {
  const WallTime now(20000 * 24h + 5h);
  auto days = usage_days(2, now);
  std::vector<AcctSumRow> names{{"ann", "night", "ann", usage_sum(2, 10s)},
                                {"ann", "day", "ann", usage_sum(1, 5s)},
                                {"bob", "day", "bob", usage_sum(4, 0s)}};
  std::vector<AcctSumRow> by_day{{"ann", "night", "1", usage_sum(2, 10s)},
                                 {"ann", "day", "2", usage_sum(1, 5s)},
                                 {"bob", "day", "2", usage_sum(4, 0s)}};
  auto json = json_or_null(usage_json({}, days, now, names, by_day));
  ASSERT_EQ(json["rows"].size(), 2u);
  EXPECT_EQ(json["rows"][0]["name"], "ann");
  EXPECT_EQ(json["rows"][0]["jobs"], 3);
  EXPECT_EQ(json["rows"][0]["gpu_s"], 15.0);
  EXPECT_EQ(json["rows"][0]["slot_s"], 30.0);
  EXPECT_EQ(json["rows"][0]["wait_s"], 3.0);
  EXPECT_EQ(json["rows"][0]["gpu_energy_j"], 4.5);
  ASSERT_EQ(json["days"].size(), 3u);
  EXPECT_EQ(json["days"][0]["t"], epoch_seconds(days[0]));
  EXPECT_EQ(json["days"][1]["user"], "ann");
  EXPECT_EQ(json["days"][2]["user"], "bob");
  EXPECT_EQ(json["from"], epoch_seconds(days[0]));
  EXPECT_EQ(json["by"], "user");
}

TEST(usage, a_row_of_no_day_is_left_out_and_nothing_is_no_rows) {
  const WallTime now(20000 * 24h);
  auto days = usage_days(2, now);
  std::vector<AcctSumRow> by_day{{"a", "q", "0", usage_sum(1, 1s)},
                                 {"a", "q", "3", usage_sum(1, 1s)},
                                 {"a", "q", "x", usage_sum(1, 1s)},
                                 {"a", "q", "", usage_sum(1, 1s)}};
  auto json = json_or_null(usage_json({}, days, now, {}, by_day));
  EXPECT_TRUE(json["rows"].is_array() && json["rows"].empty());
  EXPECT_TRUE(json["days"].is_array() && json["days"].empty());
}

}  // namespace
}  // namespace wm::rest
