#include "daemons/wgrpc/tensors.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "libwm/base/json.h"

namespace wm::grpc_door {
namespace {

using Contents = inference::InferTensorContents;

template <class Numbers>
Json list_of(const Numbers& numbers) {
  Json list = Json::array();
  for (const auto& number : numbers) list.push_back(number);
  return list;
}

template <class Number>
Result<Json> unpacked(std::string_view raw) {
  if (raw.size() % sizeof(Number) != 0)
    return fail(Code::BadArgument, "raw_input_contents: a part of an element is left over");
  Json list = Json::array();
  for (std::size_t at = 0; at < raw.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, raw.data() + at, sizeof number);
    list.push_back(number);
  }
  return list;
}

// A byte each, whatever is in it: a bool of C++ has no third value.
Result<Json> unpacked_bools(std::string_view raw) {
  Json list = Json::array();
  for (char byte : raw) list.push_back(static_cast<bool>(byte));
  return list;
}

// Each with its length in 4 bytes before it.
Result<Json> unpacked_texts(std::string_view raw) {
  Json list = Json::array();
  while (!raw.empty()) {
    std::uint32_t length = 0;
    bool fits = raw.size() >= sizeof length;
    if (fits) std::memcpy(&length, raw.data(), sizeof length);
    if (!fits || raw.size() - sizeof length < length)
      return fail(Code::BadArgument, "raw_input_contents: BYTES end in the middle");
    list.push_back(std::string(raw.substr(sizeof length, length)));
    raw.remove_prefix(sizeof length + length);
  }
  return list;
}

/// One datatype: where its elements are.
struct Datatype {
  std::string_view name;
  Json (*listed)(const Contents& contents);
  Result<Json> (*unpacked)(std::string_view raw);
  void (*add)(const Json& element, Contents& contents);
};

#define WM_NUMBERS(NAME, FIELD, TYPE)                                           \
  Datatype {                                                                    \
    NAME, [](const Contents& c) { return list_of(c.FIELD()); }, unpacked<TYPE>, \
        [](const Json& e, Contents& c) { c.add_##FIELD(e.get<TYPE>()); }        \
  }

const Datatype* datatype(const std::string& name) {
  static const Datatype all[] = {
      Datatype{"BOOL", [](const Contents& c) { return list_of(c.bool_contents()); }, unpacked_bools,
               [](const Json& e, Contents& c) { c.add_bool_contents(e.get<bool>()); }},
      WM_NUMBERS("INT8", int_contents, std::int8_t),
      WM_NUMBERS("INT16", int_contents, std::int16_t),
      WM_NUMBERS("INT32", int_contents, std::int32_t),
      WM_NUMBERS("INT64", int64_contents, std::int64_t),
      WM_NUMBERS("UINT8", uint_contents, std::uint8_t),
      WM_NUMBERS("UINT16", uint_contents, std::uint16_t),
      WM_NUMBERS("UINT32", uint_contents, std::uint32_t),
      WM_NUMBERS("UINT64", uint64_contents, std::uint64_t),
      WM_NUMBERS("FP32", fp32_contents, float),
      WM_NUMBERS("FP64", fp64_contents, double),
      Datatype{"BYTES", [](const Contents& c) { return list_of(c.bytes_contents()); },
               unpacked_texts,
               [](const Json& e, Contents& c) { c.add_bytes_contents(e.get<std::string>()); }},
  };
  for (const auto& one : all)
    if (one.name == name) return &one;
  return nullptr;
}

#undef WM_NUMBERS

// A tensor may be nested as its shape is.
void add_all(const Json& data, const Datatype& type, Contents& contents) {
  for (const auto& element : data) {
    if (element.is_array()) add_all(element, type, contents);
    else type.add(element, contents);
  }
}

Result<Json> input_json(const inference::ModelInferRequest& request, int number) {
  const auto& input = request.inputs(number);
  const auto* type = datatype(input.datatype());
  if (type == nullptr)
    return fail(Code::BadArgument,
                "input " + input.name() + ": datatype '" + input.datatype() + "' is not taken");
  Json json{{"name", input.name()}, {"datatype", input.datatype()}};
  json["shape"] = list_of(input.shape());
  json["data"] = type->listed(input.contents());
  if (request.raw_input_contents_size() > 0) {
    WM_TRY(json["data"], type->unpacked(request.raw_input_contents(number)));
  }
  return json;
}

inference::ModelInferResponse read_response(const Json& json) {
  inference::ModelInferResponse response;
  response.set_model_name(json.value("model_name", ""));
  response.set_model_version(json.value("model_version", ""));
  response.set_id(json.value("id", ""));
  for (const auto& output : json.at("outputs")) {
    auto& tensor = *response.add_outputs();
    tensor.set_name(output.at("name").get<std::string>());
    tensor.set_datatype(output.at("datatype").get<std::string>());
    for (const auto& n : output.at("shape")) tensor.add_shape(n.get<std::int64_t>());
    if (const auto* type = datatype(tensor.datatype()))
      add_all(output.at("data"), *type, *tensor.mutable_contents());
  }
  return response;
}

}  // namespace

Result<std::string> json_of(const inference::ModelInferRequest& request) {
  bool raw = request.raw_input_contents_size() > 0;
  if (raw && request.raw_input_contents_size() != request.inputs_size())
    return fail(Code::BadArgument, "raw_input_contents: one for each input is wanted");
  Json json{{"id", request.id()}, {"inputs", Json::array()}};
  for (int n = 0; n < request.inputs_size(); ++n) {
    WM_TRY(auto input, input_json(request, n));
    json["inputs"].push_back(std::move(input));
  }
  for (const auto& output : request.outputs()) json["outputs"].push_back({{"name", output.name()}});
  return to_text(json);
}

// What a kernel gives may be any text; the library throws where it is not what is looked for.
Result<inference::ModelInferResponse> response_of(const std::string& text) {
  try {
    WM_TRY(auto json, parse_json(text));
    return read_response(json);
  } catch (const Json::exception& problem) {
    return fail(Code::Damaged, std::string("the kernel's answer is none of v2: ") + problem.what());
  }
}

}  // namespace wm::grpc_door
