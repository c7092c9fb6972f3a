// Role: what a run reported, by the index beside its files: exact however long they are, read once,
// followed while they grow, made anew when they are others or the index is damaged.
#include "daemons/wuserd/jobs/curves.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test/support/store_files.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

std::string line(double step, double value, const std::string& name = "loss") {
  return "{\"meta\":{\"time\":" + std::to_string(step * 1000) +
         "},\"grouplabel\":\"train\",\"etimes\":{\"iteration\":{\"value\":\"" +
         std::to_string(step) + "\"}},\"values\":{\"" + name + "\":{\"value\":\"" +
         std::to_string(value) + "\"}}}\n";
}

struct CurvesTest : testing::Test {
  test::ScratchDir dir;
  std::string run = dir.path() + "/7", file = run + "/log/1/evaluation-metrics.txt";

  CurvesTest() { fs::create_directories(run + "/log/1"); }
  void write(const std::string& text, const std::string& path = "", bool anew = false) {
    std::ofstream out(path.empty() ? file : path,
                      std::ios::binary | (anew ? std::ios::trunc : std::ios::app));
    out << text;
  }
  rest::MetricSummary summary(const std::string& name = "loss") {
    auto metrics = metrics_of(run, {});
    auto found = metrics.series().find({"train", name});
    return found == metrics.series().end() ? rest::MetricSummary{} : found->second.summary;
  }
  void read_all() {
    for (int n = 0; n < 10'000; ++n) {
      auto left = read_curves(run, std::chrono::seconds(1));
      ASSERT_TRUE(left) << left.error().text;
      if (*left == 0) return;
    }
    FAIL() << "it never comes to the end";
  }
};

TEST_F(CurvesTest, grow_with_their_file_and_a_half_line_waits) {
  write(line(1, 0.5) + line(2, 0.25) + line(3, 0.75).substr(0, 40));
  EXPECT_EQ(summary(), (rest::MetricSummary{2, 0.25, 0.25, 0.5}));
  write(line(3, 0.75).substr(40));
  EXPECT_EQ(summary(), (rest::MetricSummary{3, 0.75, 0.25, 0.75}));
  EXPECT_EQ(summary(), (rest::MetricSummary{3, 0.75, 0.25, 0.75})) << "read once";
}

TEST_F(CurvesTest, are_whole_and_exact_far_beyond_what_is_read_at_once) {
  std::string text;
  for (int n = 1; n <= 150'000; ++n) text += line(n, n == 77 ? -5 : 1.0 / n);
  ASSERT_GT(text.size(), 16u << 20);
  write(text);
  read_all();
  EXPECT_EQ(summary(),
            (rest::MetricSummary{150'000, std::stod(std::to_string(1.0 / 150'000)), -5, 1}));
  MetricWish wish;
  wish.most = 100, wish.from = 50, wish.to = 99;
  auto metrics = metrics_of(run, wish);
  const auto& points = metrics.series().at({"train", "loss"}).points;
  EXPECT_EQ(points.size(), 50u);
  EXPECT_EQ(points.front().iteration, 50);
}

TEST_F(CurvesTest, are_made_anew_of_another_file_and_by_a_damaged_index) {
  write(line(1, 1) + line(2, 2));
  EXPECT_EQ(summary().count, 2u);
  write(line(1, 9), "", true);
  EXPECT_EQ(summary(), (rest::MetricSummary{1, 9, 9, 9})) << "it is shorter than what was read";
  fs::rename(file, file + ".old");
  write(line(1, 4) + line(2, 5) + line(3, 6));
  EXPECT_EQ(summary().count, 3u) << "another file of that name";
  write("no index at all, but long enough to be looked at as one", run + "/metrics.idx", true);
  EXPECT_EQ(summary().count, 3u);
}

TEST_F(CurvesTest, are_of_the_files_ends_where_no_index_can_be_kept) {
  fs::create_directory(run + "/metrics.idx");
  write(line(1, 1) + line(2, 2));
  EXPECT_EQ(summary(), (rest::MetricSummary{2, 2, 1, 2}));
}

TEST_F(CurvesTest, of_scripts_without_a_logger_are_in_their_output) {
  write("hello\nTimestamp 4000, Iteration 3\nIteration 3: tag train_loss, simple_value 0.5\n",
        run + "/log/1/stdout");
  EXPECT_EQ(summary(), (rest::MetricSummary{1, 0.5, 0.5, 0.5}));
}

