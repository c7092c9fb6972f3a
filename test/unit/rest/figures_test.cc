// Role: what figures are drawn from: metrics as scripts report them, slots over time.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "libwm/rest/metrics.h"
#include "libwm/rest/timeline.h"
#include "test/support/moments.h"

namespace wm::rest {
namespace {

using nlohmann::json;
using Key = MetricName;

MetricSink into(Metrics& metrics) {
  return [&metrics](const MetricName& name, const MetricPoint& point) { metrics.add(name, point); };
}

TEST(metrics, emetrics_lines_become_series_and_a_half_line_waits) {
  Metrics metrics;
  const std::string
      text =
          "{\"meta\":{\"time\":2000},\"grouplabel\":\"train\",\"etimes\":{\"iteration\":{\"type\":"
          "2,"
          "\"value\":\"7\"}},"
          "\"values\":{\"loss\":{\"type\":3,\"value\":\"0.5\"},\"note\":{\"value\":\"text\"}}}\n"
          "no json\n{\"grouplabel\":1}\n",
      half = "{\"meta\":{\"time\":3000},\"grouplabel\":\"tra";
  EXPECT_EQ(each_emetric(text + half, into(metrics)), text.size());
  ASSERT_EQ(metrics.series().size(), 1u);
  EXPECT_EQ(metrics.series().at(Key{"train", "loss"}).points,
            (std::vector<MetricPoint>{{7, 2, 0.5}}));
}

TEST(metrics, lines_of_the_default_loggers_are_read) {
  Metrics metrics;
  const std::string text =
      "hello\nTimestamp 4000, Iteration 3\nIteration 3: tag train_loss, simple_value 0.25\n"
      "Iteration 3: tag test_accuracy, simple_value 0.9\nIteration x: tag y, simple_value z\n";
  EXPECT_EQ(each_logged(text + "Timestamp 5000\nIteration 4: ta", into(metrics)), text.size())
      << "a time is read with its values";
  EXPECT_EQ(metrics.series().at(Key{"train", "loss"}).points,
            (std::vector<MetricPoint>{{3, 4, 0.25}}));
  EXPECT_EQ(metrics.series().at(Key{"test", "accuracy"}).points,
            (std::vector<MetricPoint>{{3, 4, 0.9}}));
}

TEST(metrics, lists_of_results_are_read) {
  Metrics metrics;
  each_result(R"([{"steps":1,"accuracy":0.5},{"step":2,"accuracy":"0.75"},3,{"accuracy":"x"}])",
              into(metrics));
  EXPECT_EQ(metrics.series().at(Key{"test", "accuracy"}).points,
            (std::vector<MetricPoint>{{1, 0, 0.5}, {2, 0, 0.75}}));
  each_result("nothing", into(metrics));
}

TEST(metrics, many_points_are_folded_and_no_spike_is_lost) {
  Metrics metrics;
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "Iteration " + std::to_string(i) + ": tag train_loss, simple_value " +
            (i == 501 ? "99" : "1") + "\n";
  each_logged(text, into(metrics));
  auto points = json::parse(metrics.json(100))["series"][0]["points"];
  ASSERT_EQ(points.size(), 100u);
  EXPECT_EQ(points[50][0], 509);
  EXPECT_EQ(points[50][4], 99) << "the most of its ten";
  EXPECT_EQ(points[50][3], 1);
  EXPECT_NEAR(points[50][2].get<double>(), 10.8, 1e-9);
}

Metrics with_losses(std::initializer_list<std::pair<double, double>> points) {
  Metrics metrics;
  std::string text;
  for (auto [iteration, value] : points)
    text += "Iteration " + std::to_string(iteration) + ": tag train_loss, simple_value " +
            std::to_string(value) + "\n";
  each_logged(text, into(metrics));
  return metrics;
}

TEST(metrics, runs_that_are_compared_are_on_one_grid) {
  std::vector<Metrics> runs{with_losses({{0, 1}, {1, 9}, {5, 3}, {1000, 1}}),
                            with_losses({{3, 4}, {4, 8}, {500, 2}}), Metrics{}};
  auto made = json::parse(compared_json(runs, 256));
  EXPECT_EQ(made["width"], 4) << "the least power of two with 256 buckets for 1000 steps";
  auto points = made["runs"][0]["series"][0]["points"];
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0], (json{0, 0, 5, 1, 9, 2})) << "edge, time, mean, least, most, values";
  EXPECT_EQ(points[1][0], 4);
  EXPECT_EQ(points[2][0], 1000);
  EXPECT_EQ(made["runs"][1]["series"][0]["points"][0][0], 0) << "of step 3 the bucket's edge";
  EXPECT_EQ(made["runs"][2]["series"], json::array());
}

