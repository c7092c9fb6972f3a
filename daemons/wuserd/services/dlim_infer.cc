// Requests to a service go on to a socket of its routers; connections are kept for the next one.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <tuple>

#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/site/json_body.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/http/client.h"
#include "libwm/serve/peers.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;
constexpr auto kBetweenTries = 50ms;
constexpr Duration kReplaced = 5s;
constexpr std::size_t kKeptIdle = 64;  // idle connections of a service

/// Which socket is at a path: a router that replaces another has one of its own there.
using Stamp = std::tuple<dev_t, ino_t, time_t, long>;

Stamp stamp_of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return {};
  return {facts.st_dev, facts.st_ino, facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec};
}

/// A connection, and where it goes.
struct RouterLink {
  std::string path;
  Stamp stamp;
  http::Client client;
};

/// Connections to routers that nobody uses at the moment. Those to a router that was replaced are
/// given to nobody: it may be on a host that is cut off, and says nothing.
class Idle {
 public:
  std::optional<http::Client> take(const std::string& path, const Stamp& stamp) {
    std::lock_guard hold(mutex_);
    auto found = kept_.find(path);
    if (found == kept_.end()) return std::nullopt;
    auto& kept = found->second.clients;
    while (found->second.stamp == stamp && !kept.empty()) {
      auto client = std::move(kept.back());
      kept.pop_back();
      if (client.is_usable()) return client;
    }
    kept_.erase(found);  // its service may be gone
    return std::nullopt;
  }
  void give_back(RouterLink link) {
    std::lock_guard hold(mutex_);
    auto& kept = kept_[link.path];
    if (kept.stamp != link.stamp) kept = {link.stamp, {}};
    if (kept.clients.size() < kKeptIdle) kept.clients.push_back(std::move(link.client));
  }

 private:
  struct Kept {
    Stamp stamp;
    std::vector<http::Client> clients;
  };
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;
};

Idle& idle() {
  static Idle the_idle;
  return the_idle;
}

Result<RouterLink> connect(const std::string& path) {
  auto stamp = stamp_of(path);
  if (auto kept = idle().take(path, stamp)) return RouterLink{path, stamp, std::move(*kept)};
  WM_TRY(auto client, http::Client::connect(path));
  return RouterLink{path, stamp, std::move(client)};
}

std::string socket_of(const std::string& folder, std::uint32_t rank) {
  return folder + "/" + serve::router_name(rank) + ".sock";
}

/// How many routers services have, as their profiles said lately. Of names that no service has
/// nothing is kept.
class Replicas {
 public:
  Result<std::uint32_t> of(Site& site, const std::string& name) {
    auto now = steady_now();
    std::lock_guard hold(mutex_);
    auto known = known_.find(name);
    if (known != known_.end() && now - known->second.at < kLook) return known->second.count;
    auto service = find_service(site, name);
    if (!service) {
      known_.erase(name);
      return service.error();
    }
    auto profile = profile_of(site, *service);
    known_[name] = {profile ? profile->replica : 1, now};
    return known_[name].count;
  }

 private:
  static constexpr auto kLook = 2s;
  struct Known {
    std::uint32_t count = 1;
    std::chrono::steady_clock::time_point at;
  };
  std::mutex mutex_;
  std::map<std::string, Known> known_;
};

Replicas& replicas() {
  static Replicas the_replicas;
  return the_replicas;
}

// Requests of no group are spread.
std::size_t turn_of(const std::string& group) {
  static std::atomic<std::uint32_t> turn{0};
  return group.empty() ? turn.fetch_add(1) : std::hash<std::string>{}(group);
}

// One that is not there, or on another host, is passed over for the next.
Result<RouterLink> any_router(const std::string& folder, std::uint32_t count, std::size_t first) {
  auto none = fail(Code::Unavailable, folder + ": no router");
  for (std::uint32_t n = 0; n < count; ++n) {
    auto link = connect(socket_of(folder, static_cast<std::uint32_t>((first + n) % count)));
    if (link) return link;
    none = link.error();
  }
  return none;
}