TEST_F(CurvesTest, of_results_alone_need_no_index) {
  fs::remove_all(run + "/log");
  write(R"([{"step":1,"accuracy":0.5}])", run + "/val_dict_list.json");
  auto metrics = metrics_of(run, {});
  EXPECT_EQ(metrics.series().at({"test", "accuracy"}).summary.last, 0.5);
  EXPECT_FALSE(fs::exists(run + "/metrics.idx"));
}

TEST_F(CurvesTest, that_are_asked_for_come_and_no_others) {
  for (int n = 0; n < 100; ++n) write(line(1, n, "m" + std::to_string(n)));
  EXPECT_EQ(metrics_of(run, {}).series().size(), rest::kMostSeries);
  MetricWish wish;
  wish.names = {"train m99", "train none"};
  auto metrics = metrics_of(run, wish);
  ASSERT_EQ(metrics.series().size(), 1u);
  EXPECT_EQ(metrics.series().begin()->second.summary.last, 99);
}

TEST_F(CurvesTest, a_line_without_an_end_is_passed_over_and_a_link_is_not_followed) {
  write(std::string(3 << 20, 'x') + "\n" + line(1, 2));
  read_all();
  EXPECT_EQ(summary().count, 1u);
  fs::remove_all(run);
  fs::create_directories(run + "/log/1");
  auto other = dir.path() + "/other";
  write(line(1, 2), other);
  fs::create_symlink(other, file);
  EXPECT_EQ(summary().count, 0u);
}

/// A scalar "a" of this step and value, and after it what somebody else's record would be.
std::string scalar(int step, float value, std::size_t more = 0) {
  auto bytes = [](auto number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  auto record = [&](const std::string& event) {
    return bytes(std::uint64_t{event.size()}) + "crc!" + event + "crc!";
  };
  auto event = std::string("\x10") + char(step) + "\x2a\x0a\x0a\x08\x0a\x01\x61\x15" + bytes(value);
  return record(event) + (more > 0 ? record(std::string(more, '\xff')) : "");
}

TEST_F(CurvesTest, of_steps_and_of_tensorboard_are_read_beside_them_and_followed) {
  write(line(1, 0.5));
  write("step,epoch,world,samples,t_begin,t_end\n1,1,2,64,0,500000000\n", run + "/log/1/steps.csv");
  fs::create_directories(run + "/logs/train");
  auto events = run + "/logs/train/events.out.tfevents.1.host";
  write(scalar(1, 1) + scalar(2, 3, 3 << 20) + scalar(3, 2).substr(0, 20), events);
  fs::create_directories(run + "/_submitted_code/old");
  write(scalar(9, 9), run + "/_submitted_code/old/events.out.tfevents.1");
  auto found = [&](const char* group, const char* name) {
    auto metrics = metrics_of(run, {});
    auto at = metrics.series().find({group, name});
    return at == metrics.series().end() ? rest::MetricSummary{} : at->second.summary;
  };
  EXPECT_EQ(found("train", "loss"), (rest::MetricSummary{1, 0.5, 0.5, 0.5}));
  EXPECT_EQ(found("steps", "seconds"), (rest::MetricSummary{1, 0.5, 0.5, 0.5}));
  EXPECT_EQ(found("logs/train", "a"), (rest::MetricSummary{2, 3, 1, 3}))
      << "a picture of 3 MiB is passed over, half a record waits";
  write(scalar(3, 2).substr(20), events);
  write("2,1,2,64,500000000,750000000\n", run + "/log/1/steps.csv");
  EXPECT_EQ(found("logs/train", "a"), (rest::MetricSummary{3, 2, 1, 3}));
  EXPECT_EQ(found("steps", "seconds"), (rest::MetricSummary{2, 0.25, 0.25, 0.5}));
  EXPECT_EQ(metrics_of(run, {}).series().size(), 5u) << "none of the code's";
}

TEST_F(CurvesTest, of_steps_alone_do_not_hide_what_a_list_of_results_says) {
  write("1,1,2,64,0,500000000\n", run + "/log/1/steps.csv");
  write(R"([{"steps": 1, "accuracy": 0.5}])", run + "/val_dict_list.json");
  bool there = false;
  const auto metrics = metrics_of(run, {});
  for (const auto& [name, one] : metrics.series()) there |= name.second == "accuracy";
  EXPECT_TRUE(there);
}

TEST_F(CurvesTest, of_what_calls_itself_an_event_file_and_is_none_are_none) {
  auto events = run + "/events.out.tfevents.1";
  write(std::string(100'000, 'x'), events);
  fs::create_symlink("/etc/passwd", run + "/events.out.tfevents.2");
  EXPECT_TRUE(metrics_of(run, {}).series().empty());
  write(scalar(1, 1), events);
  read_all();
}

}  // namespace
}  // namespace wm::user
