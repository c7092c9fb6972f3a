#include "daemons/wuserd/spaces/spaces.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/site/guest.h"
#include "daemons/wuserd/site/json_body.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOfTelling = 500ms;  // of what nobody waits for
constexpr std::size_t kLongestFromOwner = 4 << 20;
constexpr std::size_t kMostSpaceOwners = 500;
constexpr Bytes kLongestSpaceOwners{1 << 20};
constexpr std::size_t kOwnersAskedAtOnce = 32;

// As its own wuserd said it: clients get the same code again.
Error error_of(const http::Reply& reply, const std::string& user) {
  auto json = json_or_null(reply.body);
  auto title = text_or_none(json, "title");
  if (title.empty()) title = "the wuserd of " + user + " answers " + std::to_string(reply.status);
  switch (reply.status) {
    case 400: return fail(Code::BadArgument, title);
    case 403: return fail(Code::Denied, title);
    case 404: return fail(Code::NotFound, title);
    case 409: return fail(Code::Conflict, title);
    case 413: return fail(Code::Limit, title);
    default: return fail(Code::Unavailable, title);
  }
}

Result<std::string> taken(Result<http::Reply> reply, const std::string& user) {
  if (!reply) return reply.error().within("space of " + user);
  if (reply->status >= 300) return error_of(*reply, user);
  return std::move(reply->body);
}

std::string space_owners_path(const Site& site) { return site.results_root + "/spaces/.owners"; }

// Those who are logged on hear that something is shared with them. Nobody waits for it.
void tell(const Site& site, const std::set<std::string>& users) {
  std::vector<std::string> paths;
  for (const auto& user : users)
    if (auto path = guests_socket(site, user)) paths.push_back(*path);
  std::thread([paths] {
    for (const auto& path : paths)
      if (auto client = http::Client::connect(path, {kOfTelling, kLongestFromOwner}))
        (void)client->send("POST", "/told", "");
  }).detach();
}

}  // namespace

Result<std::string> deployments_text(Site& site, const std::string& space) {
  Json found = Json::array();
  for (const auto& service : all_services(site)) {
    if (service.record.space != space) continue;
    WM_TRY(auto job, service_job(site, service));
    found.push_back({{"name", service.name},
                     {"user", site.user},
                     {"model", service.record.model},
                     {"version", service.record.versions.present},
                     {"state", job ? "Started" : "Stopped"}});
  }
  return to_text(found);
}

Result<std::string> space_text(Site& site, const rest::Space& space, rest::SpaceRole role,
                               bool brief) {
  auto assets = spaces_of(site);
  Json json = json_or_null(rest::to_text(space));
  json["owner"] = site.user;
  json["role"] = rest::word_of(role);
  WM_TRY(auto deployed, deployments_text(site, space.name));
  Json deployments = json_or_null(deployed), models = Json::array();
  for (const auto& model : assets.models(space.name))
    models.push_back(json_or_null(model_text(assets, space.name, model)));
  json["models"] = brief ? Json(models.size()) : models;
  json["deployments"] = brief ? Json(deployments.size()) : deployments;
  return to_text(json);
}

Result<SpaceOwner> SpaceOwner::find(const Site& site, const std::string& user, Duration patience) {
  WM_TRY(auto path, guests_socket(site, user));
  auto client = http::Client::connect(path, {patience, kLongestFromOwner});
  if (!client)
    return fail(Code::Unavailable, user + " is not logged on: what is shared is closed meanwhile");
  return SpaceOwner(user, std::move(*client));
}

Result<std::string> SpaceOwner::ask(std::string_view method, const std::string& target,
                                    std::string body) {
  return taken(client_.send(method, target, std::move(body)), user_);
}

Result<std::string> SpaceOwner::give(std::string_view method, const std::string& target,
                                     const std::string& path) {
  return taken(client_.send_file(method, target, path), user_);
}

Result<void> SpaceOwner::fetch(const std::string& target, const std::string& into) {
  WM_TRY(taken(client_.fetch(target, into), user_));
  return {};
}

std::vector<Result<std::string>> lists_of(const Site& site, const std::vector<std::string>& owners,
                                          Duration patience) {
  std::vector<Result<std::string>> lists(owners.size(),
                                         fail(Code::Timeout, "there was no time to ask"));
  auto until = steady_now() + patience;
  std::atomic<std::size_t> next{0};
  auto ask_on = [&] {
    for (auto i = next++; i < owners.size() && steady_now() < until; i = next++) {
      auto owner = SpaceOwner::find(site, owners[i], patience);
      lists[i] = owner ? owner->ask("GET", "/spaces") : Result<std::string>(owner.error());
    }
  };
  std::vector<std::jthread> askers;
  for (std::size_t n = 0; n < std::min(owners.size(), kOwnersAskedAtOnce); ++n)
    askers.emplace_back(ask_on);
  askers.clear();  // each has its answer, or none
  return lists;
}

std::vector<std::string> known_owners(const Site& site) {
  std::vector<std::string> users;
  auto text = read_file(space_owners_path(site), kLongestSpaceOwners);
  std::istringstream in(text ? *text : "");
  for (std::string user; std::getline(in, user);)
    if (!user.empty()) users.push_back(user);
  return users;
}

void know_owner(const Site& site, const std::string& user, bool known) {
  static std::mutex one_at_a_time;
  std::lock_guard hold(one_at_a_time);
  auto users = known_owners(site);
  auto at = std::ranges::find(users, user);
  if ((at != users.end()) == known || user == site.user) return;
  if (known && users.size() >= kMostSpaceOwners) return;
  if (known) users.push_back(user);
  else users.erase(at);
  std::string text;
  for (const auto& one : users) text += one + "\n";
  std::error_code ec;
  std::filesystem::create_directories(site.results_root + "/spaces", ec);
  (void)replace_file(space_owners_path(site), text, 0600);
}

Result<rest::Space> share_space(Site& site, const std::string& name, const std::string& body) {
  auto spaces = spaces_of(site);
  WM_TRY(spaces.space(name));
  WM_TRY(auto members, rest::parse_members(body));
  std::set<std::string> users;
  for (const auto& member : members) {
    auto accounts = accounts_of(member.name);
    if (!accounts) return fail(Code::BadArgument, "members: " + accounts.error().text);
    if (member.name == site.user)
      return fail(Code::BadArgument, "members: " + site.user + " is the owner of it");
    users.insert(accounts->begin(), accounts->end());
  }
  users.erase(site.user);
  WM_TRY(auto space, spaces.share(name, std::move(members)));
  tell(site, users);
  return space;
}

}  // namespace wm::user