TEST(metrics, few_points_that_are_compared_are_as_they_were) {
  std::vector<Metrics> runs{with_losses({{0.5, 1}, {1, 2}, {2, 3}})};
  auto made = json::parse(compared_json(runs, 500));
  auto points = made["runs"][0]["series"][0]["points"];
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0][0], 0.5);
  EXPECT_EQ(points[1][2], 2);
  EXPECT_EQ(json::parse(compared_json({}, 0))["width"], 1);
}

TEST(metrics, of_a_million_names_only_some_are_kept_and_what_is_no_number_is_not) {
  Metrics metrics;
  std::string text = "Iteration 1: tag train_nan, simple_value nan\n";
  for (int i = 0; i < 1000; ++i)
    text += "Iteration 1: tag t_" + std::to_string(i) + ", simple_value 1\n";
  each_logged(text, into(metrics));
  EXPECT_EQ(metrics.series().size(), 64u);
  EXPECT_FALSE(metrics.series().contains(Key{"train", "nan"}));
}

TEST(metrics, what_was_summed_up_elsewhere_is_folded_as_its_values_would_be) {
  Metrics metrics;
  metrics.put({"train", "loss"}, {{4, 1, 2, 1, 3, 4}, {8, 2, 5, 5, 9, 4}, {9, 3, 10}},
              {9, 10, 1, 11});
  metrics.set_behind(77);
  auto whole = json::parse(metrics.json(1));
  EXPECT_EQ(whole["behind"], 77);
  const auto& one = whole["series"][0];
  EXPECT_EQ(one["points"], (json{{9.0, 3.0, (2 * 4 + 5 * 4 + 10) / 9.0, 1.0, 10.0}}));
  EXPECT_EQ(one["count"], 9);
  EXPECT_EQ(one["most"], 11) << "exact, whatever the points come to";
}

using test::wall::at;

HistoryJob ann() {
  HistoryJob job;
  job.id = {7, 0};
  job.name = "digits";
  job.user = "ann";
  job.events = {{at(10), "SUBMIT", 0, 4, ""},
                {at(11), "DISPATCH", 0, 4, "on <node1>"},
                {at(20), "RESIZE", 4, 2, "bob arrived", 38, 0},
                {at(30), "END", 0, 0, ""}};
  return job;
}

TEST(timeline, events_have_a_time_a_reason_and_what_they_cost) {
  auto events = json::parse(timeline_json(ann()))["events"];
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[2], (json{{"t", 20.0},
                             {"event", "RESIZE"},
                             {"from", 4},
                             {"to", 2},
                             {"reason", "bob arrived"},
                             {"pause_ms", 38.0},
                             {"steps_lost", 0}}));
  EXPECT_TRUE(events[0]["pause_ms"].is_null());
}

TEST(timeline, slots_are_steps_from_the_beginning_of_the_window_on) {
  std::vector<HistoryJob> jobs{ann()};
  auto all = json::parse(slots_json(jobs, at(15), at(40), 4));
  EXPECT_EQ(all["capacity"], 4);
  EXPECT_EQ(all["apps"][0]["steps"], (json{{15.0, 4}, {20.0, 2}, {30.0, 0}}));
  EXPECT_EQ(all["changes"][0]["event"], "END");
  EXPECT_EQ(all["changes"][1]["reason"], "bob arrived");
  EXPECT_EQ(all["changes"].size(), 2u);
  EXPECT_TRUE(json::parse(slots_json(jobs, at(35), at(40), 4))["apps"].empty())
      << "it held none then";
}

// One job's end is told after the next one has its slots: no more than there are are drawn.
TEST(timeline, slots_that_are_free_before_the_end_are_counted_once) {
  auto event = [](WallTime time, const char* word, std::int64_t from, std::int64_t to) {
    HistoryEvent one;
    one.time = time, one.event = word, one.from = from, one.to = to;
    return one;
  };
  HistoryJob first, next;
  first.id = {1, 0}, next.id = {2, 0};
  first.events = {event(at(10), "DISPATCH", 0, 4), event(at(20), "FREE", 4, 0),
                  event(at(26), "END", 4, 0)};
  next.events = {event(at(21), "DISPATCH", 0, 4)};
  std::vector<HistoryJob> jobs{first, next};
  auto all = json::parse(slots_json(jobs, at(0), at(40), 4));
  EXPECT_EQ(all["apps"][0]["steps"], (json{{0.0, 0}, {10.0, 4}, {20.0, 0}, {26.0, 0}}));
  EXPECT_EQ(all["apps"][1]["steps"], (json{{0.0, 0}, {21.0, 4}}));
}

}  // namespace
}  // namespace wm::rest
