// Role: one NCCL communicator and its end: aborted, revoked to be shrunk, or left in peace; each
// from any thread, in a thread of its own, once. Shared by the group that uses it and the backend
// that may shrink it.
//
//   Alive ──finalize()──────────► Gone
//     └───abort()──► Ending ──► Quiet (revoked: can be shrunk) ──spend()──► Gone
//                         └───► Gone  (the library cannot revoke, or it failed)
//
// Invariant: every call of the library on it is made under its lock, none after Gone.
#pragma once

#include <nccl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "libwm/trainer/groups/nccl_rule.h"

namespace wm::groups {

/// See the head of this file. @thread any
class Comm : public std::enable_shared_from_this<Comm> {
 public:
  /// @owns comm
  Comm(ncclComm_t comm, int device, Bringing as) : as(as), comm_(comm), device_(device) {}
  ~Comm();
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;

  /// Begins the end of a broken one. Returns at once.
  void abort();
  bool dead() const { return dead_; }
  /// Asks for something and waits until the library has taken it. @errors false: broken or dead
  bool ask(const std::function<ncclResult_t(ncclComm_t)>& call);
  /// Where it stands; `done`: see answer_of.
  Answer look(bool done);
  /// Ends it when all that was asked for is through, at most `limit` later, else as abort().
  void finalize(std::chrono::milliseconds limit);
  /// The broken one, to be shrunk by `shrink`, once; waits up to `limit` for it to become quiet.
  /// Its end follows. @errors false: gone, or the call failed
  bool spend(std::chrono::milliseconds limit, const std::function<bool(ncclComm_t)>& shrink);
  /// Whether it became quiet within `limit`, or is alive: false.
  bool quiet(std::chrono::milliseconds limit);

  const Bringing as;  ///< what a member says of it when it brings it

 private:
  enum class Stage { Alive, Ending, Quiet, Gone };
  void end();
  bool revoke();
  void destroy(bool abort);

  std::mutex lock_;  // of the calls
  ncclComm_t comm_;
  const int device_;
  std::atomic<bool> dead_{false};
  std::mutex stage_lock_;
  std::condition_variable staged_;
  Stage stage_ = Stage::Alive;
};

/// Functions that the library at run time may be too old for, whatever it was compiled with: both
/// or none. @source NCCL's user guide, "Communicator Creation and Management Functions": 2.27, 2.29
struct Newer {
  ncclResult_t (*revoke)(ncclComm_t, int flags) = nullptr;
  ncclResult_t (*shrink)(ncclComm_t, int* excluded, int count, ncclComm_t* made, ncclConfig_t*,
                         int flags) = nullptr;
};
/// Looked up once. @thread any
const Newer& newer();

}  // namespace wm::groups
