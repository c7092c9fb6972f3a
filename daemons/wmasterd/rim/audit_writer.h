// Role: writes the record of acts on a thread of its own, so that no sync of a disk stands on the
// loop, and lets no answer out before the acts that it may tell of are on disk.
//
//   loop: keep(act) ─► queue ─► thread: Audit::append ─► post ─► loop: settled
//   loop: GatedPeers::send ─ acts under way? ─ no ─► the peer
//                                └─ yes ─► waits in order until they are settled
//
// An act that cannot be written (the disk is full) is tried again each second and not lost while
// the master runs; answers go on meanwhile, or nobody could mend the disk.
// Made by main.cc.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "daemons/wmasterd/acct/audit.h"
#include "libwm/env/env.h"

namespace wm::master {

/// @thread the loop's, unless it says otherwise   @owns its thread
class AuditWriter {
 public:
  using Post = std::function<void(std::function<void()>)>;

  /// `post` runs a function on the loop. @errors as Audit::open
  static Result<std::unique_ptr<AuditWriter>> open(const std::string& folder, Post post);
  /// Writes what is queued, each act tried once more, then ends the thread.
  ~AuditWriter();

  /// One more act. @cost O(1)
  void keep(AuditEntry entry);
  /// Acts that were kept, and of them those that are on disk or were tried. @cost O(1)
  std::uint64_t kept() const { return kept_; }
  std::uint64_t settled() const { return settled_; }
  /// Acts that are not on disk yet. @cost O(1)   @thread any
  std::size_t waiting() const;
  /// Told whenever more is settled.
  void on_settled(std::function<void()> tell) { on_settled_ = std::move(tell); }
  /// @errors as Audit::reply   @thread any
  Result<AuditReply> reply(const AuditRequest& request) const { return audit_.reply(request); }

 private:
  AuditWriter(Audit audit, Post post);
  void run();
  bool write_first();
  void settle(std::uint64_t upto);

  Audit audit_;  // appended to by thread_ alone
  Post post_;
  std::function<void()> on_settled_;
  std::uint64_t kept_ = 0, settled_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  std::deque<AuditEntry> queue_;
  std::uint64_t queued_ = 0;  // ever
  bool ending_ = false;

  std::thread thread_;
};

/// What clients are sent, held back while acts are under way. @thread the loop's
class GatedPeers final : public Peers {
 public:
  GatedPeers(Peers& peers, AuditWriter& audit);
  void send(PeerId peer, std::uint16_t type, std::string payload) override;
  /// What is held back counts, too. @cost O(frames held)
  std::size_t unsent(PeerId peer) override;
  void close(PeerId peer) override;

 private:
  struct Held {
    std::uint64_t until = 0;  // so many acts are settled
    PeerId peer;
    std::uint16_t type = 0;  // 0: it is closed
    std::string payload;
  };
  bool is_open() const { return held_.empty() && audit_.settled() >= audit_.kept(); }
  void let_go();

  Peers& peers_;
  AuditWriter& audit_;
  std::deque<Held> held_;
};

}  // namespace wm::master
