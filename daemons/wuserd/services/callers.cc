#include "daemons/wuserd/services/callers.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/site/json_body.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"
#include "libwm/http/client.h"
#include "libwm/serve/callers.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;

constexpr Duration kCallersBriefly = 500ms;  // of what nobody waits for
constexpr Duration kOfCallersQuestion = 1s;  // who has it; twice at most
constexpr Duration kOwnerKnown = 5s;
constexpr std::size_t kLongestCallersAnswer = 4 << 20;
constexpr std::size_t kLongestAsked = 32 << 20;
constexpr std::size_t kMostServiceOwners = 500;

std::string service_owners_path(const Site& site) {
  return site.results_root + "/services/.owners";
}

std::vector<std::string> told_owners(const Site& site) {
  std::vector<std::string> users;
  auto text = read_file(service_owners_path(site), Bytes{1 << 20});
  std::istringstream in(text ? *text : "");
  for (std::string user; std::getline(in, user);)
    if (!user.empty()) users.push_back(user);
  return users;
}

// As far as the master shows others' jobs; `name` empty: of any service.
std::set<std::string> seen_owners(Site& site, const std::string& name) {
  std::set<std::string> users;
  auto master = site.masters.take();
  JobsRequest request;
  request.jobs.user = "all";
  request.jobs.name = name;
  auto reply = master ? (*master)->ask(request) : Result<JobsReply>(master.error());
  if (!reply) return users;
  for (const auto& view : reply->jobs) {
    const auto& spec = view.job->spec();
    bool meant = name.empty() ? !spec.exec.service.empty() : spec.exec.service == name;
    if (meant && !is_own(view)) users.insert(spec.owner.user);
  }
  return users;
}

std::vector<std::string> owners_to_ask(Site& site, const std::string& name) {
  auto users = seen_owners(site, name);
  for (auto& user : told_owners(site)) users.insert(std::move(user));
  users.erase(site.user);
  std::vector<std::string> list(users.begin(), users.end());
  if (list.size() > kMostServiceOwners) list.resize(kMostServiceOwners);
  return list;
}

Result<http::Client> client_of(const Site& site, const std::string& user,
                               const http::ClientBounds& bounds) {
  WM_TRY(auto path, guests_socket(site, user));
  auto client = http::Client::connect(path, bounds);
  if (client) return client;
  return fail(Code::Unavailable, user + " is not logged on: their services are closed meanwhile");
}

http::Fields passed_along(const http::Head& head) {
  http::Fields fields;
  for (const char* name : {"x-wm-host", "x-wm-group"})
    if (auto value = head.field(name); !value.empty()) fields.emplace_back(name, value);
  return fields;
}

// What all of these say to one question; asked at once, so that those who are stopped cost one
// wait.
std::vector<Result<http::Reply>> ask_all(const Site& site, const std::vector<std::string>& users,
                                         const std::string& target, const http::Fields& fields) {
  constexpr std::size_t kAskedAtOnce = 32;
  std::vector<Result<http::Reply>> said(users.size(), fail(Code::Timeout, "no time to ask"));
  auto until = steady_now() + kOfCallersQuestion;
  std::atomic<std::size_t> next{0};
  auto ask_on = [&] {
    for (auto i = next++; i < users.size() && steady_now() < until; i = next++) {
      auto client = client_of(site, users[i], {kOfCallersQuestion, kLongestCallersAnswer});
      said[i] =
          client ? client->send("GET", target, "", fields) : Result<http::Reply>(client.error());
    }
  };
  std::vector<std::jthread> askers;
  for (std::size_t n = 0; n < std::min(users.size(), kAskedAtOnce); ++n)
    askers.emplace_back(ask_on);
  askers.clear();  // each has its answer, or none
  return said;
}

/// The owners of services that were asked for lately. @thread any
class Owners {
 public:
  std::optional<std::string> of(const std::string& name) {
    std::lock_guard hold(mutex_);
    auto known = known_.find(name);
    if (known != known_.end() && steady_now() - known->second.at < kOwnerKnown)
      return known->second.user;
    if (known != known_.end()) known_.erase(known);
    return std::nullopt;
  }
  void keep(const std::string& name, const std::string& user) {
    std::lock_guard hold(mutex_);
    known_[name] = {user, steady_now()};
  }
  void forget(const std::string& name) {
    std::lock_guard hold(mutex_);
    known_.erase(name);
  }

 private:
  struct Known {
    std::string user;
    std::chrono::steady_clock::time_point at;
  };
  std::mutex mutex_;
  std::map<std::string, Known> known_;
};

Owners& owners() {
  static Owners the_owners;
  return the_owners;
}

std::string title_of(const http::Reply& reply) {
  return text_or_none(json_or_null(reply.body), "title");
}

