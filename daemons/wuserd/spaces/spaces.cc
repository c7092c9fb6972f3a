#include "daemons/wuserd/spaces/spaces.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "daemons/wuserd/data/project_data.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/site/guest.h"
#include "daemons/wuserd/site/json_body.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/files/fd.h"
#include "libwm/files/whole_file.h"
#include "libwm/http/listen.h"
#include "libwm/login/share_words.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOfTelling = 500ms;  // of what nobody waits for
constexpr Bytes kLongestShares{1 << 20};
constexpr std::size_t kLongestTold = 4 << 10;
constexpr std::size_t kMostSpaceOwners = 500;
constexpr Bytes kLongestSpaceOwners{1 << 20};
constexpr std::size_t kOwnersAskedAtOnce = 32;

std::string space_owners_path(const Site& site) { return site.results_root + "/spaces/.owners"; }

// Those who are logged on hear that something is shared with them. Nobody waits for it.
void tell(const Site& site, const std::set<std::string>& users) {
  std::vector<std::string> paths;
  for (const auto& user : users)
    if (auto path = guests_socket(site, user)) paths.push_back(*path);
  std::thread([paths] {
    for (const auto& path : paths)
      if (auto client = http::Client::connect(path, {kOfTelling, kLongestTold}))
        (void)client->send("POST", "/told", "");
  }).detach();
}

/// Whom something is shared with, and the accounts that these are.
struct Named {
  std::vector<rest::Member> members;
  std::set<std::string> users;
};

Result<Named> named_in(const Site& site, const std::string& body) {
  Named named;
  WM_TRY(named.members, rest::parse_members(body));
  for (const auto& member : named.members) {
    auto accounts = accounts_of(member.name);
    if (!accounts) return fail(Code::BadArgument, "members: " + accounts.error().text);
    if (member.name == site.user)
      return fail(Code::BadArgument, "members: " + site.user + " is the owner of it");
    named.users.insert(accounts->begin(), accounts->end());
  }
  named.users.erase(site.user);
  return named;
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

std::vector<Result<std::string>> lists_of(const Site& site, const std::vector<std::string>& owners,
                                          const std::string& target, Duration patience) {
  std::vector<Result<std::string>> lists(owners.size(),
                                         fail(Code::Timeout, "there was no time to ask"));
  auto until = steady_now() + patience;
  std::atomic<std::size_t> next{0};
  auto ask_on = [&] {
    for (auto i = next++; i < owners.size() && steady_now() < until; i = next++) {
      auto owner = SpaceOwner::find(site, owners[i], patience);
      lists[i] = owner ? owner->ask("GET", target) : Result<std::string>(owner.error());
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

Result<void> note_shares(const Site& site) {
  static std::mutex one_at_a_time;
  std::lock_guard hold(one_at_a_time);
  std::set<std::string> names;
  for (const auto& space : spaces_of(site).spaces())
    for (const auto& member : space.members) names.insert(member.name);
  for (const auto& project : projects_of(site).projects())
    for (const auto& member : project.members) names.insert(member.name);
  std::string text;
  for (const auto& name : names) text += name + "\n";
  auto path = site.results_root + "/" + rest::kSharesFile;
  auto before = read_file(path, kLongestShares);
  if (before ? *before == text : text.empty()) return {};
  return replace_file(path, text, 0600);
}

Result<rest::Space> share_space(Site& site, const std::string& name, const std::string& body) {
  auto spaces = spaces_of(site);
  WM_TRY(spaces.space(name));
  WM_TRY(auto named, named_in(site, body));
  WM_TRY(auto space, spaces.share(name, std::move(named.members)));
  WM_TRY(note_shares(site));
  tell(site, named.users);
  return space;
}

Result<rest::Project> share_project(Site& site, const std::string& name, const std::string& body) {
  auto projects = projects_of(site);
  WM_TRY(projects.project(name));
  WM_TRY(auto named, named_in(site, body));
  WM_TRY(auto project, projects.share_project(name, [&](rest::Project& it) {
    it.members = std::move(named.members);
  }));
  WM_TRY(let_members_read(site, project));
  WM_TRY(note_shares(site));
  tell(site, named.users);
  return project;
}

}  // namespace wm::user
