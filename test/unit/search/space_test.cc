// Role: what a space may say: each key of hyperParams, and what is refused.
#include "libwm/search/space.h"

#include <cmath>
#include <set>

#include "test/unit/search/rig.h"

namespace wm::search {
namespace {

json drawn(const char* param, std::uint32_t count = 200) {
  return configs(search_json("Random", json::array({item(param)})), json::array(), count);
}
std::set<std::string> values(const char* param) {
  std::set<std::string> found;
  for (const auto& config : drawn(param)) found.insert(config["p"].dump());
  return found;
}
using Set = std::set<std::string>;

TEST(space, a_range_of_doubles_has_its_ends) {
  double least = 9, most = 0;
  for (const auto& config :
       drawn(R"({"name":"p","type":"Range","dataType":"DOUBLE","minDbVal":"2","maxDbVal":4.5})")) {
    least = std::min(least, config["p"].get<double>());
    most = std::max(most, config["p"].get<double>());
  }
  EXPECT_GE(least, 2);
  EXPECT_LE(most, 4.5);
  EXPECT_LT(least, 2.2);
  EXPECT_GT(most, 4.3);
}

TEST(space, a_range_of_ints_has_whole_numbers_and_both_ends) {
  EXPECT_EQ(values(R"({"name":"p","type":"range","dataType":"int","minIntVal":-1,"maxIntVal":2,
                       "minDbVal":0,"maxDbVal":0,"discreteIntVal":[]})"),
            (Set{"-1", "0", "1", "2"}));
}

TEST(space, a_step_splits_the_range_without_dust) {
  auto found = values(
      R"({"name":"p","type":"Range","dataType":"double","minDbVal":0.1,"maxDbVal":0.75,"step":"0.2"})");
  EXPECT_EQ(found, (Set{"0.1", "0.3", "0.5", "0.7"}));
  EXPECT_EQ(values(R"({"name":"p","type":"Range","dataType":"INT","minIntVal":8,"maxIntVal":32,
                       "step":8})"),
            (Set{"8", "16", "24", "32"}));
}

TEST(space, a_power_is_taken_to_the_number_drawn) {
  EXPECT_EQ(values(R"({"name":"p","type":"Range","dataType":"int","minIntVal":3,"maxIntVal":6,
                       "power":"2"})"),
            (Set{"8", "16", "32", "64"}));
  std::size_t small = 0;
  for (
      const auto& config : drawn(
          R"({"name":"p","type":"Range","dataType":"double","minDbVal":-3,"maxDbVal":0,"power":"10"})")) {
    double p = config["p"];
    EXPECT_GE(p, 0.001 * 0.999);
    EXPECT_LE(p, 1);
    small += p < 0.01;
  }
  EXPECT_NEAR(static_cast<double>(small), 67, 25);
}

TEST(space, log_is_even_over_magnitudes) {
  std::size_t small = 0;
  for (
      const auto& config : drawn(
          R"({"name":"p","type":"Range","dataType":"double","minDbVal":1e-4,"maxDbVal":1,"log":true})"))
    small += config["p"].get<double>() < 1e-2;
  EXPECT_NEAR(static_cast<double>(small), 100, 30);
  auto found = values(
      R"({"name":"p","type":"Range","dataType":"int","minIntVal":1,"maxIntVal":4,"log":true})");
  EXPECT_EQ(found, (Set{"1", "2", "3", "4"}));
}

TEST(space, lists_come_in_each_type_and_both_spellings) {
  EXPECT_EQ(
      values(R"({"name":"p","type":"Discrete","dataType":"str","discreateStrVal":["b","a"]})"),
      (Set{R"("a")", R"("b")"}));
  EXPECT_EQ(
      values(R"({"name":"p","type":"DISCRETE","dataType":"STRING","discreteStrVal":["a",2]})"),
      (Set{R"("2")", R"("a")"}));
  EXPECT_EQ(values(R"({"name":"p","type":"Discrete","dataType":"INT","discreteIntVal":["3",1,1]})"),
            (Set{"1", "3"}));
  EXPECT_EQ(
      values(R"({"name":"p","type":"Discrete","dataType":"double","discreteDbVal":[0.5,"2"]})"),
      (Set{"0.5", "2.0"}));
  EXPECT_EQ(values(R"({"name":"p","type":"Discrete","dataType":"double","discreteIntVal":[4]})"),
            (Set{"4.0"}));
}

