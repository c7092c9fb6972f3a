// Role: a kernel's connection with one of its routers: one thread that connects, again when it is
// lost, and queues what comes; the threads that made answers send them.
//
//   router ──► thread ──► inbox ──► next() of any thread ──► say() ──► router
//
// Invariants: the connection is used under its lock alone; an answer of an earlier connection is
// dropped, since the router has given its tasks to others.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "libwm/client/connection.h"
#include "libwm/kernel/inbox.h"

namespace wm::kernel {

/// What a kernel is called, where its service is, how long it waits for a router.
struct Place {
  std::string folder, instance;
  Duration patience{};
};

/// @thread any   @owns its thread
class RouterLink {
 public:
  /// @owns borrows the inbox   @errors System: no descriptor
  static Result<std::unique_ptr<RouterLink>> make(const Place& place, const std::string& router,
                                                  Inbox& inbox);
  ~RouterLink();

  /// Connects now. @errors Timeout: no router; NotFound: no service in that folder
  Result<void> connect();
  /// Works from now on, connected or not.
  void start();
  /// Sends answers; they are dropped where their connection is gone. @errors none: the router gives
  /// its tasks to others
  void say(std::uint64_t connection, const serve::Answers& answers);
  /// Async-signal-safe.
  void leave();
  std::uint32_t workers() const { return workers_; }

 private:
  RouterLink(Place place, std::string router, Inbox& inbox, int wake);
  Result<void> connect_patiently();
  void run();
  bool read_all();
  [[noreturn]] static void end(const std::string& why);
  void take(wire::Frame frame);
  void wait_for_bytes();
  void tell_leaving();
  void drop_connection();
  bool router_has_moved();

  const Place place_;
  const std::string router_;  // its file
  Inbox& inbox_;
  const int wake_;
  std::atomic<bool> leave_ = false, closing_ = false;
  std::atomic<std::uint32_t> workers_ = 1;

  std::mutex io_;  // guards these two
  std::optional<client::Connection> connection_;
  std::uint64_t number_ = 0;  // of the connection; 0: never one

  bool told_leaving_ = false, left_ = false;  // of the thread alone
  std::string router_place_;                  // as it stood there when it was connected
  TimePoint looked_{};                        // there
  std::thread thread_;
};

}  // namespace wm::kernel
