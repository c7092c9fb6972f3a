// Role: what the C++ trainer asks of a communicator. A Group is the members of one epoch; a
// Backend makes groups of one kind: over gloo (gloo_group.h), NCCL (nccl/nccl_group.h). Rules W-n
// are those of libwm/elastic/PROTOCOL.md.
//
//   Backend::connect ─► Group: sum, send, receive … ─► leave (replaced, in peace) | abort (dead)
//
// Invariant: after abort() every call, also one that waits already, returns false.
// Depends on the standard library alone, so that users' programs can include it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace wm::groups {

/// An epoch of membership as this worker is told of it (wm_event, copied).
struct Plan {
  std::uint32_t epoch = 0;
  std::uint32_t lead = 0;
  std::uint32_t survivors = 0;  ///< how many members, from the front, may carry state
  int rank = 0;                 ///< this worker's; -1: it is left out
  int world = 1;
  std::string rendezvous;  ///< store of rank 0, "address:port"
  std::string reason;      ///< for people
};

/// The members of one epoch. Held by the training thread; others may only abort it.
/// @thread abort, dead, send: any; the rest: one at a time
class Group {
 public:
  explicit Group(Plan plan) : plan(std::move(plan)) {}
  virtual ~Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// Sums `values` over the members, in place; the same bits on all of them.
  /// @shape values: [n], same n everywhere; unchanged when false
  /// @errors false: the group is dead   @cost 2(p-1)/p · n doubles sent, two copies
  [[nodiscard]] virtual bool sum(std::span<double> values) = 0;
  /// Sends bytes to one member, which receives exactly as many. @errors false: dead
  [[nodiscard]] virtual bool send(std::span<const char> bytes, int rank) = 0;
  /// Fills `bytes` from one member. @errors false: dead
  [[nodiscard]] virtual bool receive(std::span<char> bytes, int rank) = 0;
  /// Ends every call of this group here, and wakes peers that wait for this member; one that
  /// is just sending may need an abort of its own (EpochBroken goes to every member). W-8
  virtual void abort() = 0;
  virtual bool dead() const = 0;
  /// Whether send may run beside sum. Where not, all members make the same calls in one order.
  virtual bool overlaps() const { return true; }
  /// Leaves a group that is not needed any more without disturbing slower members. W-6
  /// @cost waits for them, at most 2 s
  virtual void leave() = 0;

  const Plan plan;
  std::atomic<bool> joined{false};  ///< all agreed on it, or its first collective is past
};

/// A group of one member: nothing to do.
class Solo final : public Group {
 public:
  using Group::Group;
  bool sum(std::span<double>) override { return !dead_; }
  bool send(std::span<const char>, int) override { return false; }
  bool receive(std::span<char>, int) override { return false; }
  void abort() override { dead_ = true; }
  bool dead() const override { return dead_; }
  void leave() override {}

 private:
  std::atomic<bool> dead_{false};
};

/// Makes groups. @thread connect: any, several at a time
class Backend {
 public:
  virtual ~Backend() = default;

  /// Where members find this worker when it is rank 0, said once with wm_trainer_ready. W-1
  virtual std::string rendezvous() const = 0;
  /// The key of this job's workers, by which they know each other (proof.h); before the first
  /// connect(). @shape [32] bytes   @thread any
  virtual void use_key(const std::string& key) = 0;
  /// Connects to all members of `plan`. Null, with the reason in `why`, when one does not come
  /// or `cancelled` becomes true. W-4   @errors null   @cost at most kConnectLimit
  virtual std::shared_ptr<Group> connect(const Plan& plan, const std::atomic<bool>& cancelled,
                                         std::string& why) = 0;
};

/// Above the lead's connect_limit, which withdraws first.
inline constexpr std::chrono::seconds kConnectLimit{8};
/// A peer that has not ended its side by then hangs: that is the lead's affair.
inline constexpr std::chrono::seconds kLeaveLimit{2};

}  // namespace wm::groups
