// Role: the event streams of pages: one Watch of the master, however many pages listen.
//
//   master ─Watch─► watch(): who changed? ─Jobs─► messages, numbered ─► follow() of each page
//
// A page that comes again says how far it was ("Last-Event-ID: RUN-NUMBER") and gets what it
// missed; who was away too long gets "reset" and lists anew. The Watch ends a while after nobody
// listens.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "daemons/wuserd/master/masters.h"
#include "libwm/http/server.h"

namespace wm::user {

/// @thread any
class Hub {
 public:
  explicit Hub(Masters& masters) : masters_(masters) {}

  /// Sends an event stream until its reader is gone: "job" with a row, "tick" with the time every
  /// two seconds, "stale" while the master is away, "reset" where something was missed.
  void follow(http::Exchange& exchange);

 private:
  struct Message {
    std::uint64_t number = 0;
    std::string text;
  };
  void watch_safely();
  void watch();
  bool is_idle();
  std::uint64_t begin_of(std::string_view last_event, std::string& first);
  bool watch_once(Seq& after);
  bool tell_changes(client::Master& master, const WatchReply& reply);
  bool tell_running(client::Master& master);
  void tell_job(const JobView& view);
  void publish(std::string_view event, std::string_view data);
  std::string news_since(std::uint64_t& seen);

  Masters& masters_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Message> recent_;
  std::uint64_t last_ = 0;
  std::uint64_t run_ = 0;                       // of the Watch; numbers of another say nothing
  std::chrono::steady_clock::time_point left_;  // when the last follower went
  std::size_t followers_ = 0;
  bool watching_ = false;
  std::map<JobId, std::string> told_;  // of watch() alone
};

}  // namespace wm::user
