// Role: archive.db, what has run beyond the time that the master remembers it: written from
// committed events by a thread of the master's, read where lists of runs are asked for.
//
//   a run ends ─► ArchiveStep ─► ArchiveDb::apply ─► archive.db ─► ArchiveReader
//                                    │ durable: only then the master forgets the job
//
// Invariants: steps and the mark of the last event that they know of change together (STORE-19); a
// run that was deleted never comes again (STORE-20).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/store/archive/archive_rows.h"
#include "libwm/store/core/history.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// How much there is. @units bytes: on disk
struct ArchiveFacts {
  std::uint64_t runs = 0, described = 0;
  Bytes bytes{0};
};

/// The writing side. @thread one at a time   @owns its connection
class ArchiveDb {
 public:
  /// Opens archive.db in the store's directory (0600), making it when missing.
  /// @errors Damaged: not ours, newer, or unsound; Store
  static Result<std::unique_ptr<ArchiveDb>> open(const StoreFiles& files);

  /// Does the steps in order, durably, all or none; `mark`: the last event they know of, 0: as it
  /// is. @errors Store, Damaged   @cost one transaction, one sync
  Result<void> apply(const std::vector<ArchiveStep>& steps, Seq mark);
  /// Drops records of runs that ended too long before `now`, at most 1,000; how many.
  /// @errors Store, Damaged   @cost the rows dropped
  Result<std::size_t> forget(const ArchiveKeep& keep, WallTime now);
  /// Closes and opens again after a failure. @errors as open
  Result<void> reopen();
  /// Closes it and moves the file aside, to archive.db.damaged; reopen() makes a new one.
  /// @errors System: it cannot be moved
  Result<void> set_aside();
  /// The last event that its rows know of. @errors Store, Damaged
  Result<Seq> last_seq();
  /// Was it ever filled with what ran before? @errors Store, Damaged
  Result<bool> is_filled();
  Result<void> set_filled();
  /// The store was restored from an older copy: events after `seq` come again and are others.
  /// @errors Store, Damaged
  Result<void> step_back(Seq seq);
  /// The highest number of a run; 0: none. @errors Store, Damaged
  Result<std::uint32_t> last_job();

 private:
  explicit ArchiveDb(StoreFiles files) : files_(std::move(files)) {}
  Result<void> connect();
  Result<void> is_open() const;
  Result<void> put(const RunRow& row, bool unless_there);
  Result<void> describe(const RunDescribed& said);
  Result<void> remove(JobId run);
  Result<void> remove_row(std::uint32_t job);
  Result<void> drop_text(std::uint32_t job);
  Result<std::size_t> forget_where(const std::string& which, WallTime before);

  StoreFiles files_;
  std::unique_ptr<Connection> db_;
};

/// Moves a file that is no sound archive aside, to archive.db.damaged. Nobody has it open.
/// @errors System: it cannot be moved
Result<void> set_archive_aside(const StoreFiles& files);

/// A run as it is found.
struct FoundRun {
  RunRow row;  ///< job = 0: only words are known, the job is the master's still
  RunWords words;
  std::vector<std::uint32_t> gone;  ///< indexes of elements that were deleted, rising
};

/// The reading side. @thread one at a time   @owns its connection
class ArchiveReader {
 public:
  /// Opens archive.db for reading. @errors Store: no such file; Damaged
  static Result<std::unique_ptr<ArchiveReader>> open(const StoreFiles& files);

  /// Numbers of the runs that answer to the query, the newest first or as it says; those that were
  /// deleted are none.
  /// @errors Store, Damaged   @cost by index: a page of a million by user, state, name or text is
  ///   some milliseconds
  Result<std::vector<std::uint32_t>> numbers(const RunQuery& query, std::size_t limit);
  /// The record of that number, with what its owner says of it. @errors Store, Damaged
  Result<FoundRun> run(std::uint32_t job);
  /// What is known of a number beside its record. @errors Store, Damaged
  Result<FoundRun> words(std::uint32_t job);
  /// Was the run, or that element of it, deleted? @errors Store, Damaged
  Result<bool> is_gone(JobId run);
  /// @errors Store, Damaged   @cost counts by index
  Result<ArchiveFacts> facts();

 private:
  ArchiveReader(std::unique_ptr<Connection> db, StoreFiles files)
      : db_(std::move(db)), files_(std::move(files)) {}
  std::unique_ptr<Connection> db_;
  StoreFiles files_;
};

}  // namespace wm::store