http::Reply unavailable(const std::string& name) {
  return {503,
          {{"Content-Type", "text/plain; charset=utf-8"}, {"Retry-After", "1"}},
          "Inference service for model <" + name + "> is currently unavailable."};
}

// A router that starts is waited for as long as a kernel would be, one that was lost as long as its
// replacement takes.
Result<RouterLink> connect_patiently(Site& site, const std::string& name, std::size_t turn) {
  auto folder = site.results_root + "/services/" + name;
  WM_TRY(auto count, replicas().of(site, name));
  auto link = any_router(folder, count, turn);
  if (link) return link;
  WM_TRY(auto service, find_service(site, name));
  WM_TRY(auto profile, profile_of(site, service));
  auto began = steady_now();
  auto patience = profile.connection_timeout;
  for (int tries = 0; !link && steady_now() - began < patience; ++tries) {
    if (tries % 20 == 0) {
      WM_TRY(auto job, service_job(site, service));
      if (!job) return link;
      bool runs = job->job->state != JobState::Pending && job->job->state != JobState::Launching;
      patience =
          runs ? std::min(profile.connection_timeout, kReplaced) : profile.connection_timeout;
    }
    std::this_thread::sleep_for(kBetweenTries);
    link = any_router(folder, count, turn);
  }
  return link;
}

// Fields of an answer that are the connection's own.
http::Reply passed_on(http::Reply reply) {
  http::Reply answer{reply.status, {}, std::move(reply.body)};
  for (auto& [name, value] : reply.fields)
    if (name == "content-type" || name == "retry-after") answer.fields.emplace_back(name, value);
  return answer;
}

// Itself, or its canary where that is to have this request.
std::string chosen(const Site& site, const std::string& name, const std::string& group) {
  auto canary = canary_of(site, name);
  if (!canary) return name;
  thread_local std::minstd_rand random(static_cast<std::uint32_t>(random_number()));
  auto lot = group.empty() ? random() : std::hash<std::string>{}(group);
  return lot % 100 < canary->percent ? canary->service : name;
}

/// What each of its routers says that answers now, by rank.
std::vector<Json> routers_say(const DlimService& service, const std::string& target) {
  std::vector<Json> said;
  for (std::uint32_t rank = 0; rank < serve::kMostRouters; ++rank) {
    auto client = http::Client::connect(socket_of(service.folder, rank));
    if (!client) continue;
    auto reply = client->send("GET", target, "");
    if (!reply || reply->status != 200) continue;
    auto json = json_or_null(reply->body);
    if (json.is_object()) said.push_back(std::move(json));
  }
  return said;
}

// A kernel is at all of them, and has done something for each.
void add_kernels(Json& sum, const Json& more) {
  for (const auto& kernel : more.value("kernels", Json::array())) {
    auto same = std::find_if(sum["kernels"].begin(), sum["kernels"].end(), [&](const Json& known) {
      return known.value("instance", "") == kernel.value("instance", "-");
    });
    if (same == sum["kernels"].end()) {
      sum["kernels"].push_back(kernel);
      continue;
    }
    for (const char* count : {"running", "finished", "failed"})
      (*same)[count] = same->value(count, 0) + kernel.value(count, 0);
  }
}

// One that has seen nothing yet has no share in what a request took.
Json merged_state(const std::vector<Json>& said) {
  Json sum = said.front();
  for (std::size_t n = 1; n < said.size(); ++n) {
    const auto& more = said[n];
    for (const char* count : {"arrived", "finished", "failed", "queued", "in_flight"})
      sum[count] = sum.value(count, std::uint64_t{0}) + more.value(count, std::uint64_t{0});
    for (const char* rate : {"requests_per_s", "bytes_per_s"})
      sum[rate] = sum.value(rate, 0.0) + more.value(rate, 0.0);
    for (const char* most : {"oldest_ms", "wanted"})
      sum[most] = std::max(sum.value(most, std::int64_t{0}), more.value(most, std::int64_t{0}));
    if (sum.value("task_us", 0) == 0) sum["task_us"] = more.value("task_us", 0);
    auto latency = more.value("latency_ms", Json::object());
    for (const char* stage : {"queue", "kernel", "total"}) {
      auto& shares = sum["latency_ms"][stage];
      auto others = latency.value(stage, Json::array());
      for (std::size_t i = 0; i < std::min(shares.size(), others.size()); ++i)
        shares[i] = std::max(shares[i].get<double>(), others[i].get<double>());
    }
    add_kernels(sum, more);
  }
  return sum;
}

