#include "daemons/wgatewayd/revocation_watch.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "daemons/wgatewayd/untold.h"
#include "libwm/base/clock.h"
#include "libwm/base/log.h"
#include "libwm/client/master.h"
#include "libwm/http/client.h"

namespace wm::gateway {
namespace {

constexpr Duration kHearPatience = std::chrono::seconds(4), kPause = std::chrono::seconds(1);
constexpr http::ClientBounds kTellBounds{std::chrono::seconds(2), 64 << 10};

}  // namespace

struct RevocationWatch::Parts {
  Parts(const ClusterConf& c, Doorman& d, Revoked& r) : conf(c), doorman(d), revoked(r) {}

  // True: it is known there, or will never be.
  bool tell(const LoggedOff& one) {
    auto socket = doorman.agent_of(one.claims, one.token);
    if (!socket) return socket.error().code == Code::Denied;
    auto line = http::Client::connect(*socket, kTellBounds);
    if (!line) return false;
    auto answer = line->send("POST", "/auth/v1/logoff", "", {{"X-WM-Token", one.token}});
    return answer && answer->status < 500;
  }

  void tell_all(const std::vector<LoggedOff>& due) {
    for (const auto& one : due) {
      bool told = tell(one);
      if (!told) log::warn("log_off_untold", {{"user", one.claims.user}});
      std::lock_guard lock(mutex);
      if (told) untold.told(one, steady_now());
      else untold.failed(one, steady_now());
      if (over) return;
    }
  }

  // Of its own, so that no user's wuserd delays what is heard.
  void run_telling() {
    std::unique_lock lock(mutex);
    while (!over) {
      auto due = untold.due(steady_now());
      if (due.empty()) {
        auto next = untold.next();
        if (next) news.wait_until(lock, *next);
        else news.wait(lock);
        continue;
      }
      lock.unlock();
      tell_all(due);
      lock.lock();
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

  void run_hearing() {
    bool away = false;
    for (;;) {
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
  std::optional<client::Master> master;  // these three are the hearing thread's own
  Seq known;
  bool at_once = true;
  std::mutex mutex;
  std::condition_variable news;
  Untold untold;  // Guarded by mutex.
  bool over = false;
  std::thread hearing, telling;
};

RevocationWatch::RevocationWatch(const ClusterConf& conf, Doorman& doorman, Revoked& revoked)
    : parts_(std::make_unique<Parts>(conf, doorman, revoked)) {
  parts_->hearing = std::thread([parts = parts_.get()] { parts->run_hearing(); });
  parts_->telling = std::thread([parts = parts_.get()] { parts->run_telling(); });
}

RevocationWatch::~RevocationWatch() {
  {
    std::lock_guard lock(parts_->mutex);
    parts_->over = true;
  }
  parts_->news.notify_all();
  parts_->hearing.join();
  parts_->telling.join();
}

void RevocationWatch::log_off(const rest::Claims& claims, const std::string& token) {
  std::lock_guard lock(parts_->mutex);
  if (!parts_->untold.add({claims, token}, steady_now()))
    log::error("log_off_lost", {{"user", claims.user}, {"why", "too many wait to be told"}});
  parts_->news.notify_all();
}

}  // namespace wm::gateway
