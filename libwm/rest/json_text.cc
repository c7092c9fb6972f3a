#include "libwm/rest/json_text.h"

#include <nlohmann/json.hpp>

namespace wm::rest {

template <class Object>
Result<Object> object_in(std::string_view text) {
  constexpr std::size_t kLongest = 1 << 20;
  if (text.size() > kLongest) return fail(Code::Limit, "data: more than 1 MiB");
  auto json = parse_json<Object>(text, {.depth = 32});
  if (!json || !json->is_object()) return fail(Code::BadArgument, "data: a JSON object is wanted");
  return json;
}

template Result<Json> object_in(std::string_view text);
template Result<SortedJson> object_in(std::string_view text);

}  // namespace wm::rest
