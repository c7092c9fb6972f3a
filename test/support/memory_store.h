// Role: CoreDb's twin in memory, for simulation: the same answers to the same calls, no
// files, no threads. It outlives a simulated crash, as a disk does; what was submitted but
// not yet appended is in SimCommitter, which loses it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libwm/store/core/event_store.h"

namespace wm::test {

/// @thread one
class MemoryStore final : public store::EventStore {
 public:
  // ---- what tests do to it
  /// The next append fails this way and leaves nothing behind; the store is then stopped.
  /// NoSpace gives up the reserve first and stops only when that is gone already.
  void fail_next(store::Fault fault) { next_fault_ = fault; }
  /// While true, reopen() fails as well.
  void stay_failed(bool on) { stay_failed_ = on; }
  /// Everything ever stored, archived or not.
  const std::vector<store::EventRow>& every_event() const { return events_; }

  // ---- EventStore
  Result<void> append(const store::Batch& batch) override;
  Result<void> reopen() override;
  store::Fault fault() const override { return fault_; }
  bool low_space() const override { return low_space_; }
  Result<std::string> store_id() override { return std::string("00000000000000aa"); }
  Result<Seq> last_seq() override { return Seq{events_.size()}; }
  Result<std::vector<store::EventRow>> read_events(Seq from, store::ReadLimit limit) override;
  Result<std::string> blob(const store::Hash& hash) override;
  Result<std::optional<std::string>> reply(const store::RequestKey& key) override;
  Result<std::optional<store::Snapshot>> latest_snapshot() override;
  Result<void> write_snapshot(const store::Snapshot& snapshot) override;
  Result<std::size_t> archive_events(Seq through) override;
  Result<std::size_t> drop_blobs(const std::set<store::Hash>& keep, Seq through) override;
  Result<std::size_t> drop_replies(WallTime before) override;
  Result<std::size_t> drop_history(WallTime) override { return std::size_t{0}; }
  Result<bool> make_reserve() override;

 private:
  struct Blob {
    std::string bytes;
    Seq seq;
  };
  Result<void> check_sequence(const store::Batch& batch) const;
  Result<void> meet_fault();

  std::vector<store::EventRow> events_;
  std::map<store::Hash, Blob> blobs_;
  std::map<store::RequestKey, store::ReplyRow> replies_;
  std::map<Seq, store::Snapshot> snapshots_;
  Seq archived_;
  bool stay_failed_ = false, low_space_ = false;
  store::Fault fault_ = store::Fault::None, next_fault_ = store::Fault::None;
};

}  // namespace wm::test