// Samples end together; the last of one is added to the last of the other.
Json merged_series(const std::vector<Json>& said) {
  Json sum = said.front();
  auto& samples = sum["samples"];
  for (std::size_t n = 1; n < said.size(); ++n) {
    const auto more = said[n].value("samples", Json::array());
    for (std::size_t back = 1; back <= std::min(samples.size(), more.size()); ++back) {
      auto& into = samples[samples.size() - back];
      const auto& from = more[more.size() - back];
      for (const char* count : {"answered", "failed", "queued"})
        into[count] = into.value(count, 0) + from.value(count, 0);
      into["rate"] = into.value("rate", 0.0) + from.value("rate", 0.0);
      for (const char* most : {"oldest_ms", "kernels", "wanted"})
        into[most] = std::max(into.value(most, 0.0), from.value(most, 0.0));
      for (const char* stage : {"queue_ms", "kernel_ms", "total_ms"}) {
        if (!from.contains(stage)) continue;
        if (!into.contains(stage)) into[stage] = from[stage];
        for (std::size_t i = 0; i < into[stage].size(); ++i)
          into[stage][i] = std::max(into[stage][i].get<double>(), from[stage][i].get<double>());
      }
    }
  }
  return sum;
}

}  // namespace

Result<bool> router_rereads(const DlimService& service, std::uint32_t routers) {
  bool any = false;
  for (std::uint32_t rank = 0; rank < routers; ++rank) {
    auto client = http::Client::connect(socket_of(service.folder, rank));
    if (!client) continue;
    auto reply = client->send("POST", "/profile", "");
    if (!reply) continue;
    if (reply->status != 200)
      return fail(Code::Unavailable, "the router does not take the profile: " + reply->body);
    any = true;
  }
  return any;
}

void close_routers(const DlimService& service, bool closed) {
  for (std::uint32_t rank = 0; rank < serve::kMostRouters; ++rank)
    if (auto client = http::Client::connect(socket_of(service.folder, rank)))
      (void)client->send("POST", closed ? "/close" : "/open", "");
}

Result<void> check_service(Site& site, const std::string& name) {
  if (!serve::is_service_name(name))
    return fail(Code::NotFound, "model " + name + " does not exist");
  WM_TRY(replicas().of(site, name));
  return {};
}

Result<http::Reply> infer(Site& site, const std::string& asked, Body body, const std::string& group,
                          int asker) {
  WM_TRY(check_service(site, asked));
  auto name = chosen(site, asked, group);
  auto link = connect_patiently(site, name, turn_of(group));
  if (!link && link.error().code == Code::NotFound) return link.error();
  if (!link) return unavailable(name);
  http::Fields fields;
  if (!group.empty()) fields.emplace_back("X-WM-Group", group);
  link->client.wait_only_for(asker);
  auto path = body.path();
  auto reply = path.empty() ? link->client.send("POST", "/inference", body.text(), fields)
                            : link->client.send_file("POST", "/inference", path, fields);
  if (!reply) return unavailable(name);
  link->client.wait_only_for(-1);
  idle().give_back(std::move(*link));
  auto answer = passed_on(std::move(*reply));
  answer.fields.emplace_back("X-WM-Service", name);
  return answer;
}

std::optional<std::string> router_state(const DlimService& service) {
  auto said = routers_say(service, "/state");
  if (said.empty()) return std::nullopt;
  return to_text(merged_state(said));
}

std::optional<std::string> router_series(const DlimService& service, std::int64_t seconds) {
  auto said = routers_say(service, "/series?seconds=" + std::to_string(seconds));
  if (said.empty()) return std::nullopt;
  return to_text(merged_series(said));
}

}  // namespace wm::user
