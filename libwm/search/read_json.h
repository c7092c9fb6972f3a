// Role: single values out of JSON as WMLA's clients write them: numbers as
// numbers or as texts, words in any case. Of this folder only.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "libwm/search/space.h"

namespace wm::search {

/// What an object has under `key`; null where it has not, and of anything else.
const nlohmann::json& at(const nlohmann::json& json, const char* key);
/// A finite number, also as text; none of anything else.
std::optional<double> read_number(const nlohmann::json& json);
/// A text, number or boolean as text; empty for anything else.
std::string read_text(const nlohmann::json& json);
std::string lower(std::string text);

/// One item of hyperParams, with the names of its parents beside it.
struct ReadParam {
  Param param;
  std::vector<std::pair<std::string, std::vector<Value>>> when;
};
/// @errors BadArgument, Limit: the parameter and what is wrong with it
Result<ReadParam> read_param(const nlohmann::json& json);

/// A value of dataType `type` (int, double, str, string; empty: as it is
/// written).
Result<Value> read_value(const nlohmann::json& json, const std::string& type);

/// Names of parameters become keys of config.json and columns: at most 128
/// bytes, no control characters, not ours. @errors BadArgument
Result<void> check_name(const std::string& name);

}  // namespace wm::search