Result<std::string> owner_of(Site& site, const std::string& name) {
  if (auto known = owners().of(name)) return *known;
  auto users = owners_to_ask(site, name);
  auto said = ask_all(site, users, "/services/" + name, {});
  auto none = fail(Code::NotFound, "model " + name + " does not exist");
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (said[i] && said[i]->status == 200) {
      owners().keep(name, users[i]);
      return users[i];
    }
    if (said[i] && said[i]->status == 403) none = fail(Code::Denied, title_of(*said[i]));
  }
  return none;
}

// Rows of guests say problems as JSON; to clients of dlim they are a line, as own ones are.
Result<Answer> told_by(http::Reply reply, const std::string& owner) {
  bool problem = reply.status >= 400 && json_or_null(reply.body).is_object();
  auto title = problem ? title_of(reply) : std::string();
  if (!title.empty()) {
    if (reply.status == 403) return fail(Code::Denied, title);
    if (reply.status == 404) return fail(Code::NotFound, title);
    if (reply.status == 413) return fail(Code::Limit, title);
    if (reply.status == 503) return fail(Code::Unavailable, title);
  }
  http::Reply answer{reply.status, {}, std::move(reply.body)};
  for (auto& [name, value] : reply.fields)
    if (name == "content-type" || name == "retry-after" || name == "x-wm-service")
      answer.fields.emplace_back(name, std::move(value));
  answer.fields.emplace_back("X-WM-Owner", owner);
  return Answer(std::move(answer));
}

}  // namespace

Result<void> check_caller(Site& site, const std::string& name, const Guest& guest) {
  WM_TRY(auto service, find_service(site, name));
  WM_TRY(auto profile, profile_of(site, service));
  if (serve::may_call(profile.callers, guest.user, guest.groups)) return {};
  return fail(Code::Denied, "user " + guest.user + " may not call service " + name + " of " +
                                site.user + ": the callers of its profile do not name them");
}

std::vector<DlimService> services_for(Site& site, const Guest& guest) {
  auto services = all_services(site);
  std::erase_if(services, [&](const auto& s) { return !check_caller(site, s.name, guest); });
  return services;
}

Result<Answer> at_owner(Call& call, const std::string& what) {
  const auto& head = call.exchange.head();
  const auto& name = call.args[0];
  WM_TRY(auto owner, owner_of(call.site, name));
  WM_TRY(auto client, client_of(call.site, owner, {}));
  WM_TRY(auto body, Body::take(call.exchange, kLongestAsked, call.site.results_root));
  client.wait_only_for(call.exchange.descriptor());
  auto target = "/services/" + name + what;
  auto fields = passed_along(head);
  auto reply = body.path().empty() ? client.send(head.method, target, body.text(), fields)
                                   : client.send_file(head.method, target, body.path(), fields);
  if (!reply) owners().forget(name);
  if (!reply) return reply.error().within("service " + name + " of " + owner);
  return told_by(std::move(*reply), owner);
}

std::vector<std::string> models_of_others(Call& call) {
  auto users = owners_to_ask(call.site, "");
  auto said = ask_all(call.site, users, "/services", passed_along(call.exchange.head()));
  std::vector<std::string> models;
  for (std::size_t i = 0; i < users.size(); ++i) {
    auto list = said[i] && said[i]->status == 200 ? json_or_null(said[i]->body) : Json();
    if (!list.is_array()) continue;
    for (auto& model : list) {
      if (!model.is_object()) continue;
      model["creator"] = users[i];  // as the kernel knows them, whatever they say
      models.push_back(to_text(model));
    }
  }
  return models;
}

Result<void> check_callers_exist(const std::vector<std::string>& callers) {
  for (const auto& caller : callers) {
    if (caller == "*") continue;
    auto found = accounts_of(caller);
    if (!found) return fail(Code::BadArgument, "profile: callers: " + found.error().text);
  }
  return {};
}

void tell_callers(const Site& site, const std::vector<std::string>& callers) {
  std::set<std::string> users;
  for (const auto& caller : callers)
    if (auto accounts = accounts_of(caller)) users.insert(accounts->begin(), accounts->end());
  users.erase(site.user);
  std::vector<std::string> paths;
  for (const auto& user : users)
    if (auto path = guests_socket(site, user)) paths.push_back(*path);
  std::thread([paths] {
    for (const auto& path : paths)
      if (auto client = http::Client::connect(path, {kCallersBriefly, kLongestCallersAnswer}))
        (void)client->send("POST", "/told/service", "");
  }).detach();
}

void know_service_owner(const Site& site, const std::string& user) {
  static std::mutex one_at_a_time;
  std::lock_guard hold(one_at_a_time);
  auto users = told_owners(site);
  bool known = std::ranges::find(users, user) != users.end();
  if (known || user == site.user || users.size() >= kMostServiceOwners) return;
  users.push_back(user);
  std::string text;
  for (const auto& one : users) text += one + "\n";
  std::error_code ec;
  std::filesystem::create_directories(site.results_root + "/services", ec);
  (void)replace_file(service_owners_path(site), text, 0600);
}

}  // namespace wm::user
