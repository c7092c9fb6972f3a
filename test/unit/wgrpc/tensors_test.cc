// Role: tensors of KServe's protocol as JSON and back: every datatype, raw bytes as well, and what
// clients and kernels say that is none.
#include "daemons/wgrpc/tensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "libwm/base/json.h"

namespace wm::grpc_door {
namespace {

inference::ModelInferRequest request_of(const std::string& datatype, int elements = 2) {
  inference::ModelInferRequest request;
  request.set_id("7");
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype(datatype);
  input.add_shape(elements);
  return request;
}

/// The data of the first input as JSON, or why there is none.
Json data_of(const inference::ModelInferRequest& request) {
  auto text = json_of(request);
  return text ? json_or_null(*text)["inputs"][0]["data"] : Json(text.error().text);
}

template <class Number>
std::string raw_of(const std::vector<Number>& numbers) {
  std::string raw(numbers.size() * sizeof(Number), '\0');
  std::memcpy(raw.data(), numbers.data(), raw.size());
  return raw;
}

Json raw_data(const std::string& datatype, const std::string& raw) {
  auto request = request_of(datatype);
  request.add_raw_input_contents(raw);
  return data_of(request);
}

TEST(tensors, a_request_has_its_inputs_and_the_outputs_that_it_wants) {
  auto request = request_of("INT32");
  request.mutable_inputs(0)->mutable_contents()->add_int_contents(5);
  request.mutable_inputs(0)->mutable_contents()->add_int_contents(-6);
  auto& second = *request.add_inputs();
  second.set_name("y");
  second.set_datatype("BYTES");
  second.mutable_contents()->add_bytes_contents("text");
  request.add_outputs()->set_name("z");
  auto json = json_or_null(json_of(request).value());
  EXPECT_EQ(json["id"], "7");
  ASSERT_EQ(json["inputs"].size(), 2u);
  EXPECT_EQ(json["inputs"][0],
            (Json{{"name", "x"}, {"datatype", "INT32"}, {"shape", {2}}, {"data", {5, -6}}}));
  EXPECT_EQ(json["inputs"][1]["data"], (Json{"text"}));
  EXPECT_EQ(json["outputs"], Json::array({Json{{"name", "z"}}}));
}

TEST(tensors, raw_bytes_are_numbers_of_their_datatype) {
  EXPECT_EQ(raw_data("INT8", raw_of<std::int8_t>({-1, 2})), (Json{-1, 2}));
  EXPECT_EQ(raw_data("INT16", raw_of<std::int16_t>({-300, 2})), (Json{-300, 2}));
  EXPECT_EQ(raw_data("INT32", raw_of<std::int32_t>({-70000, 2, 3})), (Json{-70000, 2, 3}));
  EXPECT_EQ(raw_data("INT64", raw_of<std::int64_t>({-5'000'000'000, 2})),
            (Json{-5'000'000'000, 2}));
  EXPECT_EQ(raw_data("UINT8", raw_of<std::uint8_t>({255})), (Json{255}));
  EXPECT_EQ(raw_data("UINT16", raw_of<std::uint16_t>({65535})), (Json{65535}));
  EXPECT_EQ(raw_data("UINT32", raw_of<std::uint32_t>({4'000'000'000})), (Json{4'000'000'000}));
  EXPECT_EQ(raw_data("UINT64", raw_of<std::uint64_t>({1})), (Json{1}));
  EXPECT_EQ(raw_data("FP32", raw_of<float>({0.5F, -2})), (Json{0.5, -2.0}));
  EXPECT_EQ(raw_data("FP64", raw_of<double>({0.25})), (Json{0.25}));
  EXPECT_EQ(raw_data("FP64", ""), Json::array());
}

TEST(tensors, raw_booleans_are_a_byte_each_whatever_is_in_it) {
  EXPECT_EQ(raw_data("BOOL", std::string("\0\1\2\xff", 4)), (Json{false, true, true, true}));
}

TEST(tensors, raw_texts_have_their_length_before_them) {
  using namespace std::string_literals;
  EXPECT_EQ(raw_data("BYTES", "\3\0\0\0abc\0\0\0\0\1\0\0\0x"s), (Json{"abc", "", "x"}));
  EXPECT_EQ(raw_data("BYTES", "\0\0\0\0"s), (Json{""}));
  for (const auto& cut :
       {"\3\0\0\0ab"s, "\3\0\0"s, "\3\0\0\0abc\1"s, "\xff\xff\xff\xff"s + "abc"s, "\4\0\0\0abc"s}) {
    auto told = raw_data("BYTES", cut);
    ASSERT_TRUE(told.is_string()) << told;
    EXPECT_NE(told.get<std::string>().find("BYTES end in the middle"), std::string::npos) << told;
  }
}

TEST(tensors, raw_bytes_that_do_not_fit_are_refused) {
  EXPECT_TRUE(raw_data("INT32", "abcde").is_string());
  EXPECT_TRUE(raw_data("FP64", "abc").is_string());
  auto request = request_of("INT8");
  request.add_raw_input_contents("a");
  request.add_raw_input_contents("b");
  EXPECT_EQ(json_of(request).error().code, Code::BadArgument) << "one for each input";
  auto two = request_of("INT8");
  two.add_inputs()->set_datatype("INT8");
  two.add_raw_input_contents("a");
  EXPECT_EQ(json_of(two).error().code, Code::BadArgument);
}

TEST(tensors, a_datatype_that_is_none_is_refused_by_its_name) {
  for (const char* name : {"", "int32", "FP16", "INT32 "}) {
    auto told = json_of(request_of(name));
    ASSERT_FALSE(told) << name;
    EXPECT_EQ(told.error().code, Code::BadArgument);
    EXPECT_NE(told.error().text.find("input x"), std::string::npos) << told.error().text;
  }
}

TEST(tensors, an_answer_is_read_flat_or_nested) {
  auto answer = response_of(
      R"({"model_name":"m","model_version":"3","id":"7","outputs":[
          {"name":"a","datatype":"FP32","shape":[2,2],"data":[[1,2],[3,4.5]]},
          {"name":"b","datatype":"BYTES","shape":[1],"data":["t"]},
          {"name":"c","datatype":"BOOL","shape":[2],"data":[true,false]},
          {"name":"d","datatype":"of our own","shape":[1],"data":[1]}]})");
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->model_name() + answer->model_version() + answer->id(), "m37");
  ASSERT_EQ(answer->outputs_size(), 4);
  ASSERT_EQ(answer->outputs(0).contents().fp32_contents_size(), 4);
  EXPECT_EQ(answer->outputs(0).contents().fp32_contents(3), 4.5F);
  EXPECT_EQ(answer->outputs(0).shape(1), 2);
  EXPECT_EQ(answer->outputs(1).contents().bytes_contents(0), "t");
  EXPECT_FALSE(answer->outputs(2).contents().bool_contents(1));
  EXPECT_EQ(answer->outputs(3).name(), "d");
}

TEST(tensors, what_a_kernel_says_that_is_no_answer_is_told_so) {
  for (const char* text :
       {"", "rubbish", "[]", "{}", "null", R"({"outputs":[{}]})", R"({"outputs":[1]})",
        R"({"outputs":[{"name":1,"datatype":"INT8","shape":[],"data":[]}]})",
        R"({"outputs":[{"name":"a","datatype":"INT8","shape":["x"],"data":[]}]})",
        R"({"outputs":[{"name":"a","datatype":"INT8","shape":[1],"data":["x"]}]})",
        R"({"outputs":[{"name":"a","datatype":"INT8","shape":[1]}]})",
        R"({"model_name":7,"outputs":[]})"}) {
    auto answer = response_of(text);
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().code, Code::Damaged) << text;
  }
}

}  // namespace
}  // namespace wm::grpc_door
