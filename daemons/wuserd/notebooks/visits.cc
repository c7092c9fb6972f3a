// A browser's connection on its way to an application: through the job's agent, which lets its
// owner in, to the socket that the application named in web.json.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>

#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/notebooks/notebooks.h"
#include "libwm/base/backoff.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/client/tunnel.h"
#include "libwm/files/whole_file.h"
#include "libwm/login/app_pass.h"
#include "libwm/view/json.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kKnownFor = 5s;       // how long a place is believed without asking
constexpr auto kDoorPatience = 10s;  // for an agent that is started for us
constexpr Duration kFirstDoorPause = 20ms, kLongestDoorPause = 500ms;

/// Which is meant, and by whom.
struct Visitor {
  const std::string &job, &guest;
  std::string_view token;
};

/// Where an application can be reached.
struct Place {
  std::string results;
  client::LaunchDoor door;
  std::string application, base;
  bool strip = false;
  Clock::time_point found;
};

/// Those that were found a moment ago, by job.
class Places {
 public:
  std::optional<Place> known(const std::string& job) {
    std::lock_guard hold(mutex_);
    auto at = places_.find(job);
    if (at == places_.end() || steady_now() - at->second.found > kKnownFor) return std::nullopt;
    return at->second;
  }
  void learn(const std::string& job, const Place& place) {
    std::lock_guard hold(mutex_);
    std::erase_if(places_,
                  [&](const auto& one) { return place.found - one.second.found > kKnownFor; });
    places_[job] = place;
  }
  void forget(const std::string& job) {
    std::lock_guard hold(mutex_);
    places_.erase(job);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Place> places_;
};

Places& places() {
  static Places the_places;
  return the_places;
}

Result<std::string> door_of(Site& site, JobId id) {
  auto until = steady_now() + kDoorPatience;
  for (Backoff tries(kFirstDoorPause, kLongestDoorPause, random_number());; tries.sleep()) {
    WM_TRY(auto master, site.masters.take());
    WM_TRY(auto where, master->ask(AttachRequest{id, {}, {}}));
    if (!where.door.empty()) return where.door;
    if (steady_now() > until) return fail(Code::Unavailable, "its host does not answer");
  }
}

std::string named(const std::string& job) { return "job " + job; }

// Unavailable: it comes, if one waits.
Result<Place> find_place(Site& site, const Visitor& who) {
  const auto& job = who.job;
  WM_TRY(auto view, find_own_job(site, job));
  if (!who.guest.empty() && !is_shared_with(view.result_dir, who.guest))
    return fail(Code::NotFound, named(job) + " is not shared");
  if (is_over(view.job->state)) return fail(Code::Conflict, named(job) + " has ended");
  if (view.job->state == JobState::Pending || view.job->state == JobState::Held)
    return fail(Code::Unavailable, named(job) + " waits for its turn");
  auto report = web_report(view.result_dir);
  if (!report || report->address.empty())
    return fail(Code::Unavailable, named(job) + " is starting");
  bool renews = !report->token_file.empty() && who.guest.empty();
  if (renews) (void)renew_token(site, report->token_file, who.token);
  WM_TRY(auto door, door_of(site, view.id));
  return Place{view.result_dir, {door, site.conf.munge_socket, kDoorPatience},
               report->address, report->base,
               report->strip,   steady_now()};
}

Result<client::Tunnel> connect(Site& site, const Visitor& who, Place& place) {
  const auto& job = who.job;
  auto known = places().known(job);
  if (known && (who.guest.empty() || is_shared_with(known->results, who.guest))) {
    place = *known;
    auto tunnel = client::Tunnel::open(place.door, place.application);
    if (tunnel) return tunnel;
    places().forget(job);
  }
  WM_TRY(place, find_place(site, who));
  auto tunnel = client::Tunnel::open(place.door, place.application);
  if (!tunnel && tunnel.error().code == Code::Refused)
    return fail(Code::Unavailable, named(job) + " does not answer yet");
  if (tunnel) places().learn(job, place);
  return tunnel;
}

// Fields that are ours, or the connection's own.
bool is_passed_on(const std::string& name) {
  return !name.starts_with("x-wm-") && name != "authorization" && name != "x-auth-token" &&
         name != "connection" && name != "keep-alive" && name != "proxy-connection";
}

// "/12/tree" → "/tree".
std::string target_for(const std::string& target, const Place& place) {
  if (!place.strip || place.base.empty()) return target;
  auto bare = place.base.substr(0, place.base.size() - 1);
  if (!target.starts_with(bare)) return target;
  auto rest = target.substr(bare.size());
  return rest.starts_with('/') ? rest : "/" + rest;
}

http::Head head_for(const http::Head& head, const Place& place) {
  http::Head passed{head.method, target_for(head.target, place), {}};
  for (const auto& [name, value] : head.fields) {
    if (!is_passed_on(name)) continue;
    auto shown = name == "cookie" ? rest::without_own_cookies(value) : value;
    if (!shown.empty()) passed.fields.emplace_back(name, shown);
  }
  bool stays = !head.field("upgrade").empty();
  passed.fields.emplace_back("connection", stays ? "Upgrade" : "close");
  return passed;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  return out;
}

http::Reply page(int status, const std::string& text, bool again) {
  return {status,
          {{"Content-Type", "text/html; charset=utf-8"},
           {"Cache-Control", "no-store"},
           {"Content-Security-Policy", "default-src 'none'"}},
          std::string("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">") +
              (again ? "<meta http-equiv=\"refresh\" content=\"2\">" : "") +
              "<title>WM</title><h1>" + escaped(text) + "</h1>\n"};
}

http::Reply refusal(const Error& error) {
  if (error.code == Code::NotFound) return page(404, "There is nothing here", false);
  if (error.code == Code::Conflict) return page(410, error.text, false);
  auto reply = page(503, error.text, true);
  reply.fields.emplace_back("Retry-After", "2");
  return reply;
}

}  // namespace

void visit(Site& site, http::Exchange& exchange, const std::string& job, const std::string& guest) {
  const auto& head = exchange.head();
  Place place;
  auto tunnel = connect(site, {job, guest, head.field("x-wm-token")}, place);
  if (!tunnel) {
    (void)exchange.reply(refusal(tunnel.error()));
    return;
  }
  auto first = http::text_of(head_for(head, place));
  // A guest is let in by the share alone, and for as long as it lasts.
  OpenRequests::Entry entry(site.open, exchange.descriptor(), [results = place.results, guest] {
    return guest.empty() || is_shared_with(results, guest);
  });
  auto bare = exchange.take_over();
  auto carried = tunnel->carry(bare.fd, first + bare.early);
  if (!carried) log::info("visit_broken", {{"job", job}, {"why", carried.error().text}});
}

namespace {

// Of notebooks that never started, too: older ones have ended, whatever they are.
void remove_ended_tokens(const std::string& folder) {
  namespace fs = std::filesystem;
  constexpr auto kLife = 8h;
  std::error_code ec;
  auto ended = fs::file_time_type::clock::now() - kLife;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    std::error_code unseen;
    if (fs::last_write_time(at->path(), unseen) < ended && !unseen) fs::remove(at->path(), unseen);
  }
}

}  // namespace

Result<std::string> keep_token(const Site& site, std::string_view token) {
  remove_ended_tokens(site.results_root + "/tokens");
  auto path = site.results_root + "/tokens/" + random_hex(16);
  WM_TRY(renew_token(site, path, token));
  return path;
}

Result<void> renew_token(const Site& site, const std::string& path, std::string_view token) {
  namespace fs = std::filesystem;
  fs::path whole(path), folder(site.results_root + "/tokens");
  if (whole.lexically_normal() != whole || whole.parent_path() != folder)
    return fail(Code::Denied, path + ": no file for a token");
  std::error_code ec;
  fs::create_directories(folder, ec);
  return replace_file(path, token, 0600);
}

}  // namespace wm::user
