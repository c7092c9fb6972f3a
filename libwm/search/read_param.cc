// hyperParams: each key of wmla-surface 5.1, and `log` and `when`, which are
// ours.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/search/read_json.h"

namespace wm::search {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostValues = 10000, kLongestName = 128, kLongestText = 4096;
constexpr double kWholeLimit = 0x1p53, kMostSteps = 1e15;

Error bad(const std::string& name, const std::string& what) {
  return fail(Code::BadArgument, "parameter '" + name + "': " + what);
}

std::string shown(double number) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

// Unused keys are sent as null, "", [] or 0.
bool is_said(const Json& json) {
  if (json.is_null()) return false;
  if (json.is_string()) return !json.get_ref<const std::string&>().empty();
  return !json.is_array() || !json.empty();
}

// step, power: a number above 0, or nothing.
Result<double> positive(const Json& item, const char* key, const std::string& name) {
  const auto& json = at(item, key);
  if (!is_said(json)) return 0.0;
  auto number = read_number(json);
  if (!number || *number < 0) return bad(name, std::string(key) + " is not a positive number");
  return *number;
}

Result<bool> flag(const Json& item, const char* key, const std::string& name) {
  const auto& json = at(item, key);
  if (!is_said(json)) return false;
  auto text = lower(read_text(json));
  if (text != "true" && text != "false") return bad(name, std::string(key) + " is not a boolean");
  return text == "true";
}

enum class Type { Whole, Number, Text };

Result<Type> type_named(const std::string& word, const std::string& name) {
  auto type = lower(word);
  if (type == "int" || type == "integer" || type == "long") return Type::Whole;
  if (type == "double" || type == "float" || type == "number") return Type::Number;
  if (type == "str" || type == "string") return Type::Text;
  return bad(name, "dataType '" + word.substr(0, 40) + "': int, double or str is wanted");
}

struct Bounds {
  double low, high;
};

Result<Bounds> bounds(const Json& item, Type type, const std::string& name) {
  const char* low_key = type == Type::Whole ? "minIntVal" : "minDbVal";
  const char* high_key = type == Type::Whole ? "maxIntVal" : "maxDbVal";
  auto low = read_number(at(item, low_key)), high = read_number(at(item, high_key));
  auto keys = std::string(low_key) + " and " + high_key;
  if (!low || !high) return bad(name, "a range has numbers in " + keys);
  bool others = read_number(at(item, type == Type::Whole ? "maxDbVal" : "maxIntVal")).value_or(0) ||
                read_number(at(item, type == Type::Whole ? "minDbVal" : "minIntVal")).value_or(0);
  if (*low == 0 && *high == 0 && others)
    return bad(name, "the bounds of its dataType are in " + keys + ", and both are 0");
  if (*low > *high)
    return bad(name, "its range is reversed: " + shown(*low) + " to " + shown(*high));
  if (type == Type::Whole && (*low != std::floor(*low) || *high != std::floor(*high)))
    return bad(name, "a bound of dataType int is not a whole number");
  if (std::max(std::abs(*low), std::abs(*high)) > (type == Type::Whole ? kWholeLimit : 1e300))
    return bad(name, "a bound is too large");
  return Bounds{*low, *high};
}

Result<void> check_scale(const Param& param) {
  const auto& name = param.name;
  if (param.log && param.low <= 0)
    return bad(name, "log wants a range above 0, and it begins at " + shown(param.low));
  if (param.log && param.power > 0) return bad(name, "log and power do not go together");
  if (param.power == 1) return bad(name, "power 1 makes all its values 1");
  if (param.power > 0) {
    double ends[] = {std::pow(param.power, param.low), std::pow(param.power, param.high)};
    for (double end : ends)
      if (!std::isfinite(end) || end <= 0 || (param.whole && end > kWholeLimit))
        return bad(name, "power makes values out of bounds");
  }
  return {};
}

Result<Param> range(const Json& item, Type type, Param param) {
  if (type == Type::Text) return bad(param.name, "a range of texts is none; Discrete is wanted");
  WM_TRY(auto ends, bounds(item, type, param.name));
  param.low = ends.low;
  param.high = ends.high;
  WM_TRY(param.step, positive(item, "step", param.name));
  WM_TRY(param.power, positive(item, "power", param.name));
  WM_TRY(param.log, flag(item, "log", param.name));
  WM_TRY(check_scale(param));
  if (param.whole && param.step == 0) param.step = 1;
  if (param.whole && param.power == 0 && param.step != std::floor(param.step))
    return bad(param.name, "a step of dataType int is not a whole number");
  if (param.step == 0 && param.low < param.high) return param;
  param.kind = Kind::Steps;
  if (param.step == 0) param.step = 1;
  double steps = std::floor((param.high - param.low) / param.step + 1e-9) + 1;
  if (!(steps <= kMostSteps)) return bad(param.name, "its step is too small");
  param.count = static_cast<std::uint64_t>(steps);
  return param;
}

// The list of a discrete parameter; int ones may stand in the list of doubles
// and reversely.
const Json& list(const Json& item, Type type) {
  static const char* const kKeys[][4] = {
      {"discreteIntVal", "discreteDbVal", "discreteStrVal", "discreateStrVal"},
      {"discreteDbVal", "discreteIntVal", "discreteStrVal", "discreateStrVal"},
      {"discreateStrVal", "discreteStrVal", "discreteDbVal", "discreteIntVal"}};
  for (const auto* key : kKeys[static_cast<int>(type)])
    if (at(item, key).is_array() && !at(item, key).empty()) return at(item, key);
  return at(item, kKeys[static_cast<int>(type)][0]);
}

const char* word_of(Type type) {
  return type == Type::Whole ? "int" : type == Type::Number ? "double" : "str";
}

Result<Param> discrete(const Json& values, Type type, Param param) {
  if (!values.is_array() || values.empty()) return bad(param.name, "it has no values");
  if (values.size() > kMostValues)
    return fail(Code::Limit, "parameter '" + param.name + "': " + std::to_string(values.size()) +
                                 " values, at most " + std::to_string(kMostValues));
  for (const auto& json : values) {
    auto value = read_value(json, word_of(type));
    if (!value) return value.error().within("parameter '" + param.name + "'");
    param.values.push_back(std::move(*value));
  }
  param.kind = type == Type::Text ? Kind::Words : Kind::Numbers;
  // Each once; texts stay in their order.
  auto sorted = param.values;
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (type != Type::Text || sorted.size() < param.values.size()) param.values = std::move(sorted);
  param.count = param.values.size();
  return param;
}

Result<void> read_when(const Json& item, ReadParam& read) {
  const auto& when = at(item, "when");
  if (!is_said(when)) return {};
  if (!when.is_object()) return bad(read.param.name, "when is not an object {parameter: [values]}");
  for (const auto& [parent, list] : when.items()) {
    std::vector<Value> values;
    for (const auto& json : list.is_array() ? list : Json::array({list})) {
      auto value = read_value(json, "");
      if (!value) return value.error().within("parameter '" + read.param.name + "': when");
      values.push_back(std::move(*value));
    }
    if (values.empty() || values.size() > kMostValues)
      return bad(read.param.name, "when has no list of values for '" + parent + "'");
    read.when.emplace_back(parent, std::move(values));
  }
  return {};
}

Result<Param> param_of(const Json& item, Param param) {
  auto kind = lower(read_text(at(item, "type")));
  const auto& fixed = at(item, "fixedVal");
  if (kind.empty()) kind = is_said(fixed) ? "fix" : "range";
  auto word = read_text(at(item, "dataType"));
  if (word.empty() && kind.starts_with("fix")) word = fixed.is_number() ? "double" : "str";
  WM_TRY(auto type, type_named(word, param.name));
  param.whole = type == Type::Whole;
  if (kind == "range") return range(item, type, std::move(param));
  if (kind == "discrete" || kind == "discreate")
    return discrete(list(item, type), type, std::move(param));
  if (kind == "fix" || kind == "fixed") {
    if (!is_said(fixed)) return bad(param.name, "it has no fixedVal");
    return discrete(Json::array({fixed}), type, std::move(param));
  }
  return bad(param.name, "type '" + kind.substr(0, 40) + "': Range, Discrete or Fix is wanted");
}

}  // namespace