TEST(space, a_fixed_value_has_its_type) {
  EXPECT_EQ(values(R"({"name":"p","type":"Fix","dataType":"int","fixedVal":"7"})"), (Set{"7"}));
  EXPECT_EQ(values(R"({"name":"p","fixedVal":"x"})"), (Set{R"("x")"}));
  EXPECT_EQ(
      values(
          R"({"name":"p","type":"fix","dataType":"double","fixedVal":"0.5","userDefined":false})"),
      (Set{"0.5"}));
}

TEST(space, a_condition_decides_whether_a_parameter_is_there) {
  auto search = search_json("Random", kMixed);
  std::size_t with = 0;
  for (const auto& config : configs(search, json::array(), 100)) {
    bool sgd = config["opt"] == "sgd";
    EXPECT_EQ(config.contains("momentum"), sgd);
    EXPECT_EQ(config.contains("nesterov"), sgd);
    with += sgd;
  }
  EXPECT_GT(with, 10u);
  EXPECT_LT(with, 70u);
}

TEST(space, what_cannot_be_is_refused_by_name) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"name":"p","type":"Range","dataType":"double","minDbVal":3,"maxDbVal":2})",
       "parameter 'p': its range is reversed: 3 to 2"},
      {R"({"name":"p","type":"Range","dataType":"double","minDbVal":0,"maxDbVal":1,"log":true})",
       "parameter 'p': log wants a range above 0, and it begins at 0"},
      {R"({"name":"p","type":"Range","dataType":"int","minDbVal":1,"maxDbVal":2,"minIntVal":0,"maxIntVal":0})",
       "parameter 'p': the bounds of its dataType are in minIntVal and maxIntVal, and both are 0"},
      {R"({"name":"p","type":"Range","dataType":"double"})",
       "parameter 'p': a range has numbers in minDbVal and maxDbVal"},
      {R"({"name":"p","type":"Range","dataType":"int","minIntVal":0.5,"maxIntVal":2})",
       "parameter 'p': a bound of dataType int is not a whole number"},
      {R"({"name":"p","type":"Discrete","dataType":"str","discreteStrVal":[]})",
       "parameter 'p': it has no values"},
      {R"({"name":"p","type":"Discrete","dataType":"int","discreteIntVal":["x"]})",
       "parameter 'p': 'x' is not a number"},
      {R"({"name":"p","type":"Range","dataType":"str"})",
       "parameter 'p': a range of texts is none; Discrete is wanted"},
      {R"({"name":"p","type":"Walk","dataType":"int"})",
       "parameter 'p': type 'walk': Range, Discrete or Fix is wanted"},
      {R"({"name":"p","type":"Range","dataType":"bool","minIntVal":0,"maxIntVal":1})",
       "parameter 'p': dataType 'bool': int, double or str is wanted"},
      {R"({"name":"p","type":"Range","dataType":"double","minDbVal":0,"maxDbVal":1,"step":"-1"})",
       "parameter 'p': step is not a positive number"},
      {R"({"name":"p","type":"Range","dataType":"double","minDbVal":0,"maxDbVal":1,"step":1e-300})",
       "parameter 'p': its step is too small"},
      {R"({"name":"p","type":"Range","dataType":"int","minIntVal":0,"maxIntVal":1000,"power":10})",
       "parameter 'p': power makes values out of bounds"},
      {R"({"name":"p","type":"Range","dataType":"double","minDbVal":"inf","maxDbVal":"nan"})",
       "parameter 'p': a range has numbers in minDbVal and maxDbVal"},
      {R"({"name":"p","type":"Fix","dataType":"int"})", "parameter 'p': it has no fixedVal"},
      {R"({"name":"p","type":"Range","dataType":"int","minIntVal":0,"maxIntVal":1,"when":{"q":[1]}})",
       "parameter 'p': its condition names 'q', which is no parameter"},
      {R"({"name":"p","type":"Range","dataType":"int","minIntVal":0,"maxIntVal":1,"when":{"p":[1]}})",
       "the conditions of parameters depend on each other in a ring"},
      {R"({"name":"","type":"Fix","fixedVal":1})", "a parameter has no name"},
      {R"({"name":7,"type":"Fix","fixedVal":1})", "a parameter has no name"},
      {R"({"name":"a\u0000b","type":"Fix","fixedVal":1})",
       "the name of a parameter has a control character"},
      {R"({"name":"wm_resume","type":"Fix","fixedVal":1})",
       "parameter 'wm_resume': names that begin with wm_ are the system's"},
      {R"([])", "a parameter is not an object"}};
  for (const auto& [param, text] : kCases) EXPECT_EQ(refusal_of_param(param), text) << param;
}

