// Role: what holds of every algorithm, the grid, the best trial, and what is no search.
#include <set>

#include "test/unit/search/rig.h"

namespace wm::search {
namespace {

const json kTwo = json::parse(R"([
  {"name":"a","type":"Discrete","dataType":"str","discreteStrVal":["x","y"]},
  {"name":"b","type":"Range","dataType":"int","minIntVal":1,"maxIntVal":3},
  {"name":"c","type":"Range","dataType":"int","minIntVal":1,"maxIntVal":2,"when":{"a":["y"]}}])");
const json kAroundZero =
    json::parse(R"([{"name":"x","type":"Range","dataType":"double","minDbVal":-1,"maxDbVal":1}])");

const char* const kModels[] = {"Random", "TPE", "Tpe", "Bayesian", "auto"};

double loss_of(const json& config) {
  double lr = config["lr"].get<double>();
  return std::abs(std::log10(lr) + 3) + (config["opt"] == "adam" ? 0 : 1) +
         config.value("momentum", 0.0);
}

TEST(suggest, equal_histories_get_equal_answers_and_other_seeds_others) {
  for (const char* algorithm : kModels) {
    auto search = search_json(algorithm, kMixed);
    auto history = run(search, 30, 3, loss_of);
    EXPECT_EQ(history, run(search, 30, 3, loss_of));
    EXPECT_EQ(asked(search, history, 4), asked(search, history, 4));
    auto other = search;
    other["seed"] = 2;
    EXPECT_NE(asked(search, history, 4), asked(other, history, 4)) << algorithm;
    other["params"] = {{"RandomSeed", "1"}};
    EXPECT_EQ(asked(search, history, 4), asked(other, history, 4)) << algorithm;
  }
}

TEST(suggest, points_of_a_small_space_come_once_each_and_then_it_is_done) {
  for (const char* algorithm : kModels)
    for (std::uint32_t at_once : {1u, 4u, 20u}) {
      auto history = run(search_json(algorithm, kTwo), 100, at_once,
                         [](const json& c) { return c["b"].get<double>(); });
      std::set<std::string> seen;
      for (const auto& t : history) seen.insert(t["config"].dump());
      EXPECT_EQ(history.size(), 9u) << algorithm;
      EXPECT_EQ(seen.size(), 9u) << algorithm;
      EXPECT_EQ(asked(search_json(algorithm, kTwo), history, 3),
                json::parse(R"({"configs":[],"stop":[],"done":true})"));
    }
}

TEST(suggest, no_more_trials_than_there_may_be) {
  for (const char* algorithm : kModels) {
    auto search = search_json(algorithm, kAroundZero);
    search["max_trials"] = 7;
    auto answer = asked(search, json::array(), 5);
    EXPECT_EQ(answer["configs"].size(), 5u);
    EXPECT_EQ(answer["done"], false);
    json history = json::array();
    for (const auto& config : answer["configs"]) history.push_back(trial(config, "running"));
    answer = asked(search, history, 5);
    EXPECT_EQ(answer["configs"].size(), 2u);
    EXPECT_EQ(answer["done"], true);
    search["max_trials"] = -1;
    EXPECT_EQ(asked(search, history, 5)["done"], false);
  }
}

json known_of(const json& history) {
  json known = json::array();
  for (const auto& trial : history)
    known.push_back({{"config", trial["config"]}, {"value", trial["metrics"]["loss"]["min"]}});
  return known;
}

TEST(suggest, what_an_earlier_search_found_is_evidence_and_none_of_its_trials) {
  auto loss = [](const json& c) { return std::abs(c["x"].get<double>() - 0.25); };
  for (const char* algorithm : {"TPE", "Bayesian", "auto"}) {
    auto first = run(search_json(algorithm, kAroundZero), 40, 1, loss);
    auto second = search_json(algorithm, kAroundZero);
    second["known"] = known_of(first);
    second["max_trials"] = 6;
    auto more = run(second, 100, 1, loss);
    EXPECT_EQ(more.size(), 6u) << algorithm;
    double least = 2, far = 0;
    for (const auto& trial : more) {
      least = std::min(least, loss(trial["config"]));
      far = std::max(far, loss(trial["config"]));
    }
    EXPECT_LT(least, 0.1) << algorithm << " " << far;  // chance would do so in one trial of ten
  }
}

TEST(suggest, of_a_small_space_what_is_known_is_not_tried_again) {
  auto history = run(search_json("Random", kTwo), 5, 1, [](const json&) { return 1.0; });
  auto second = search_json("Random", kTwo);
  second["known"] = known_of(history);
  EXPECT_EQ(run(second, 100, 1, [](const json&) { return 1.0; }).size(), 4u);
  second["known"].push_back({{"config", {{"z", 1}}}, {"value", 0}});  // of no such space
  second["known"].push_back({{"config", {{"b", 1}}}, {"value", "odd"}});
  EXPECT_EQ(refusal(second), "fine");
  second["known"] = 3;
  EXPECT_EQ(refusal(second), "known is not a list");
}

TEST(suggest, trials_without_a_number_and_of_other_spaces_do_not_disturb) {
  for (const char* algorithm : kModels) {
    auto search = search_json(algorithm, kAroundZero);
    auto history = run(search, 25, 5, [](const json& c) { return c["x"].get<double>(); });
    for (
        const char* odd :
        {R"({})", R"(7)", R"({"state":"failed","config":{"x":0.5}})",
         R"({"state":"finished","config":{"x":"0.25"},"metrics":{"loss":{"min":"inf","max":null}}})",
         R"({"state":"finished","config":{"x":[1]},"metrics":[]})",
         R"({"state":"finished","config":{"y":1},"metrics":{"loss":{"min":-9}}})",
         R"({"state":"finished","config":{"x":99},"metrics":{"loss":"nan"}})",
         R"({"state":"killed","config":{"x":-0.5},"metrics":{"loss":{"min":"0.5","max":1,"latest":1}}})"})
      history.push_back(item(odd));
    EXPECT_EQ(configs(search, history, 2).size(), 2u) << algorithm;
  }
}

TEST(suggest, asking_for_none_or_for_very_many_is_answered) {
  auto search = search_json("Random", kAroundZero);
  EXPECT_EQ(asked(search, json::array(), 0),
            json::parse(R"({"configs":[],"stop":[],"done":false})"));
  EXPECT_EQ(configs(search, json::array(), 4000000000u).size(), 10000u);
}

TEST(grid, gives_every_point_in_order_and_ends) {
  auto history =
      run(search_json("ExperimentGridSearch", kTwo), 100, 2, [](const json&) { return 0; });
  ASSERT_EQ(history.size(), 9u);
  EXPECT_EQ(history[0]["config"], item(R"({"a":"x","b":1})"));
  EXPECT_EQ(history[3]["config"], item(R"({"a":"y","b":1,"c":1})"));
  EXPECT_EQ(history[4]["config"], item(R"({"a":"y","b":1,"c":2})"));
  EXPECT_EQ(history[8]["config"], item(R"({"a":"y","b":3,"c":2})"));
}

TEST(grid, gives_experiments_as_they_are) {
  json search{{"algorithm", "ExperimentGridSearch"}, {"metric", "acc"}, {"goal", "maximize"}};
  search["params"] = {{"hyperbandEta", 3}};
  search["experiments"] = json::parse(R"([
    {"id":3,"hyperParams":[{"name":"lr","dataType":"DOUBLE","fixedVal":"0.5"},{"name":"o","dataType":"STRING","fixedVal":"adam"}]},
    {"id":4,"hyperParams":[{"name":"n","dataType":"int","fixedVal":4}]}])");
  auto answer = asked(search, json::array(), 5);
  EXPECT_EQ(answer["configs"], json::parse(R"([{"lr":0.5,"o":"adam"},{"n":4}])"));
  EXPECT_EQ(answer["done"], true);
  EXPECT_EQ(asked(search, json::array({trial(answer["configs"][0], "running")}), 5)["configs"],
            json::parse(R"([{"n":4}])"));
  search["experiments"][1]["hyperParams"][0]["fixedVal"] = "four";
  EXPECT_EQ(refusal(search), "experiment 1: parameter 'n': 'four' is not a number");
  search["space"] = kAroundZero;
  EXPECT_EQ(refusal(search), "experiments and hyperParams exclude each other");
  search.erase("space");
  search["algorithm"] = "TPE";
  EXPECT_EQ(refusal(search), "experiments are for ExperimentGridSearch only");
}