std::string lower(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

const Json& at(const Json& json, const char* key) {
  static const Json kNothing;
  if (!json.is_object()) return kNothing;
  auto found = json.find(key);
  return found == json.end() ? kNothing : *found;
}

std::optional<double> read_number(const Json& json) {
  std::optional<double> number;
  if (json.is_number()) number = json.get<double>();
  else if (json.is_string()) number = number_of(Value(json.get<std::string>()));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string read_text(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  return json.is_number() || json.is_boolean() ? to_text(json) : "";
}

Result<Value> read_value(const Json& json, const std::string& type) {
  if (type.empty() && json.is_number_integer()) return Value(json.get<std::int64_t>());
  if (type.empty() && json.is_number()) return Value(json.get<double>());
  WM_TRY(auto wanted, type_named(type.empty() ? "str" : type, "?"));
  if (wanted == Type::Text) {
    auto text = read_text(json);
    if (text.size() > kLongestText || (text.empty() && !json.is_string()))
      return fail(Code::BadArgument, "a value is no text");
    return Value(text);
  }
  auto number = read_number(json);
  if (!number)
    return fail(Code::BadArgument, "'" + read_text(json).substr(0, 40) + "' is not a number");
  if (wanted == Type::Number) return Value(*number);
  if (*number != std::floor(*number) || std::abs(*number) > kWholeLimit)
    return fail(Code::BadArgument, shown(*number) + " is not a whole number");
  return Value(static_cast<std::int64_t>(*number));
}

Result<void> check_name(const std::string& name) {
  if (name.empty()) return fail(Code::BadArgument, "a parameter has no name");
  if (name.size() > kLongestName)
    return fail(Code::BadArgument,
                "the name of a parameter has more than " + std::to_string(kLongestName) + " bytes");
  if (std::ranges::any_of(name, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
    return fail(Code::BadArgument, "the name of a parameter has a control character");
  if (name.starts_with("wm_")) return bad(name, "names that begin with wm_ are the system's");
  return {};
}

Result<ReadParam> read_param(const Json& item) {
  if (!item.is_object()) return fail(Code::BadArgument, "a parameter is not an object");
  auto name = at(item, "name").is_string() ? at(item, "name").get<std::string>() : "";
  WM_TRY(check_name(name));
  ReadParam read;
  read.param.name = name;
  WM_TRY(read.param, param_of(item, std::move(read.param)));
  WM_TRY(read_when(item, read));
  return read;
}

}  // namespace wm::search
