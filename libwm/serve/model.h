// Role: the description of a package (model.json) as values. Pure.
// @source WMLA: elastic distributed inference, model.json, schema 1
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::serve {

/// What model.json says.
struct Model {
  std::string name;         ///< [A-Za-z0-9][A-Za-z0-9_.-]*, at most 64 characters
  std::string kernel_path;  ///< relative, in the package
  std::string runtime, weight_path, tag, model_path, framework;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<std::pair<std::string, std::string>> environments;
  std::string text;  ///< the whole file
};

/// @errors BadArgument: no JSON object, no name, a name or path that cannot be one
/// @cost O(length)   @thread any
Result<Model> read_model(std::string_view text);

/// Can a service be called so? @cost O(length)
bool is_service_name(std::string_view name);

/// One {"name": …, "value": …} of environments and envs. @errors BadArgument
Result<std::pair<std::string, std::string>> read_variable(const std::string& json);

/// "Wed Sep  6 19:59:14 2023 GMT". @cost O(1)
std::string date_text(WallTime when);

}  // namespace wm::serve
