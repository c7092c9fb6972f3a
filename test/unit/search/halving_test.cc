// Role: Hyperband's brackets and asynchronous halving: who gets how much, who goes on, who may
// stop.
#include <map>
#include <set>

#include "test/unit/search/rig.h"

namespace wm::search {
namespace {

const json kLine =
    json::parse(R"([{"name":"x","type":"Range","dataType":"double","minDbVal":0,"maxDbVal":1}])");
const json kDigits =
    json::parse(R"([{"name":"x","type":"Range","dataType":"int","minIntVal":1,"maxIntVal":4}])");

json halving(const char* algorithm, const json& space, int most = 9) {
  auto search = search_json(algorithm, space);
  search["params"] = {
      {"ResourceName", "epochs"}, {"ResourceValue", std::to_string(most)}, {"eta", "3"}};
  return search;
}
double x_of(const json& config) { return config["x"].get<double>(); }

std::map<int, int> resources(const json& history) {
  std::map<int, int> counts;
  for (const auto& t : history) ++counts[t["config"]["epochs"].get<int>()];
  return counts;
}

TEST(hyperband, wants_a_resource_of_its_own_name) {
  auto search = search_json("Hyperband", kLine);
  EXPECT_EQ(refusal(search), "Hyperband wants ResourceName and ResourceValue");
  EXPECT_EQ(refusal(halving("Hyperband", kLine)), "fine");
  search = halving("Hyperband", kLine);
  search["params"]["ResourceName"] = "x";
  EXPECT_EQ(refusal(search), "parameter 'x' is the resource, too");
  search["params"]["ResourceName"] = "epochs";
  search["params"]["ResourceValue"] = 0;
  EXPECT_EQ(refusal(search), "algoParam 'ResourceValue': '0' is out of its bounds");
}

TEST(hyperband, runs_each_bracket_and_promotes_the_best_third) {
  // R = 9, eta = 3: (9, 1) → (3, 3) → (1, 9); (5, 3) → (1, 9); (3, 9).
  for (std::uint32_t at_once : {1u, 4u, 100u}) {
    auto history = run(halving("Hyperband", kLine), 100, at_once, x_of);
    EXPECT_EQ(resources(history), (std::map<int, int>{{1, 9}, {3, 8}, {9, 5}})) << at_once;
    std::multiset<double> first;
    for (const auto& t : history)
      if (t["config"]["epochs"] == 1) first.insert(t["config"]["x"].get<double>());
    auto third = *std::next(first.begin(), 2);
    for (const auto& t : history) {
      if (!t["config"].contains("wm_resume")) continue;
      const auto& from = history[t["config"]["wm_resume"].get<std::size_t>() - 1]["config"];
      EXPECT_EQ(from["x"], t["config"]["x"]);
      EXPECT_EQ(from["epochs"].get<int>() * 3, t["config"]["epochs"].get<int>());
      if (from["epochs"] == 1) {
        EXPECT_LE(from["x"].get<double>(), third);
      }
    }
  }
}

TEST(hyperband, waits_for_a_level_and_begins_the_next_bracket_meanwhile) {
  auto search = halving("Hyperband", kLine);
  json history = json::array();
  for (const auto& config : configs(search, history, 9))
    history.push_back(ended(config, x_of(config)));
  history[8]["state"] = "running";
  for (const auto& config : configs(search, history, 3)) {
    EXPECT_EQ(config["epochs"], 3);
    EXPECT_FALSE(config.contains("wm_resume"));
  }
  history[8]["state"] = "failed";
  history[8].erase("metrics");
  for (const auto& config : configs(search, history, 3)) EXPECT_TRUE(config.contains("wm_resume"));
}

TEST(hyperband, says_wait_while_a_promotion_may_come_and_ends_when_none_may) {
  auto search = halving("Hyperband", kLine, 3);  // (3, 1) → (1, 3); (2, 3)
  json history = json::array();
  for (const auto& config : configs(search, history, 10))
    history.push_back(trial(config, "running"));
  EXPECT_EQ(history.size(), 5u);
  EXPECT_EQ(asked(search, history, 1), json::parse(R"({"configs":[],"stop":[],"done":false})"));
  for (auto& t : history) t = ended(t["config"], x_of(t["config"]));
  auto answer = asked(search, history, 9);
  ASSERT_EQ(answer["configs"].size(), 1u);
  history.push_back(ended(answer["configs"][0], 0));
  EXPECT_EQ(asked(search, history, 1), json::parse(R"({"configs":[],"stop":[],"done":true})"));
  for (auto& t : history) t = trial(t["config"], "failed");
  history.erase(5);
  EXPECT_EQ(asked(search, history, 1)["done"], true);
}

TEST(hyperband, of_a_small_space_promotes_what_there_is) {
  auto history = run(halving("Hyperband", kDigits), 100, 2, x_of);
  auto counts = resources(history);
  EXPECT_EQ(counts[1], 4);
  EXPECT_EQ(counts[3], 1);
}

TEST(asha, promotes_as_soon_as_three_have_ended_and_from_the_top) {
  auto search = halving("ASHA", kLine);
  json history = json::array();
  for (const auto& config : configs(search, history, 3))
    history.push_back(trial(config, "running"));
  for (std::size_t i = 0; i < 3; ++i) {
    auto found = configs(search, history, 1)[0];
    EXPECT_EQ(found["epochs"], 1);
    history[i] = ended(history[i]["config"], x_of(history[i]["config"]));
  }
  auto found = configs(search, history, 2);
  EXPECT_EQ(found[0]["epochs"], 3);
  EXPECT_EQ(found[1]["epochs"], 1);
  auto whole = run(search, 80, 3, x_of);
  auto counts = resources(whole);
  EXPECT_GT(counts[1], counts[3]);
  EXPECT_GT(counts[3], counts[9]);
  EXPECT_GE(counts[9], 3);
  std::set<std::size_t> from;
  for (const auto& t : whole)
    if (t["config"].contains("wm_resume")) {
      EXPECT_TRUE(from.insert(t["config"]["wm_resume"].get<std::size_t>()).second);
    }
}

TEST(asha, ends_at_its_limit_and_repeats_itself) {
  auto search = halving("auto", kLine);
  search["max_trials"] = 40;
  auto history = run(search, 100, 4, x_of);
  EXPECT_EQ(history.size(), 40u);
  EXPECT_EQ(history, run(search, 100, 4, x_of));
  EXPECT_EQ(asked(search, history, 4)["done"], true);
}

// Trial n of a search that reports each step: loss n at all of them.
json reporting(int loss, int steps, const char* state) {
  auto made = ended({{"x", loss / 100.0}}, loss);
  made["state"] = state;
  made["metrics"]["step"] = {{"min", 1}, {"max", steps}, {"latest", steps}};
  for (int s = 1; s <= steps; ++s) made["reports"].push_back({s, loss});
  return made;
}

// A search that stops trials from their first step on.
json at_once(const char* algorithm) {
  auto search = search_json(algorithm, kLine);
  search["params"]["Grace"] = 1;
  return search;
}

TEST(early_stop, who_is_behind_on_the_level_that_it_passed_may_stop) {
  for (const char* algorithm : {"auto", "ASHA"}) {
    auto search = at_once(algorithm);
    auto history = json::array({reporting(5, 27, "finished"), reporting(6, 27, "finished"),
                                reporting(7, 27, "finished"), reporting(8, 9, "running"),
                                reporting(1, 4, "running"), reporting(9, 0, "running")});
    EXPECT_EQ(asked(search, history, 0)["stop"], json::array({4})) << algorithm;
    search["goal"] = "maximize";
    EXPECT_EQ(asked(search, history, 0)["stop"], json::array({5})) << algorithm;
  }
  EXPECT_EQ(asked(search_json("TPE", kLine), json::array({reporting(8, 9, "running")}), 0)["stop"],
            json::array());
}

TEST(early_stop, reads_the_course_that_is_a_part_of_the_metric) {
  auto search = at_once("ASHA");
  auto history = json::array({reporting(5, 27, "finished"), reporting(6, 27, "finished"),
                              reporting(7, 27, "finished"), reporting(8, 9, "running")});
  for (auto& t : history) {
    t["metrics"]["loss"]["course"] = t["reports"];
    t.erase("reports");
  }
  EXPECT_EQ(asked(search, history, 0)["stop"], json::array({4}));
}

TEST(early_stop, nobody_while_there_is_nothing_to_compare_with) {
  auto search = at_once("auto");
  EXPECT_EQ(asked(search, json::array({reporting(5, 9, "running"), reporting(9, 9, "running")}),
                  0)["stop"],
            json::array());
  EXPECT_EQ(asked(search, json::array({reporting(5, 9, "finished"), reporting(9, 3, "running")}),
                  0)["stop"],
            json::array());
}

TEST(early_stop, without_a_course_only_those_of_the_same_level_are_compared) {
  auto search = at_once("auto");
  auto history = json::array({reporting(1, 27, "finished"), reporting(5, 4, "running"),
                              reporting(6, 4, "killed"), reporting(7, 4, "running")});
  for (auto& t : history) t.erase("reports");
  EXPECT_EQ(asked(search, history, 0)["stop"], json::array({4}));
}

// Three that ended after so many steps, and one that is behind after `steps`.
json behind_at(int longest, int steps) {
  auto history = json::array();
  for (int loss : {5, 6, 7}) history.push_back(reporting(loss, longest, "finished"));
  history.push_back(reporting(8, steps, "running"));
  return history;
}

TEST(early_stop, nobody_before_a_tenth_of_the_longest_trial_and_not_before_ten_steps) {
  auto search = search_json("auto", kLine);
  const auto none = json::array(), fourth = json::array({4});
  // Levels are 100 and 33, 11, 3, 1 …; a tenth of 300 is 30.
  EXPECT_EQ(asked(search, behind_at(300, 32), 0)["stop"], none);
  EXPECT_EQ(asked(search, behind_at(300, 33), 0)["stop"], fourth);
  // Of 27 steps the level 9 is too early for anybody.
  EXPECT_EQ(asked(search, behind_at(27, 26), 0)["stop"], none);
  EXPECT_EQ(asked(search, behind_at(33, 10), 0)["stop"], none);
  EXPECT_EQ(asked(search, behind_at(33, 11), 0)["stop"], fourth);
}

TEST(early_stop, grace_is_as_many_steps_as_the_search_says) {
  auto search = search_json("ASHA", kLine);
  search["params"]["Grace"] = 50;
  EXPECT_EQ(asked(search, behind_at(300, 40), 0)["stop"], json::array());
  EXPECT_EQ(asked(search, behind_at(300, 100), 0)["stop"], json::array({4}));
  search["params"]["Grace"] = 3;
  EXPECT_EQ(asked(search, behind_at(27, 3), 0)["stop"], json::array({4}));
  search["params"]["Grace"] = 0;
  auto refused = check(search.dump());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("Grace"), std::string::npos);
}

}  // namespace
}  // namespace wm::search
