// Role: this worker's side of membership (link 2 of libwm/elastic/PROTOCOL.md). A thread hears
// the agent, builds planned groups in the background and aborts broken ones at once; the
// training thread takes finished groups over at step boundaries.
//
//   heard ─► plan ─► connecting (thread) ─► pending ──take()──► current ──► retired
//                         │ withdrawn, broken    │
//                         └──────────► dropped ◄─┘
//
// Invariants: one lock, held for assignments only; background threads hold what they need, so
// that one that is stuck inside a communicator is left behind; none speaks to the agent after
// the end of the Membership.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "libwm/trainer/groups/group.h"
#include "libwm/trainer/wmtrainer.h"

namespace wm::groups {

/// A planned epoch that stands ready here. `group` is null for a leaver.
struct Pending {
  Plan plan;
  std::shared_ptr<Group> group;
  bool withdrawn = false;
};

/// What a worker without a group has heard: at most one is set.
struct Heard {
  std::shared_ptr<Group> group;  ///< the next group: enter it
  std::uint32_t broken = 0;      ///< answer with wm_trainer_faulted
  bool left = false;             ///< end with status 0
};

/// @thread hears in its own thread; every public function: the training thread
/// @owns background threads; `link` and the backend must outlive it (the link until the
///   destructor, the backend is shared)
class Membership {
 public:
  /// Says Ready (W-1). A null `backend`: one group for ever, `world` or, null, one of one member.
  Membership(wm_trainer* link, std::uint32_t task, std::shared_ptr<Backend> backend,
             std::shared_ptr<Group> world = nullptr);
  /// Ends the threads. @cost waits for them, at most kLeaveLimit and 1 s
  ~Membership();
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  /// Planned epoch that this worker stands ready for, 0 if none. W-5
  std::uint32_t ready_epoch();
  /// The pending epoch that all agreed on becomes current; empty when it is gone.
  std::optional<Pending> take(std::uint32_t epoch);
  /// At a step boundary: a withdrawn epoch that nobody agreed on is closed. W-9
  void drop_withdrawn();
  /// Without a group: what happens within `limit`, if anything.
  Heard next(std::chrono::milliseconds limit);
  /// Told to end. W-10
  bool left();
  /// Told to stand still (W-10); waits up to `limit` for that to end.
  bool stands(std::chrono::milliseconds limit);
  /// The current group was found dead: it is closed, and all that waits behind it.
  void forget_current();
  /// Leaves a group that was replaced, in the background. W-6
  void retire(std::shared_ptr<Group> group);
  bool was_withdrawn(std::uint32_t epoch);
  bool checkpoint_wanted();
  void checkpoint_taken();

 private:
  struct Connecting;
  struct State;
  static void hear(State& state, const wm_event& event, const std::shared_ptr<State>& shared);
  static void on_plan(const std::shared_ptr<State>& state, const wm_event& event);
  static bool pass_key(State& state, int limit_ms);
  static void connect(State& state, Connecting& connecting);
  static void pend(State& state, Pending pending);
  static void on_broken(State& state, std::uint32_t epoch, std::optional<Pending>& dropped);
  static void on_withdrawn(State& state, std::uint32_t epoch);

  std::shared_ptr<State> state_;
  std::thread hearing_;
};

}  // namespace wm::groups
