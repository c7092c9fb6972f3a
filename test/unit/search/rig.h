// Role: searches in tests: a search is made of words, asked, and its trials end as the test says.
// Included by tests of this folder only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "libwm/search/search.h"

namespace wm::search {

using nlohmann::json;

inline json search_json(const std::string& algorithm, const json& space) {
  return {{"algorithm", algorithm},
          {"metric", "loss"},
          {"goal", "minimize"},
          {"space", space},
          {"seed", 1}};
}
inline json item(const char* text) { return json::parse(text); }

inline json asked(const json& search, const json& history, std::uint32_t wanted) {
  auto answer = suggest(search.dump(), history.dump(), wanted);
  EXPECT_TRUE(answer) << (answer ? "" : answer.error().text);
  return answer ? json::parse(*answer) : json{{"configs", json::array()}, {"done", true}};
}
inline json configs(const json& search, const json& history, std::uint32_t wanted) {
  return asked(search, history, wanted)["configs"];
}
/// The error's text, or "fine".
inline std::string refusal(const json& search) {
  auto checked = check(search.dump());
  return checked ? "fine" : checked.error().text;
}
inline std::string refusal_of_param(const char* text) {
  return refusal(search_json("Random", json::array({item(text)})));
}

inline json trial(const json& config, const char* state) {
  return {{"config", config}, {"state", state}, {"metrics", json::object()}};
}
inline json ended(const json& config, double loss) {
  auto made = trial(config, "finished");
  made["metrics"]["loss"] = {{"min", loss}, {"max", loss}, {"latest", loss}};
  return made;
}

using Loss = std::function<double(const json& config)>;
/// A search of `trials` trials, `at_once` given out together, each of which then ends.
inline json run(const json& search, std::size_t trials, std::uint32_t at_once, const Loss& loss) {
  json history = json::array();
  while (history.size() < trials) {
    auto answer = asked(search, history, at_once);
    for (const auto& config : answer["configs"]) history.push_back(ended(config, loss(config)));
    if (answer["done"] || answer["configs"].empty()) break;
  }
  return history;
}

/// The least loss of the trials from `first` on.
inline double least(const json& history, std::size_t first = 0) {
  double found = 1e300;
  for (std::size_t i = first; i < history.size(); ++i)
    found = std::min(found, history[i]["metrics"]["loss"]["min"].get<double>());
  return found;
}

/// One parameter of each sort, with conditions.
inline const json kMixed = json::parse(R"([
  {"name":"opt","type":"discrete","dataType":"STR","discreateStrVal":["sgd","adam","none"]},
  {"name":"lr","type":"RANGE","dataType":"double","minDbVal":1e-6,"maxDbVal":"1","log":true},
  {"name":"momentum","type":"Range","dataType":"DOUBLE","minDbVal":0,"maxDbVal":0.9,"when":{"opt":["sgd"]}},
  {"name":"nesterov","type":"Discrete","dataType":"str","discreteStrVal":["yes","no"],"when":{"opt":["sgd"]}},
  {"name":"drop","type":"Range","dataType":"double","minDbVal":0.001,"maxDbVal":0.1,"step":"0.002"},
  {"name":"batch","type":"Range","dataType":"Int","minIntVal":8,"maxIntVal":1024,"log":"true"},
  {"name":"alpha","type":"Range","dataType":"double","minDbVal":-3,"maxDbVal":0,"power":"10"},
  {"name":"layers","type":"Discrete","dataType":"INT","discreteIntVal":[1,"2",4]},
  {"name":"epochs","type":"Fix","dataType":"int","fixedVal":"3"}])");

}  // namespace wm::search
