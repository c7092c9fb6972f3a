// Role: TPE searches where trials were good, keeps parallel trials apart, and learns words.
#include <cmath>

#include "test/unit/search/rig.h"

namespace wm::search {
namespace {

const json kSquare = json::parse(R"([
  {"name":"x","type":"Range","dataType":"double","minDbVal":0,"maxDbVal":10},
  {"name":"y","type":"Range","dataType":"double","minDbVal":1e-5,"maxDbVal":1,"log":true},
  {"name":"word","type":"Discrete","dataType":"str","discreteStrVal":["a","b","c","d"]}])");

double distance(const json& c) {
  double y = std::log10(c["y"].get<double>()) + 2;
  return std::pow(c["x"].get<double>() - 7, 2) + y * y + (c["word"] == "c" ? 0 : 3);
}

TEST(tpe, finds_what_chance_does_not) {
  double tpe = 0, chance = 0;
  for (int seed = 1; seed <= 10; ++seed) {
    auto search = search_json("TPE", kSquare);
    search["seed"] = seed;
    tpe += least(run(search, 60, 1, distance));
    search["algorithm"] = "Random";
    chance += least(run(search, 60, 1, distance));
  }
  EXPECT_LT(tpe, chance / 2);
}

TEST(tpe, maximises_as_it_minimises) {
  auto search = search_json("TPE", kSquare);
  auto low = run(search, 40, 1, distance);
  search["goal"] = "maximize";
  auto high = run(search, 40, 1, [](const json& c) { return -distance(c); });
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(low[i]["config"], high[i]["config"]);
}

TEST(tpe, trials_in_flight_count_for_the_warm_up_once_half_of_it_has_ended) {
  auto search = search_json(
      "TPE", json::array({item(
                 R"({"name":"x","type":"Range","dataType":"double","minDbVal":0,"maxDbVal":1})")}));
  search["params"] = {{"WarmUp", 8}};
  auto random = search;
  random["algorithm"] = "Random";
  auto history = json::array();
  auto asks_chance = [&] { return configs(search, history, 1) == configs(random, history, 1); };
  for (int n = 0; n < 8; ++n)
    history.push_back({{"config", {{"x", n / 8.0}}}, {"state", "running"}});
  auto end = [&](int n) {
    history[n]["state"] = "finished";
    history[n]["metrics"]["loss"] = {{"min", n}};
  };
  for (int n = 0; n < 3; ++n) end(n);
  EXPECT_TRUE(asks_chance());
  end(3);
  EXPECT_FALSE(asks_chance());
}

TEST(tpe, warm_up_is_at_random_and_no_longer_than_the_search) {
  auto random = search_json("Random", kSquare), search = search_json("TPE", kSquare);
  auto history = run(search, 20, 1, distance);
  EXPECT_EQ(history, run(random, 20, 1, distance));
  search["max_trials"] = 6;
  search["params"] = {{"WarmUp", 5}};
  history = run(search, 6, 1, distance);
  EXPECT_NE(history[5], run(random, 6, 1, distance)[5]);
}

TEST(tpe, trials_in_flight_are_kept_apart) {
  auto search = search_json("TPE", kSquare);
  auto history = run(search, 40, 1, distance);
  auto found = configs(search, history, 8);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_GT(std::abs(found[i]["x"].get<double>() - found[k]["x"].get<double>()) +
                    std::abs(std::log10(found[i]["y"].get<double>() / found[k]["y"].get<double>())),
                1e-3);
}

}  // namespace
}  // namespace wm::search
