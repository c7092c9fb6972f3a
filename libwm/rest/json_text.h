// Role: JSON as answers have it, with members in the order in which they are written, and an object
// read out of a request within bounds. Of this folder only.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::rest {

using Json = nlohmann::ordered_json;
// Where no order is kept: members by name.
using SortedJson = nlohmann::json;

// On one line; what is no UTF-8 is replaced.
std::string dumped(const Json& json);

// The field `data` of a request, as either kind of JSON.
template <class Object>
Result<Object> object_in(std::string_view text);

}  // namespace wm::rest
