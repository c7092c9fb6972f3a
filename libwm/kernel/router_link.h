// Role: a kernel's connection with its router: one thread that connects, again when it is lost, and
// queues what comes; answers are sent by whoever has them.
//
//   router ──► thread ──► queue ──► next() of any thread ──► say() ──► router
//
// Invariants: the connection is used under its lock alone; an answer of an earlier connection is
// dropped, since the router has given its tasks to others.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "libwm/client/connection.h"
#include "libwm/serve/frames.h"

namespace wm::kernel {

/// A batch, and the connection that it came by.
struct Handed {
  std::uint64_t connection = 0;
  serve::Batch batch;
  TimePoint at;
};

/// @thread any   @owns its thread
class RouterLink {
 public:
  /// Connects, as wm_kernel_open. @errors Timeout: no router; NotFound: no service in that folder
  static Result<std::unique_ptr<RouterLink>> open(std::string folder, std::string instance,
                                                  Duration patience);
  ~RouterLink();

  /// The next batch; nothing: leave. @errors Unavailable: the router is away for good
  Result<std::optional<Handed>> next();
  /// Sends answers; they are dropped where their connection is gone. @errors none: the router gives
  /// its tasks to others
  void say(std::uint64_t connection, const serve::Answers& answers);
  /// Async-signal-safe.
  void leave();
  std::uint32_t workers() const { return workers_; }

 private:
  RouterLink(std::string folder, std::string instance, Duration patience, int wake);
  Result<void> connect();
  Result<void> connect_patiently();
  void run();
  bool read_all();
  [[noreturn]] static void end(const std::string& why);
  void take(wire::Frame frame);
  void wait_for_bytes();
  void tell_leaving();
  void drop_connection();

  const std::string folder_, instance_;
  const Duration patience_;
  const int wake_;
  std::atomic<bool> leave_ = false, closing_ = false;
  std::atomic<std::uint32_t> workers_ = 1;

  std::mutex io_;  // guards these two
  std::optional<client::Connection> connection_;
  std::uint64_t number_ = 0;  // of the connection; 0: never one

  std::mutex lock_;  // guards these
  std::condition_variable news_;
  std::deque<Handed> queue_;
  bool left_ = false, lost_ = false;

  bool told_leaving_ = false;  // of the thread alone
  std::thread thread_;
};

}  // namespace wm::kernel
