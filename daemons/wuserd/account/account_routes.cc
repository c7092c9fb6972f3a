// The rows of /api/v1 about API keys and sessions, as wmkey does it: a secret is told once, its
// hash is kept in the user's own file. Who holds "submit" may make keys: a job can run wmkey as
// well.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "daemons/wuserd/account/routes.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/files/own_folder.h"
#include "libwm/login/api_keys.h"
#include "libwm/model/verbs/token_verbs.h"
#include "libwm/rest/assets.h"

namespace wm::user {
namespace {

constexpr Bytes kLongestKeys{1 << 20};
constexpr std::size_t kMostKeys = 200;
constexpr int kUsualDays = 90, kMostDays = 3650;
constexpr std::int64_t kDay = 86400;

// Where wlogind looks for them, of a user who has not set another folder.
Result<OwnFolder> keys_folder(Site& site, bool make) {
  auto folder = OwnFolder::open(site.own_dir, ::getuid());
  if (folder || !make || folder.error().code != Code::NotFound) return folder;
  ::mkdir(site.own_dir.substr(0, site.own_dir.rfind('/')).c_str(), 0700);
  ::mkdir(site.own_dir.c_str(), 0700);
  return OwnFolder::open(site.own_dir, ::getuid());
}

Result<std::vector<rest::ApiKey>> read_keys(const OwnFolder& folder) {
  auto text = folder.read("keys", kLongestKeys);
  if (!text && text.error().code == Code::NotFound) return std::vector<rest::ApiKey>();
  if (!text) return text.error();
  return rest::parse_keys(*text);
}

// One change of the file at a time: a second one waits until the folder is closed.
Result<void> lock(const OwnFolder& folder) {
  if (::flock(folder.fd(), LOCK_EX) == 0) return {};
  return fail(Code::System, folder.path() + ": cannot be locked");
}

// In the cluster's record of acts. A change counts all the same where no master answers.
void note(Site& site, const std::string& what, const std::string& name) {
  DoorAct act;
  act.act = what;
  act.user = site.user;
  act.objects = {"key " + name};
  auto master = site.masters.take();
  auto told = master ? (*master)->ask(NoteRequest{"", {act}}) : Result<NoteReply>(master.error());
  if (!told) log::warn("key_not_in_record", {{"key", name}, {"why", told.error().text}});
}

Json shown(const rest::ApiKey& key) {
  return {{"name", key.name},
          {"scopes", key.scopes},
          {"created", key.created},
          {"expires", key.expires}};
}

Result<Answer> list_keys(Call& call) {
  Json list = Json::array();
  auto folder = keys_folder(call.site, false);
  if (!folder && folder.error().code != Code::NotFound) return folder.error();
  if (folder) {
    WM_TRY(auto keys, read_keys(*folder));
    for (const auto& key : keys) list.push_back(shown(key));
  }
  return json_reply("{\"now\":" + std::to_string(now_s()) + ",\"keys\":" + to_text(list) + "}");
}

Result<int> days_in(const Json& json) {
  auto found = json.find("days");
  if (found == json.end() || found->is_null()) return kUsualDays;
  if (!found->is_number_integer() || *found < 1 || *found > kMostDays)
    return fail(Code::BadArgument,
                "days: a whole number from 1 to " + std::to_string(kMostDays) + " is wanted");
  return found->get<int>();
}

Result<rest::ApiKey> asked_key(const Json& json) {
  rest::ApiKey key;
  WM_TRY(key.name, text_in(json, "name"));
  if (!rest::is_asset_name(key.name))
    return fail(Code::BadArgument, "name: letters, digits, '.', '_', '-' are wanted");
  WM_TRY(auto scopes, text_in(json, "scopes"));
  if (scopes.empty()) scopes = rest::kAllScopes;
  WM_TRY(key.scopes, rest::parse_scopes(scopes));
  WM_TRY(auto days, days_in(json));
  key.created = now_s();
  key.expires = key.created + days * kDay;
  return key;
}

// Body: {"name": …, "scopes": "read,submit", "days": 90}.
Result<Answer> make_key(Call& call) {
  WM_TRY(auto json, json_in(call));
  WM_TRY(auto key, asked_key(json));
  WM_TRY(auto folder, keys_folder(call.site, true));
  WM_TRY(lock(folder));
  WM_TRY(auto keys, read_keys(folder));
  auto same = [&](const rest::ApiKey& other) { return other.name == key.name; };
  if (std::any_of(keys.begin(), keys.end(), same))
    return fail(Code::Conflict, "name: there is a key " + key.name + " already");
  if (keys.size() >= kMostKeys)
    return fail(Code::Limit, "there are " + std::to_string(kMostKeys) + " keys: revoke some first");
  auto secret = rest::key_secret(random_bytes(32));
  key.hash = rest::key_hash(secret);
  keys.push_back(key);
  WM_TRY(folder.replace("keys", rest::to_text(keys)));
  note(call.site, "key-create", key.name);
  auto made = shown(key);
  made["secret"] = secret;
  return json_reply(to_text(made), 201);
}

Result<Answer> revoke_key(Call& call) {
  const auto& name = call.args[0];
  auto none = fail(Code::NotFound, "there is no key " + name.substr(0, 200));
  auto folder = keys_folder(call.site, false);
  if (!folder) return folder.error().code == Code::NotFound ? none : folder.error();
  WM_TRY(lock(*folder));
  WM_TRY(auto keys, read_keys(*folder));
  if (std::erase_if(keys, [&](const rest::ApiKey& key) { return key.name == name; }) == 0)
    return none;
  WM_TRY(folder->replace("keys", rest::to_text(keys)));
  note(call.site, "key-revoke", name);
  return done();
}

// Everywhere, here too: tokens that keys were exchanged for among them.
Result<Answer> end_sessions(Call& call) {
  RevokeRequest request;
  request.user = call.site.user;
  request.log_off = true;
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(master->ask(request));
  return done();
}

// As of the last count: one that is too old begins anew, and the answer is not waited for.
Result<Answer> show_results(Call& call) {
  auto use = call.site.results.use();
  auto quota = call.site.conf.limits.results_quota;
  auto room = room_for(use, quota);
  Json json{{"now", now_s()},
            {"bytes", use.bytes},
            {"files", use.files},
            {"counted", use.counted},
            {"counting", call.site.results.is_counting()},
            {"quota", quota.value},
            {"room", room == ResultsRoom::Enough   ? "enough"
                     : room == ResultsRoom::Scarce ? "scarce"
                                                   : "none"},
            {"words", room == ResultsRoom::Enough ? "" : room_words(use, quota)}};
  return json_reply(to_text(json));
}

}  // namespace

const std::vector<Route>& account_routes() {
  static const std::vector<Route> routes{
      {"GET", "/api/v1/keys", list_keys, "One's own API keys, without their secrets", "keys"},
      {"POST", "/api/v1/keys", make_key, "Makes one; its secret is told here, once", "key_made"},
      {"DELETE", "/api/v1/keys/{name}", revoke_key, "It opens nothing any more"},
      {"GET", "/api/v1/results", show_results,
       "How much one's results take up, as of the last count, and how much they may", "results"},
      {"DELETE", "/api/v1/sessions", end_sessions,
       "All that were given out until now end, this one too"},
  };
  return routes;
}

}  // namespace wm::user
