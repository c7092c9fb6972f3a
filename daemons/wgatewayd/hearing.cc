#include "daemons/wgatewayd/hearing.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "libwm/base/log.h"
#include "libwm/client/master.h"
#include "libwm/http/client.h"

namespace wm::gateway {
namespace {

constexpr Duration kHearPatience = std::chrono::seconds(4), kPause = std::chrono::seconds(1);
constexpr std::size_t kMostUntold = 10000;

}  // namespace

struct Hearing::Parts {
  struct LoggedOff {
    rest::Claims claims;
    std::string token;
  };

  Parts(const ClusterConf& c, Doorman& d, Revoked& r) : conf(c), doorman(d), revoked(r) {}

  // True: it is known there, or will never be.
  bool tell(const LoggedOff& one) {
    auto socket = doorman.agent_of(one.claims, one.token);
    if (!socket) return socket.error().code == Code::Denied;
    auto line = http::Client::connect(*socket);
    if (!line) return false;
    auto answer = line->send("POST", "/auth/v1/logoff", "", {{"X-WM-Token", one.token}});
    return answer && answer->status < 500;
  }

  void tell_untold() {
    std::unique_lock lock(mutex);
    auto some = untold;
    lock.unlock();
    for (const auto& [id, one] : some) {
      if (!tell(one)) return;
      lock.lock();
      untold.erase(id);
      lock.unlock();
    }
  }

  // False: the master does not answer.
  bool hear() {
    if (!master) {
      if (auto made = client::Master::of(conf, kPause)) master.emplace(*std::move(made));
      if (!master) return false;
    }
    auto reply = master->ask(RevokedRequest{known, at_once, kHearPatience});
    at_once = !reply;
    if (!reply) return false;
    known = reply->revoked.changed;
    if (auto kept = revoked.heard(reply->revoked); !kept)
      log::warn("revoked_not_kept", {{"why", kept.error().text}});
    return true;
  }

  void run() {
    bool away = false;
    for (;;) {
      tell_untold();
      bool heard = hear();
      if (!heard && !away) log::warn("master_away", {{"what", "revoked tokens are not heard of"}});
      if (heard && away) log::info("master_back", {});
      away = !heard;
      std::unique_lock lock(mutex);
      if (away) news.wait_for(lock, kPause, [this] { return over; });
      if (over) return;
    }
  }

  ClusterConf conf;
  Doorman& doorman;
  Revoked& revoked;
  std::optional<client::Master> master;  // these three are the thread's own
  Seq known;
  bool at_once = true;
  std::mutex mutex;
  std::condition_variable news;
  std::map<std::string, LoggedOff> untold;
  bool over = false;
  std::thread thread;
};

Hearing::Hearing(const ClusterConf& conf, Doorman& doorman, Revoked& revoked)
    : parts_(std::make_unique<Parts>(conf, doorman, revoked)) {
  parts_->thread = std::thread([parts = parts_.get()] { parts->run(); });
}

Hearing::~Hearing() {
  {
    std::lock_guard lock(parts_->mutex);
    parts_->over = true;
  }
  parts_->news.notify_all();
  parts_->thread.join();
}

void Hearing::log_off(const rest::Claims& claims, const std::string& token) {
  if (parts_->tell({claims, token})) return;
  log::warn("log_off_untold", {{"user", claims.user}});
  std::lock_guard lock(parts_->mutex);
  if (parts_->untold.size() < kMostUntold) parts_->untold[claims.id] = {claims, token};
}

}  // namespace wm::gateway
