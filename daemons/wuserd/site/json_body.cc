#include "daemons/wuserd/site/json_body.h"

namespace wm::user {

Result<Json> json_in(Call& call) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestJson));
  auto json = parse_json(body);
  if (!json && json.error().code == Code::Limit) return fail(Code::BadArgument, json.error().text);
  if (!json || !json->is_object()) return fail(Code::BadArgument, "a JSON object is wanted");
  return json;
}

Result<std::string> text_in(const Json& json, const char* key) {
  if (!json.is_object()) return std::string();
  auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::string();
  if (!found->is_string()) return fail(Code::BadArgument, std::string(key) + ": a text is wanted");
  return found->get<std::string>();
}

std::string text_or_none(const Json& json, const char* key) {
  auto text = text_in(json, key);
  return text ? *text : std::string();
}

}  // namespace wm::user