TEST(grid, without_end_is_refused) {
  EXPECT_EQ(refusal(search_json("ExperimentGridSearch", kAroundZero)),
            "parameter 'x': ExperimentGridSearch wants a list or a step");
  auto wide = json::array();
  for (char c = 'a'; c < 'h'; ++c)
    wide.push_back({{"name", std::string(1, c)},
                    {"type", "Range"},
                    {"dataType", "int"},
                    {"minIntVal", 1},
                    {"maxIntVal", 10}});
  EXPECT_EQ(refusal(search_json("ExperimentGridSearch", wide)),
            "the grid has more than 1000000 points");
}

TEST(check, what_is_no_search_is_refused) {
  auto fine = search_json("auto", kAroundZero);
  EXPECT_EQ(refusal(fine), "fine");
  auto with = [&](const char* key, const json& value) {
    auto search = fine;
    search[key] = value;
    return refusal(search);
  };
  EXPECT_EQ(with("algorithm", "Magic"),
            "algorithm 'Magic': auto, Random, TPE, Bayesian, Hyperband, ASHA or "
            "ExperimentGridSearch is wanted");
  EXPECT_EQ(with("metric", ""), "metric is missing");
  EXPECT_EQ(with("goal", "up"), "goal 'up': minimize or maximize is wanted");
  EXPECT_EQ(with("max_trials", 0), "max_trials is not -1 or a number up to 1000000");
  EXPECT_EQ(with("max_trials", "many"), "max_trials is not -1 or a number up to 1000000");
  EXPECT_EQ(with("params", {{"WarmUp", 2}}), "algoParam 'WarmUp': '2' is out of its bounds");
  EXPECT_EQ(with("params", {{"EICandidate", "1"}}),
            "algoParam 'EICandidate': '1' is out of its bounds");
  EXPECT_EQ(with("params", {{"GoodRatio", "0"}}),
            "algoParam 'GoodRatio': '0' is out of its bounds");
  EXPECT_EQ(with("params", {{"GoodMax", "1"}}), "algoParam 'GoodMax': '1' is out of its bounds");
  EXPECT_EQ(with("params", json::parse(R"([{"name":"warmup","value":"2"}])")),
            "algoParam 'warmup': '2' is out of its bounds");
  EXPECT_EQ(with("params", {{"TheirOwn", "x"}}), "fine");
  EXPECT_FALSE(check("{"));
  EXPECT_FALSE(check("[]"));
  EXPECT_FALSE(check(std::string(100000, '[')));
}

TEST(best, is_the_best_reported_number_of_a_finished_trial) {
  auto search = search_json("TPE", kAroundZero);
  auto history = json::array({ended({{"x", 0.1}}, 5), ended({{"x", 0.2}}, 3),
                              ended({{"x", 0.3}}, 3), trial({{"x", 0.4}}, "finished")});
  history[0]["metrics"]["loss"] = {{"min", 1}, {"max", 9}, {"latest", 9}};
  history.push_back(ended({{"x", 0.5}}, -7));
  history.back()["state"] = "killed";
  history.push_back(ended({{"x", 0.6}}, 0));
  history.back()["metrics"]["loss"] = {{"min", "-inf"}, {"max", "high"}, {"latest", nullptr}};
  auto found = best(search.dump(), history.dump());
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->index, 1u);
  EXPECT_EQ((*found)->value, 1);
  search["goal"] = "maximize";
  found = best(search.dump(), history.dump());
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->index, 1u);
  EXPECT_EQ((*found)->value, 9);
  found = best(search.dump(), "[]");
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

}  // namespace
}  // namespace wm::search
