// Role: the Gaussian process finds smooth least values, keeps parallel trials apart, and bears what
// trials report.
#include <cmath>
#include <set>

#include "test/support/surfaces.h"
#include "test/unit/search/rig.h"

namespace wm::search {
namespace {

const json kBox = json::parse(R"([
  {"name":"x0","type":"Range","dataType":"double","minDbVal":-5,"maxDbVal":10},
  {"name":"x1","type":"Range","dataType":"double","minDbVal":0,"maxDbVal":15}])");

double branin(const json& c) {
  return surfaces::all()[0].numbers({c["x0"].get<double>(), c["x1"].get<double>()});
}

TEST(bayesian, finds_the_least_value_of_a_smooth_function) {
  auto search = search_json("Bayesian", kBox);
  EXPECT_LT(least(run(search, 40, 1, branin)) - 0.397887, 0.01);
  EXPECT_LT(least(run(search, 48, 8, branin)) - 0.397887, 0.05);
}

// What a training says is something else each time: one that was lucky, among many beside it that
// were not, is no place to stay at.
TEST(bayesian, a_lucky_trial_does_not_stay_the_best_where_values_are_noisy) {
  const auto line = json::parse(R"([{"name":"x","type":"Range","dataType":"double","minDbVal":0,
      "maxDbVal":1}])");
  json history = json::array();
  for (int i = 0; i < 24; ++i) {
    double x = (i + 0.5) / 24;
    history.push_back(ended({{"x", x}}, (x - 0.7) * (x - 0.7) + (i % 2 ? 0.01 : -0.01)));
  }
  for (double x : {0.09, 0.11, 0.12}) history.push_back(ended({{"x", x}}, 0.36));
  history.push_back(ended({{"x", 0.1}}, -0.03));
  auto near_good = [&](const json& search) {
    int count = 0;
    for (const auto& config : configs(search, history, 6))
      count += std::abs(config["x"].get<double>() - 0.7) < 0.25 ? 1 : 0;
    return count;
  };
  EXPECT_GE(near_good(search_json("auto", line)), 4);
  auto told = search_json("Bayesian", line);
  told["params"] = {{"Noiseless", "false"}};
  EXPECT_GE(near_good(told), 4);
}

TEST(bayesian, first_trials_are_spread_evenly) {
  auto found = configs(search_json("Bayesian", kBox), json::array(), 10);
  std::set<int> tenths;
  for (const auto& c : found) tenths.insert(static_cast<int>((c["x0"].get<double>() + 5) / 1.5));
  EXPECT_EQ(tenths.size(), 10u);
}

TEST(bayesian, equal_histories_get_equal_answers_and_those_in_flight_are_apart) {
  auto search = search_json("Bayesian", kBox);
  auto history = run(search, 20, 2, branin);
  EXPECT_EQ(history, run(search, 20, 2, branin));
  auto found = configs(search, history, 6);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_GT(std::abs(found[i]["x0"].get<double>() - found[k]["x0"].get<double>()) +
                    std::abs(found[i]["x1"].get<double>() - found[k]["x1"].get<double>()),
                0.01);
}

TEST(bayesian, bears_equal_huge_failed_and_missing_values) {
  auto search = search_json("Bayesian", kBox);
  for (double loss : {0.0, 1e300, -1e300, 1e-300}) {
    auto history = run(search, 14, 2, [&](const json& c) { return c["x0"] > 0 ? loss : 0.0; });
    history.push_back(trial({{"x0", 1}, {"x1", 1}}, "failed"));
    history.push_back(trial({{"x0", 1}, {"x1", 2}}, "running"));
    EXPECT_EQ(configs(search, history, 2).size(), 2u) << loss;
  }
  json failed = json::array();
  for (int i = 0; i < 20; ++i) failed.push_back(trial({{"x0", i * 0.1}, {"x1", 1}}, "failed"));
  EXPECT_EQ(configs(search, failed, 2).size(), 2u);
}

TEST(bayesian, searches_mixed_spaces_and_more_trials_than_a_process_takes) {
  auto loss = [](const json& c) { return c["lr"].get<double>() + (c["opt"] == "adam" ? 0 : 1); };
  auto search = search_json("Bayesian", kMixed);
  auto history = run(search, 30, 1, loss);
  EXPECT_LT(least(history), 1e-2);
  for (const auto& config : configs(search_json("Random", kMixed), json::array(), 400))
    history.push_back(ended(config, loss(config)));
  EXPECT_EQ(configs(search, history, 1).size(), 1u);
  search["algorithm"] = "auto";
  EXPECT_EQ(configs(search, history, 3).size(), 3u);
}

TEST(automatic, goes_through_small_spaces_and_models_others) {
  auto search = search_json("auto", json::parse(R"([
    {"name":"x","type":"Range","dataType":"int","minIntVal":1,"maxIntVal":40}])"));
  auto history = run(search, 100, 3, [](const json& c) { return c["x"].get<double>(); });
  EXPECT_EQ(history.size(), 40u);
  auto smooth = search_json("auto", kBox), noisy = search_json("Bayesian", kBox);
  noisy["params"] = {{"Noiseless", "false"}};
  EXPECT_EQ(run(smooth, 20, 1, branin), run(noisy, 20, 1, branin)) << "a training is";
  smooth["params"] = {{"Noiseless", "true"}};
  EXPECT_EQ(run(smooth, 20, 1, branin), run(search_json("Bayesian", kBox), 20, 1, branin));
}

}  // namespace
}  // namespace wm::search
