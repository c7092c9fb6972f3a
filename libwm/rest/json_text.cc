#include "libwm/rest/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace wm::rest {

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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

template Result<Json> object_in(std::string_view text);
template Result<SortedJson> object_in(std::string_view text);

}  // namespace wm::rest
