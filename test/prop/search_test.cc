// Role: properties of searches over random spaces and random histories: every suggestion lies
// inside its space, equal histories get equal answers, spaces of few points give none twice and
// end, and bytes that are no search are refused.
#include "libwm/search/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

namespace wm::search {
namespace {

using nlohmann::json;
using Random = std::mt19937_64;

const char* const kAlgorithms[] = {"auto", "Random", "TPE", "Bayesian", "ASHA", "Hyperband"};

int below(Random& random, int count) {
  return static_cast<int>(random() % static_cast<unsigned>(count));
}

json random_param(Random& random, int number, bool finite) {
  json p{{"name", "p" + std::to_string(number)}};
  switch (below(random, finite ? 3 : 5)) {
    case 0:
      p.update({{"type", "Discrete"}, {"dataType", "STR"}, {"discreteStrVal", {"a", "b", "c"}}});
      break;
    case 1:
      p.update({{"type", "Discrete"}, {"dataType", "double"}, {"discreteDbVal", {0.5, 2, 1e3}}});
      break;
    case 2:
      p.update({{"type", "Range"},
                {"dataType", "int"},
                {"minIntVal", 2},
                {"maxIntVal", 2 + below(random, 4)}});
      if (below(random, 2)) p["log"] = true;
      break;
    case 3:
      p.update({{"type", "Range"}, {"dataType", "double"}, {"minDbVal", 1e-3}, {"maxDbVal", 10}});
      if (below(random, 2)) p["log"] = "true";
      else if (below(random, 2)) p["step"] = "0.01";
      break;
    default:
      p.update({{"type", "Range"},
                {"dataType", "double"},
                {"minDbVal", -3},
                {"maxDbVal", 1},
                {"power", 2}});
  }
  return p;
}

json random_space(Random& random, bool finite) {
  json space = json::array({json{
      {"name", "w"}, {"type", "discrete"}, {"dataType", "str"}, {"discreateStrVal", {"x", "y"}}}});
  int count = 1 + below(random, finite ? 2 : 5);
  for (int n = 0; n < count; ++n) {
    space.push_back(random_param(random, n, finite));
    if (below(random, 3) == 0) space.back()["when"] = {{"w", {"y"}}};
  }
  return space;
}

json random_search(Random& random, bool finite) {
  json search{{"algorithm", kAlgorithms[below(random, finite ? 4 : 6)]},
              {"metric", "loss"},
              {"goal", below(random, 2) ? "minimize" : "maximize"},
              {"space", random_space(random, finite)},
              {"seed", random() % 1000}};
  if (search["algorithm"] == "Hyperband" || (search["algorithm"] == "ASHA" && below(random, 2)))
    search["params"] = {{"ResourceName", "epochs"}, {"ResourceValue", 9}};
  search["params"]["InitPoints"] = 5;
  search["params"]["WarmUp"] = 5;
  return search;
}

bool is_inside(const json& param, const json& value) {
  for (const char* list : {"discreteStrVal", "discreateStrVal", "discreteDbVal"})
    if (param.contains(list)) {
      const auto& values = param[list];
      return std::find(values.begin(), values.end(), value) != values.end();
    }
  double v = value, low, high;
  if (param.contains("minIntVal"))
    return value.is_number_integer() && value >= param["minIntVal"] && value <= param["maxIntVal"];
  low = param["minDbVal"], high = param["maxDbVal"];
  if (param.contains("power")) low = std::exp2(low), high = std::exp2(high);
  return v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9);
}

void expect_inside(const json& search, const json& config) {
  std::size_t known = config.contains("epochs") + config.contains("wm_resume");
  for (const auto& param : search["space"]) {
    std::string name = param["name"];
    bool active = !param.contains("when") || config["w"] == "y";
    EXPECT_EQ(config.contains(name), active) << search << config;
    if (!config.contains(name)) continue;
    ++known;
    EXPECT_TRUE(is_inside(param, config[name])) << param << config;
  }
  EXPECT_EQ(known, config.size()) << config;
}

// A trial that ends in one of all ways.
json random_trial(Random& random, const json& config) {
  static const char* const kStates[] = {"finished", "finished", "finished",
                                        "failed",   "killed",   "running"};
  json trial{{"config", config}, {"state", kStates[below(random, 6)]}};
  double loss = static_cast<double>(random() % 1000) / 10;
  if (below(random, 5))
    trial["metrics"]["loss"] = {{"min", loss}, {"max", loss + 1}, {"latest", loss}};
  for (int s = 1; s <= below(random, 9); ++s) trial["reports"].push_back({s, loss});
  return trial;
}

TEST(search, suggestions_lie_in_their_space_and_repeat) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    auto search = random_search(random, false);
    json history = json::array();
    for (int round = 0; round < 6; ++round) {
      auto wanted = static_cast<std::uint32_t>(1 + below(random, 5));
      auto answer = suggest(search.dump(), history.dump(), wanted);
      ASSERT_TRUE(answer) << answer.error().text;
      EXPECT_EQ(*answer, *suggest(search.dump(), history.dump(), wanted));
      auto configs = json::parse(*answer)["configs"];
      EXPECT_LE(configs.size(), wanted);
      for (const auto& config : configs) {
        expect_inside(search, config);
        history.push_back(random_trial(random, config));
      }
    }
  }
}

TEST(search, spaces_of_few_points_give_each_once_and_end) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    auto search = random_search(random, true);
    json history = json::array();
    std::set<std::string> seen;
    bool done = false;
    for (int round = 0; round < 500 && !done; ++round) {
      auto answer =
          suggest(search.dump(), history.dump(), 1 + static_cast<std::uint32_t>(below(random, 7)));
      ASSERT_TRUE(answer) << answer.error().text;
      auto said = json::parse(*answer);
      for (const auto& config : said["configs"]) {
        EXPECT_TRUE(seen.insert(config.dump()).second) << search << config;
        history.push_back(random_trial(random, config));
      }
      done = said["done"];
    }
    EXPECT_TRUE(done);
    search["algorithm"] = "ExperimentGridSearch";
    auto grid = suggest(search.dump(), "[]", 10000);
    ASSERT_TRUE(grid);
    EXPECT_EQ(json::parse(*grid)["configs"].size(), seen.size()) << search;
  }
}

TEST(search, damaged_bytes_are_refused_or_answered) {
  Random random(7);
  for (int n = 0; n < 3000; ++n) {
    auto text = random_search(random, false).dump();
    for (int k = 0; k < 3; ++k)
      text[random() % text.size()] = static_cast<char>(random() % 96 + 32);
    auto checked = check(text);
    auto answer = suggest(text, "[]", 1);
    EXPECT_EQ(checked.has_value(), answer.has_value());
    if (!checked) {
      EXPECT_FALSE(checked.error().text.empty());
    }
  }
}

}  // namespace
}  // namespace wm::search
