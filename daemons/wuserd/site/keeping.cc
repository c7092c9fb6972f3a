#include "daemons/wuserd/site/keeping.h"

#include "daemons/wuserd/site/json_body.h"
#include "libwm/base/hash.h"

namespace wm::user {

Result<std::string> key_of(const Call& call) {
  auto key = call.exchange.head().field("idempotency-key");
  if (key.size() > 200) return fail(Code::BadArgument, "Idempotency-Key: longer than 200 bytes");
  return std::string(key);
}

Result<Keeping> keeping_of(const Call& call, const std::string& address) {
  const auto& head = call.exchange.head();
  WM_TRY(auto key, key_of(call));
  Keeping keeping;
  keeping.next = head.method == "PUT";
  keeping.match = head.field("if-match");
  if (!key.empty()) keeping.request = hex(hash_of(key, 16));
  keeping.way_out = "PUT " + address;
  keeping.user = call.guest.empty() ? call.site.user : call.guest;
  keeping.now = wall_now();
  return keeping;
}

Result<std::string> with_name(const std::string& text, const std::string& name) {
  auto json = parse_json(text);
  if (!json || !json->is_object()) return fail(Code::BadArgument, "a JSON object is wanted");
  WM_TRY(auto said, text_in(*json, "name"));
  if (!said.empty() && said != name)
    return fail(Code::BadArgument, "name: '" + said.substr(0, 64) + "' is not " + name);
  (*json)["name"] = name;
  return to_text(*json);
}

}  // namespace wm::user
