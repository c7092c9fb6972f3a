// Role: the worker's end of link 2 (libwm/elastic/PROTOCOL.md): one thread that connects to
// the agent's socket, for ever again when it breaks, says what the worker says, reports
// progress once a second and queues what the agent wants.
//
//   any thread ──say()──► outbox ──► thread ──► socket          socket ──► thread ──► wait()
//
// Invariants: only the thread touches the socket; the lock is held for copies only; the
// queue of events is bounded by the agent's one-plan-at-a-time rule (L-7).
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "libwm/base/result.h"
#include "libwm/frames/cutter.h"
#include "libwm/trainer/standing.h"

namespace wm::trainer {

/// The link of one worker. Neither copied nor moved.
/// @thread say, wait, set_*: any; wait one at a time   @owns its thread and socket
class Link {
 public:
  /// `path` empty: no agent; words are dropped and nothing is heard.
  /// @errors Limit: path longer than a unix address; System: no descriptors or threads left
  static Result<std::unique_ptr<Link>> open(std::string path, WorkerHello hello);

  /// Tries for at most 1 s to say what is unsaid, then ends.
  ~Link();

  /// Queues words for the agent; they are repeated after a reconnect where they still hold.
  void say(FromWorker words);

  /// The next thing the agent wants; nothing when `limit` has passed or after stop().
  /// @units limit: negative = without limit
  std::optional<ToWorker> wait(Duration limit);

  /// What the agent has given its workers to know each other by; nothing when `limit` has passed
  /// or after stop(). @units limit: negative = without limit   @shape [32] bytes
  std::optional<std::string> key(Duration limit);

  /// Ends every wait(), now and later.
  void stop();
  /// stop() was called.
  bool stopped() const { return stopped_; }

  /// What the once-a-second report says.
  void set_progress(WorkerProgress progress);
  /// Whether the worker is inside a collective right now. @cost one store
  void set_in_collective(bool inside) { in_collective_ = inside; }

 private:
  Link(std::string path, WorkerHello hello, int wake);
  void run();
  void connect();
  void disconnect();
  void exchange(Duration limit);
  void read_frames();
  bool take_frame();
  void hear(const ToWorker& words);
  void keep(std::string key);
  void fill_output();
  void write_output();
  void report_progress(TimePoint now);
  void wake();

  const std::string path_;
  const int wake_;  // eventfd
  std::atomic<bool> in_collective_ = false;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> closing_ = false;

  std::mutex lock_;  // guards the members of this group
  std::condition_variable heard_;
  Standing standing_;
  std::deque<FromWorker> outbox_;
  std::deque<ToWorker> events_;
  std::string key_;  // empty: not given yet
  WorkerProgress progress_;

  int socket_ = -1;                // this group belongs to the thread
  frames::Cutter input_{1 << 20};  // F-1
  std::string output_;
  TimePoint next_report_{};
  std::uint64_t reported_ = 0;  // step of the newest report; under the lock
  std::thread thread_;
};

}  // namespace wm::trainer
