// Requests to a service go on to its router's socket; connections are kept for the next one.
#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "daemons/wuserd/dlim.h"
#include "libwm/http/client.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;
constexpr auto kBetweenTries = 50ms;
constexpr std::size_t kKept = 64;  // idle connections of a service

/// Connections to routers that nobody uses at the moment.
class Idle {
 public:
  std::optional<http::Client> take(const std::string& path) {
    std::lock_guard hold(mutex_);
    auto& kept = kept_[path];
    while (!kept.empty()) {
      auto client = std::move(kept.back());
      kept.pop_back();
      if (client.is_usable()) return client;
    }
    return std::nullopt;
  }
  void give_back(const std::string& path, http::Client client) {
    std::lock_guard hold(mutex_);
    auto& kept = kept_[path];
    if (kept.size() < kKept) kept.push_back(std::move(client));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<http::Client>> kept_;
};

Idle& idle() {
  static Idle the_idle;
  return the_idle;
}

Result<http::Client> connect(const std::string& path) {
  if (auto kept = idle().take(path)) return std::move(*kept);
  return http::Client::connect(path);
}

http::Reply unavailable(const std::string& name) {
  return {503,
          {{"Content-Type", "text/plain; charset=utf-8"}, {"Retry-After", "1"}},
          "Inference service for model " + name + " is currently unavailable."};
}

// A router that starts is waited for as long as a kernel would be.
Result<http::Client> connect_patiently(Site& site, const std::string& name,
                                       const std::string& path) {
  auto client = connect(path);
  if (client) return client;
  WM_TRY(auto service, find_service(site, name));
  WM_TRY(auto profile, profile_of(site, service));
  auto until = std::chrono::steady_clock::now() + profile.connection_timeout;
  for (int tries = 0; !client && std::chrono::steady_clock::now() < until; ++tries) {
    if (tries % 20 == 0) {
      WM_TRY(auto job, service_job(site, service));
      if (!job) return client;
    }
    std::this_thread::sleep_for(kBetweenTries);
    client = connect(path);
  }
  return client;
}

// Fields of an answer that are the connection's own.
http::Reply passed_on(http::Reply reply) {
  http::Reply answer{reply.status, {}, std::move(reply.body)};
  for (auto& [name, value] : reply.fields)
    if (name == "content-type" || name == "retry-after") answer.fields.emplace_back(name, value);
  return answer;
}

// Itself, or its canary where that is to have this request.
std::string chosen(const Site& site, const std::string& name) {
  auto canary = canary_of(site, name);
  if (!canary) return name;
  thread_local std::minstd_rand random(std::random_device{}());
  return random() % 100 < canary->percent ? canary->service : name;
}

std::optional<std::string> router_says(const DlimService& service, const std::string& target) {
  auto client = http::Client::connect(service.folder + "/router.sock");
  if (!client) return std::nullopt;
  auto reply = client->send("GET", target, "");
  if (!reply || reply->status != 200) return std::nullopt;
  return std::move(reply->body);
}

}  // namespace

Result<bool> router_rereads(const DlimService& service) {
  auto client = http::Client::connect(service.folder + "/router.sock");
  if (!client) return false;
  auto reply = client->send("POST", "/profile", "");
  if (!reply) return false;
  if (reply->status == 200) return true;
  return fail(Code::Unavailable, "the router does not take the profile: " + reply->body);
}

Result<http::Reply> infer(Site& site, const std::string& asked, std::string body) {
  if (!serve::is_service_name(asked))
    return fail(Code::NotFound, "model " + asked + " does not exist");
  auto name = chosen(site, asked);
  auto path = site.results_root + "/services/" + name + "/router.sock";
  auto client = connect_patiently(site, name, path);
  if (!client && client.error().code == Code::NotFound) return client.error();
  if (!client) return unavailable(name);
  auto reply = client->send("POST", "/inference", std::move(body));
  if (!reply) return unavailable(name);
  idle().give_back(path, std::move(*client));
  auto answer = passed_on(std::move(*reply));
  answer.fields.emplace_back("X-WM-Service", name);
  return answer;
}

std::optional<std::string> router_state(const DlimService& service) {
  return router_says(service, "/state");
}

std::optional<std::string> router_series(const DlimService& service, std::int64_t seconds) {
  return router_says(service, "/series?seconds=" + std::to_string(seconds));
}

}  // namespace wm::user
