// Role: how searches are named and continued, and the script that draws one.
#include "commands/common/search_start.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "commands/common/search_plot.h"

namespace wm::cmd {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

TEST(search_names, the_next_is_numbered_from_the_name_that_is_continued) {
  EXPECT_EQ(next_name("fit", {}), "fit");
  EXPECT_EQ(next_name("fit", Names{"fit"}), "fit-2");
  EXPECT_EQ(next_name("fit-2", Names{"fit", "fit-2"}), "fit-3");
  EXPECT_EQ(next_name("lr-0.1-a", Names{"lr-0.1-a"}), "lr-0.1-a-2");
  EXPECT_EQ(next_name("-7", Names{"-7"}), "-7-2");
}

rest::SearchTask tried(const std::string& algorithm) {
  rest::SearchTask task;
  task.name = "fit";
  task.search = Json{{"algorithm", algorithm},
                     {"metric", "loss"},
                     {"goal", "maximize"},
                     {"max_trials", 2},
                     {"space", Json::parse(R"([{"name":"x","type":"Range","dataType":"double",
                                                "minDbVal":0,"maxDbVal":1}])")}}
                    .dump();
  auto trial = [&](JobState state, const char* config, const char* report) {
    rest::SearchTrial made;
    made.id = {7, static_cast<std::uint32_t>(task.trials.size() + 1)};
    made.state = state;
    made.config = config;
    made.report = report;
    task.trials.push_back(made);
  };
  trial(JobState::Finished, R"({"x":0.25})", R"({"loss":{"min":1,"max":3,"latest":2}})");
  trial(JobState::Failed, R"({"x":0.5})", R"({"loss":{"min":1,"max":9,"latest":9}})");
  trial(JobState::Finished, R"({"x":0.75})", "{}");
  return task;
}

TEST(search_continued, knows_what_finished_with_a_number_and_has_a_number_of_its_own) {
  auto text = continued(tried("TPE"), 9);
  ASSERT_TRUE(text) << text.error().text;
  auto search = Json::parse(*text);
  EXPECT_EQ(search["max_trials"], 9);
  EXPECT_EQ(search["known"], Json::parse(R"([{"config":{"x":0.25},"value":3.0}])"));
  auto again = tried("auto");
  again.search = *text;
  EXPECT_EQ(Json::parse(*continued(again, 4))["known"].size(), 2u);
}

TEST(search_continued, only_where_a_model_learns_from_it) {
  for (const char* other : {"Random", "ExperimentGridSearch", "Hyperband"})
    EXPECT_FALSE(continued(tried(other), 9)) << other;
}

TEST(search_plot, draws_values_in_order_and_the_best_so_far) {
  SearchPicture picture{"search fit", "lo\"ss`", true, {3, NAN, 5, 1}};
  auto script = plot_script(picture, "a\"b.png", 80, 24);
  EXPECT_NE(script.find("set terminal pngcairo"), script.npos);
  EXPECT_NE(script.find("set output \"a\\\"b.png\"\n"), script.npos);
  EXPECT_NE(script.find("set ylabel \"lo\\\"ss\\`\""), script.npos);
  EXPECT_NE(script.find("$trials << EOD\n1 3\n3 5\n4 1\nEOD\n"), script.npos);
  EXPECT_NE(script.find("$best << EOD\n1 3\n3 3\n4 1\nEOD\n"), script.npos);
  picture.least = false;
  script = plot_script(picture, "", 100, 30);
  EXPECT_TRUE(script.starts_with("set terminal dumb 100 30\n"));
  EXPECT_NE(script.find("$best << EOD\n1 3\n3 5\n4 5\nEOD\n"), script.npos);
}

}  // namespace
}  // namespace wm::cmd
