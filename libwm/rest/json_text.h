// Role: JSON as answers have it, with members in the order in which they are written, and an object
// read out of a request within bounds. Of this folder only.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::rest {

using Json = nlohmann::ordered_json;
// Where no order is kept: members by name.
using SortedJson = nlohmann::json;

// On one line; what is no UTF-8 is replaced.
inline std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The field `data` of a request, as either kind of JSON.
template <class Object>
Result<Object> object_in(std::string_view text) {
  constexpr std::size_t kLongest = 1 << 20;
  if (text.size() > kLongest) return fail(Code::Limit, "data: more than 1 MiB");
  // Deeper ones would only be torn down by as many calls.
  int deepest = 0;
  auto shallow = [&](int depth, typename Object::parse_event_t, Object&) {
    deepest = std::max(deepest, depth);
    return depth < 32;
  };
  auto json = Object::parse(text, shallow, false);
  if (deepest >= 32 || !json.is_object())
    return fail(Code::BadArgument, "data: a JSON object is wanted");
  return json;
}

}  // namespace wm::rest
