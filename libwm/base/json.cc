#include "libwm/base/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace wm {
namespace {

// How many brackets are open at once, at most. The parser keeps those of texts apart; here a text
// ends at the next quotation mark that no backslash stands before.
std::size_t deepest_bracket(std::string_view text) {
  std::size_t open = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') quoted = !quoted;
    else if (quoted) i += c == '\\';
    else if (c == '[' || c == '{') deepest = std::max(deepest, ++open);
    else if ((c == ']' || c == '}') && open > 0) --open;
  }
  return deepest;
}

Result<void> check_limits(std::string_view text, const JsonLimits& limits) {
  if (static_cast<std::int64_t>(text.size()) > limits.bytes.value)
    return fail(Code::Limit, "JSON of " + std::to_string(text.size()) + " bytes: at most " +
                                 std::to_string(limits.bytes.value) + " are read");
  if (auto depth = deepest_bracket(text); depth > limits.depth)
    return fail(Code::Limit, "JSON nested " + std::to_string(depth) + " deep: at most " +
                                 std::to_string(limits.depth) + " is read");
  return {};
}

template <class Object>
std::string written(const Object& json, int indent) {
  return json.dump(indent, ' ', false, Object::error_handler_t::replace);
}

}  // namespace

template <class Object>
Result<Object> parse_json(std::string_view text, const JsonLimits& limits) {
  WM_TRY(check_limits(text, limits));
  try {
    return Object::parse(text);
  } catch (const typename Object::exception& error) {
    return fail(Code::Damaged, error.what());
  }
}

template <class Object>
Object json_or_null(std::string_view text, const JsonLimits& limits) {
  auto json = parse_json<Object>(text, limits);
  return json ? std::move(*json) : Object();
}

std::string to_text(const Json& json, int indent) { return written(json, indent); }

std::string to_ascii(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

template <class Object>
requires std::same_as<Object, SortedJson> std::string to_text(const Object& json, int indent) {
  return written(json, indent);
}

template Result<Json> parse_json(std::string_view text, const JsonLimits& limits);
template Result<SortedJson> parse_json(std::string_view text, const JsonLimits& limits);
template Json json_or_null(std::string_view text, const JsonLimits& limits);
template SortedJson json_or_null(std::string_view text, const JsonLimits& limits);
template std::string to_text(const SortedJson& json, int indent);

}  // namespace wm
