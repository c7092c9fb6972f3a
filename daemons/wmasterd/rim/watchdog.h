// Role: sees that the loop goes on. When it has not said so for a while, its thread is interrupted
// to note where it is, and that is told by a thread of its own: a log line says which call blocks.
//
//   loop: beat, beat, …      watchdog: no beat for `limit` ─► signal to the loop's thread
//                                      log line ◄── return addresses ── its handler
//
// One process has one. Called by main.cc.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "libwm/base/units.h"

namespace wm::master {

/// @thread made, told and ended on the watched one   @owns its thread, the handler of SIGUSR2
class Watchdog {
 public:
  /// What is told of a stall, once each: how long it lasts already, and where the thread is,
  /// innermost call first: "program(function+offset)". No place: the whole process stood still,
  /// and goes on by now. @thread the watchdog's
  using Say = std::function<void(Duration stalled, const std::vector<std::string>& stack)>;

  /// Watches the calling thread. @units limit: at least a few times the distance of two beats
  Watchdog(Duration limit, Say say);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// The thread goes on. @cost one store
  void beat();

 private:
  void watch();
  void look(Duration since_last_look);

  const Duration limit_;
  const Say say_;
  const pthread_t watched_;
  std::atomic<std::int64_t> beat_;  // of the steady clock
  std::int64_t told_ = -1;          // the beat after which a stall was told; of thread_ alone
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;  // Guarded by mutex_.
  std::thread thread_;
};

/// Writes stalls to the log: `loop_stalled` with the calls, `process_stalled`. @thread any
void log_stall(Duration stalled, const std::vector<std::string>& stack);

}  // namespace wm::master
