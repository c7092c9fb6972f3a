// Role: the EventStore on disk: core.db (SQLite, WAL, synchronous=FULL, 0600) and beside it
// store_reserve, store_lock and history-YYYYMM.db. Format: FORMAT.md.
//
//              ┌ commit ─ connection ┐
//   EventStore ┼ read   ─ connection ┼─ core.db     one connection a side, so that a long
//              └ chores ─ connection ┘              snapshot or read never waits for, nor
//                                                   holds up, a commit
//
//   works ──append fails──► stopped(fault) ──reopen: close all, open, probe commit──► works
//     │ disk full (also at opening): the reserve is released, the same tried once more
//     └──► works, low_space ──make_reserve──► works
//
// Invariants: only one process has a store open (store_lock). Made by wmasterd's main; the
// three sides may run at the same time, reopen waits for the others' current call.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "libwm/store/core/event_store.h"
#include "libwm/store/sqlite/reserve.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// Where the store lives and how it behaves. `vfs` names SQLite's file layer (tests give a
/// failing one). @units checkpoint_pages: 4 KiB pages of log at which a chore copies them to
///        the database; a commit does it at four times that, so that it seldom has to
struct CoreOptions {
  std::string dir = {};
  std::string vfs = {};
  Bytes reserve{std::int64_t{64} << 20};
  int checkpoint_pages = 1000;
  Duration busy_limit =
      std::chrono::seconds(5);  ///< waited for another's lock, of the store or of SQLite
};

/// @thread as EventStore says   @owns the files while open
class CoreDb final : public EventStore {
 public:
  /// Opens the store in `dir`, making what is missing.
  /// @errors NotFound: no such directory; Conflict: another process has it, after busy_limit;
  /// Damaged: not
  ///         ours, newer or unsound; Store, System: as SQLite or the system say
  static Result<std::unique_ptr<CoreDb>> open(const CoreOptions& options);
  ~CoreDb() override;

  Result<void> append(const Batch& batch) override;
  Result<void> reopen() override;
  Fault fault() const override { return fault_; }
  bool low_space() const override { return low_space_; }

  Result<std::string> store_id() override;
  Result<Seq> last_seq() override;
  Result<std::vector<EventRow>> read_events(Seq from, ReadLimit limit = {}) override;
  Result<std::string> blob(const Hash& hash) override;
  Result<std::optional<std::string>> reply(const RequestKey& key) override;
  Result<std::optional<Snapshot>> latest_snapshot() override;

  Result<void> write_snapshot(const Snapshot& snapshot) override;
  Result<std::size_t> archive_events(Seq through) override;
  Result<std::size_t> drop_blobs(const std::set<Hash>& keep, Seq through) override;
  Result<std::size_t> drop_replies(WallTime before) override;
  Result<std::size_t> drop_history(WallTime before) override;
  Result<bool> make_reserve() override;

 private:
  // One side's connection; empty after a reopen that failed.
  struct Side {
    std::mutex turn;
    std::unique_ptr<Connection> db;
  };
  explicit CoreDb(CoreOptions options);
  Result<void> lock_dir();
  Result<void> start();
  Result<void> open_sides();
  void close_sides();
  Result<void> write(const Batch& batch);
  Result<void> connect(Side& side, OpenOptions open);
  template <class Act>
  auto on(Side& side, Act act) -> decltype(act(*side.db));

  CoreOptions options_;
  int lock_fd_ = -1;
  Reserve reserve_;
  Side commit_, read_, chores_;
  Seq last_;
  std::atomic<Fault> fault_ = Fault::None;
  std::atomic<bool> low_space_ = false;
};

}  // namespace wm::store