TEST(space, names_of_any_letters_are_taken_as_they_are) {
  json named = item(R"({"type":"Fix","dataType":"int","fixedVal":1})");
  for (const char* name : {"../../etc", "$(reboot)", "a b", "\"'", "ü", "__proto__", "-x"}) {
    named["name"] = name;
    auto found = configs(search_json("Random", json::array({named})), json::array(), 1);
    EXPECT_EQ(found, json::array({json{{name, 1}}})) << name;
  }
  named["name"] = std::string(129, 'x');
  EXPECT_EQ(refusal(search_json("Random", json::array({named}))),
            "the name of a parameter has more than 128 bytes");
}

TEST(space, a_million_values_are_refused_in_a_list_and_fine_as_steps) {
  json list = item(R"({"name":"p","type":"Discrete","dataType":"int"})");
  for (int i = 0; i < 1000000; ++i) list["discreteIntVal"].push_back(i);
  EXPECT_EQ(refusal(search_json("TPE", json::array({list}))),
            "parameter 'p': 1000000 values, at most 10000");
  auto steps =
      item(R"({"name":"p","type":"Range","dataType":"int","minIntVal":1,"maxIntVal":1000000})");
  EXPECT_EQ(run(search_json("TPE", json::array({steps})), 30, 5,
                [](const json& c) { return c["p"].get<double>(); })
                .size(),
            30u);
}

TEST(space, of_a_parent_only_values_that_it_has_are_conditions) {
  auto space = json::array(
      {item(R"({"name":"a","type":"Discrete","dataType":"int","discreteIntVal":[1,2]})"),
       item(R"({"name":"x","type":"Range","dataType":"double","minDbVal":0,"maxDbVal":1})"),
       item(R"({"name":"b","type":"Fix","fixedVal":1,"when":{"a":"2"}})")});
  EXPECT_EQ(refusal(search_json("Random", space)), "fine");
  space[2]["when"] = {{"a", {3}}};
  EXPECT_EQ(refusal(search_json("Random", space)),
            "parameter 'b': its condition names a value that 'a' has not");
  space[2]["when"] = {{"x", {0.5}}};
  EXPECT_EQ(refusal(search_json("Random", space)),
            "parameter 'b': its condition names 'x', which has no list of values");
}

TEST(space, a_text_is_a_number_where_all_of_it_is_one) {
  EXPECT_EQ(number_of(Value{std::string("2.5")}), 2.5);
  for (const char* text : {"", "x", "2x", " 2", "1e999"})
    EXPECT_FALSE(number_of(Value{std::string(text)})) << text;
  EXPECT_TRUE(equal(Value{std::string("2")}, Value{std::int64_t{2}}));
  EXPECT_FALSE(equal(Value{std::string("2x")}, Value{std::int64_t{2}}));
}

TEST(space, twice_the_same_name_or_none_at_all_is_refused) {
  auto one = item(R"({"name":"p","type":"Fix","fixedVal":1})");
  EXPECT_EQ(refusal(search_json("Random", json::array({one, one}))),
            "parameter 'p' is there twice");
  EXPECT_EQ(refusal(search_json("Random", json::array())), "the space has no parameters");
  EXPECT_EQ(refusal(search_json("Random", json())), "the space has no parameters");
}

}  // namespace
}  // namespace wm::search
