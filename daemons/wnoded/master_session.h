// Role: this host's end of the session with the master: registering, heartbeats, facts until they
// are acknowledged, and which masters may be obeyed.
//
//   closed ──on_open: Register, every fact again──► open ──on_lost──► closed
//
// Invariants: a fact that is kept is said in every session until the master has it; a master with a
// state older than what this host has obeyed is refused, also after a restart of wnoded.
#pragma once

#include <vector>

#include "daemons/wnoded/env.h"
#include "daemons/wnoded/facts.h"

namespace wm::node {

/// See the file comment. @thread the loop's
class MasterSession {
 public:
  /// `card`: name, address, boot, capacity and what was obeyed, for registering.
  MasterSession(Env& env, HostRegister card);

  /// Other hosts reach this one by another address: said at the next registration.
  void on_address(const std::string& address) { card_.address = address; }
  /// The machine has so much memory by now.
  void on_memory(Bytes mem) { card_.capacity.mem = mem; }
  /// Registers, with how the GPUs are and what is known here, and says every fact again.
  void on_open(std::vector<GpuReport> gpus, std::vector<AttemptStatus> attempts);
  /// It is over. `down`: the master's host refuses the connection, so it is not running.
  void on_lost(bool down);
  /// The master has said something.
  void on_heard() { heard_ = env_.mono(); }
  bool is_open() const { return open_; }
  /// How agents are told that the master is. @cost O(1)
  MasterSeen seen() const;

  /// The master's answer to a registration. From now on this one is obeyed, which is on disk then.
  /// @errors Denied: its state is older than what this host has obeyed
  Result<void> follow(const MasterRank& master);
  /// A heartbeat of the master's. A rank that is not older is remembered; on disk it is behind by
  /// seconds at most.
  void on_rank(const MasterRank& master);
  /// Says that the host lives, if that is due after about `pause`.
  void beat(Duration pause, HostHeartbeat words);

  /// Tells a fact and keeps it until it is acknowledged.
  void tell(Fact fact);
  /// Tells what nobody needs later: not kept, and not said without a session.
  void pass_on(Fact fact);
  /// Facts that are not acknowledged.
  Facts& facts() { return facts_; }
  const Facts& facts() const { return facts_; }

 private:
  void obey(const MasterRank& master, bool at_once);

  Env& env_;
  HostRegister card_;
  Facts facts_;
  bool open_ = false, master_down_ = false;
  TimePoint heard_{}, beat_{}, obeyed_kept_{};
  std::uint64_t beats_ = 0;
};

}  // namespace wm::node
