// wmkey: API keys of the user, for clients that log on at the web door: made, listed, revoked. The
// secret is shown once; what is kept is its hash, in a file of the user's own.
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>

#include "commands/common/command.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/units.h"
#include "libwm/client/names.h"
#include "libwm/files/whole_file.h"
#include "libwm/login/api_keys.h"
#include "libwm/rest/assets.h"
#include "libwm/view/table.h"

namespace wm::cmd::wmkey {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"scope", Kind::Text, "read,submit,inference", "What it is good for; without it everything"},
    {"for", Kind::Text, "days", "So long; also 12h, 90m (90 days)"},
};

constexpr std::int64_t kUsualDays = 90, kMostDays = 3650;

// The account's home, where wlogind looks, whatever HOME says.
Result<std::string> keys_folder() {
  WM_TRY(auto account, client::find_account(std::to_string(::getuid())));
  return account.home + "/.config/wm";
}

std::vector<rest::ApiKey> read_keys(const std::string& folder) {
  std::ifstream in(folder + "/keys", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  return rest::parse_keys(text);
}

Result<void> write_keys(const std::string& folder, const std::vector<rest::ApiKey>& keys) {
  auto parent = folder.substr(0, folder.rfind('/'));
  ::mkdir(parent.c_str(), 0700);
  ::mkdir(folder.c_str(), 0700);
  return replace_file(folder + "/keys", rest::to_text(keys), 0600);
}

constexpr Duration kPatience = std::chrono::seconds(2);

Result<client::Master> near_master() {
  WM_TRY(auto conf, cluster_conf());
  return client::Master::of(conf, kPatience);
}

// In the cluster's record of acts. A key is made all the same where no master answers.
void record(const std::string& what, const std::string& name) {
  DoorAct act;
  act.act = what;
  if (auto own = client::find_account(std::to_string(::getuid()))) act.user = own->name;
  act.objects = {"key " + name};
  auto to = near_master();
  auto told = to ? to->ask(NoteRequest{"", {act}}) : Result<NoteReply>(to.error());
  if (!told)
    complain("wmkey: it is not in the cluster's record of acts: " + told.error().text + "\n");
}

Result<std::int64_t> life_of(const Parsed& options) {
  auto text = options.first("for").value_or(std::to_string(kUsualDays));
  bool days = text.find_first_not_of("0123456789") == std::string::npos;
  auto life =
      days ? Result<Duration>(std::chrono::hours(24) * std::strtol(text.c_str(), nullptr, 10) %
                              std::chrono::hours(24 * 100000))
           : parse_duration(text);
  auto seconds = life ? std::chrono::duration_cast<std::chrono::seconds>(*life).count() : 0;
  if (seconds <= 0 || seconds > kMostDays * 86400)
    return fail(Code::BadArgument, "-for " + text + ": up to 3650 days are wanted");
  return seconds;
}

Result<int> create(const Parsed& options, const std::string& name) {
  if (!rest::is_asset_name(name))
    return fail(Code::BadArgument, "wmkey: a name of letters, digits, '.', '_', '-' is wanted");
  WM_TRY(auto scopes,
         rest::parse_scopes(options.first("scope").value_or(std::string(rest::kAllScopes))));
  WM_TRY(auto life, life_of(options));
  WM_TRY(auto folder, keys_folder());
  auto keys = read_keys(folder);
  auto same = [&](const rest::ApiKey& key) { return key.name == name; };
  if (std::any_of(keys.begin(), keys.end(), same))
    return fail(Code::Conflict, "wmkey: there is a key " + name + " already");
  auto secret = rest::key_secret(random_bytes(32));
  keys.push_back({name, rest::key_hash(secret), scopes, now_s(), now_s() + life});
  WM_TRY(write_keys(folder, keys));
  record("key-create", name);
  complain("wmkey: this is shown once; it stands for your password at the web door\n");
  say(secret + "\n");
  return 0;
}

std::string day(std::int64_t seconds) {
  using namespace std::chrono;
  year_month_day date{floor<days>(system_clock::time_point(std::chrono::seconds(seconds)))};
  auto two = [](unsigned n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day()));
}

Result<int> list() {
  WM_TRY(auto folder, keys_folder());
  static constexpr int kWidths[] = {23, 23, 11};
  auto line = [](const view::Cells& cells) {
    say(view::line_of(cells, kWidths, view::TooWide::Keep) + "\n");
  };
  line({"NAME", "SCOPES", "CREATED", "EXPIRES"});
  for (const auto& key : read_keys(folder))
    line({key.name, key.scopes, day(key.created),
          day(key.expires) + (key.expires <= now_s() ? " (over)" : "")});
  return 0;
}

Result<int> revoke(const std::string& name) {
  WM_TRY(auto folder, keys_folder());
  auto keys = read_keys(folder);
  auto gone = std::erase_if(keys, [&](const rest::ApiKey& key) { return key.name == name; });
  if (gone == 0) return fail(Code::NotFound, "wmkey: there is no key " + name);
  WM_TRY(write_keys(folder, keys));
  record("key-revoke", name);
  say("Key <" + name +
      "> is revoked. Tokens it was exchanged for live for 8 hours at most; wmkey logoff ends "
      "them.\n");
  return 0;
}

Result<int> log_off() {
  WM_TRY(auto own, client::find_account(std::to_string(::getuid())));
  WM_TRY(auto to, near_master());
  RevokeRequest request;
  request.user = own.name;
  request.log_off = true;
  WM_TRY(to.ask(request));
  say("Tokens of <" + own.name + "> that were given out until now are good no more.\n");
  return 0;
}

Result<int> run(const Parsed& options) {
  const auto& words = options.words;
  if (sodium_init() < 0) return fail(Code::System, "libsodium does not start");
  WM_TRY(life_of(options));
  if (words.size() == 2 && words[0] == "create") return create(options, words[1]);
  if (words.size() == 1 && words[0] == "list") return list();
  if (words.size() == 2 && words[0] == "revoke") return revoke(words[1]);
  if (words.size() == 1 && words[0] == "logoff") return log_off();
  return fail(Code::BadArgument, "wmkey: create NAME, list, revoke NAME or logoff is wanted");
}

}  // namespace
}  // namespace wm::cmd::wmkey

int main(int argc, char** argv) {
  using namespace wm::cmd::wmkey;
  return main_of(
      {.name = "wmkey",
       .synopsis = "wmkey create name [-scope list] [-for days] | list | revoke name | logoff",
       .options = kOptions,
       .acts = true},
      argc, argv, run);
}
