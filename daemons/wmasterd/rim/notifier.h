// Role: sends notices (acct/notices.h) on threads of its own, so that no slow mail program, URL or
// command holds up the master, or the notices of another owner: one's own go out one after the
// other, several owners' at a time.
//
// At least once: a notice is made of a durable event, and the mark, a file that says up to which
// event all is sent, is written after it was tried. A start tells again what lies behind the mark.
// What a receiver refuses or does not take in time is logged and given up; what comes while a
// thousand of its owner's wait is dropped, and logged. Receivers know a repeat by its id.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "daemons/wmasterd/acct/notices.h"
#include "libwm/base/result.h"

namespace wm::master {

/// One way of a notice, blocking: mail, a URL, the site's command.
using Send = std::function<Result<void>()>;
/// The ways of a notice by programs: sendmail, curl and a shell, ten seconds each. @owns borrows it
std::vector<Send> ways_of(const Notice& notice);

/// @thread begin, take: the loop's
class Notifier {
 public:
  /// `mark`: path of the file; `ways`: how a notice is sent, tests have others than ways_of.
  Notifier(std::string mark, std::function<std::vector<Send>(const Notice&)> ways = ways_of);
  /// Ends after what is being sent now; a notice that is cut off is told again at the next start.
  ~Notifier();

  /// A start: what of these events lies behind the mark is told. Without a mark nothing of them is.
  void begin(const std::vector<Event>& events, const Cluster& state);
  /// Events that have become durable. Never waits. @cost as notices_of
  void take(const std::vector<Event>& events, const Cluster& after);
  /// Until all that was taken is sent, for tests.
  void wait_until_idle();

 private:
  void add(std::vector<Notice> notices);
  void run();
  bool next(Notice& notice);
  void send(const Notice& notice);
  void finished(const Notice& notice);
  std::uint64_t sent_up_to() const;
  void keep_mark(std::uint64_t seq);

  const std::string mark_;
  const std::function<std::vector<Send>(const Notice&)> ways_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::map<std::string, std::deque<Notice>> waiting_;  // by owner
  std::string turn_;                                   // the owner served last
  std::set<std::string> busy_, dropped_;               // owners
  std::multiset<std::uint64_t> open_;                  // events of which something is not sent
  std::uint64_t taken_ = 0;                            // the last event with a notice

  std::atomic<bool> ending_{false};
  std::mutex mark_mutex_;
  std::uint64_t kept_ = 0;  // as the file says. Guarded by mark_mutex_, as the file is.
  std::vector<std::thread> threads_;
};

}  // namespace wm::master
