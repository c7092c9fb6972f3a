// Role: acct.db, written from committed events and read by reports, apart from core.db so
// that a long report never lets the master's log grow.
//
//   events ─(wmasterd)─► AcctRows ─► AcctWriter's thread ─► AcctDb ─► acct.db ─► AcctReader
//
// Invariants: rows and the mark of the last event they come from change together
// (STORE-13); emptied and filled again from all events it is the same (STORE-14).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/store/acct/acct_rows.h"
#include "libwm/store/core/history.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// What is written at once: with more, the next transaction begins.
inline constexpr std::size_t kRowsPerTransaction = 10'000;

/// The writing side. @thread one at a time   @owns its connection
class AcctDb {
 public:
  /// Opens acct.db in the store's directory (0640), making it when missing.
  /// @errors Damaged: not ours or newer (move it away and rebuild); Store
  static Result<std::unique_ptr<AcctDb>> open(const StoreFiles& files);

  /// Writes rows and their mark; of rows with a mark that is already there only the horizon.
  /// @errors Store, Damaged: nothing of it was written   @cost one transaction
  Result<void> apply(const AcctRows& rows);
  /// Empties all tables, to be filled again from the first event.
  /// @errors Store, Damaged
  Result<void> clear();
  /// Closes and opens again after a failure. @errors as open
  Result<void> reopen();
  /// The last event that has its rows in the database. @errors Store, Damaged
  Result<Seq> last_seq();
  /// The highest job number that has a row; 0: none. @errors Store, Damaged
  Result<std::uint32_t> last_job();
  /// The events were restored from an older copy: those after `seq` come again and are others. Rows
  /// of what really ran stay. @errors Store, Damaged
  Result<void> step_back(Seq seq);

 private:
  explicit AcctDb(StoreFiles files) : files_(std::move(files)) {}
  Result<void> connect();
  Result<void> forget(WallTime before);
  StoreFiles files_;
  std::unique_ptr<Connection> db_;
};

/// Which jobs a report wants; empty and unset mean any. Ranges are [from, to).
struct JobQuery {
  std::string user = {}, queue = {}, project = {}, plan = {}, app = {};
  std::optional<WallTime> submitted_from = {}, submitted_to = {};
  std::optional<WallTime> ended_from = {}, ended_to = {};  ///< either: only jobs that ended
  JobId last = {~0u, ~0u};                                 ///< no job after this one
};

/// The reading side, in chunks: each call is a short transaction of its own, and the last
/// row of one chunk is the place where the next goes on.
/// @thread one at a time   @owns its connection
class AcctReader {
 public:
  /// Opens acct.db for reading. @errors Store: no such file or no permission; Damaged
  static Result<std::unique_ptr<AcctReader>> open(const StoreFiles& files);

  /// Sums of jobs by the six hours in [from, to) in which they ended, of one user or (empty) of
  /// all.
  /// @units us, `from` the start of such hours   @errors Store, Damaged   @cost rows told
  Result<void> sums(const std::string& user, std::int64_t from, std::int64_t to,
                    const std::function<void(const SumRow&)>& tell);
  /// Single jobs that ended in [from, to), by whom and what they count.
  /// @units us   @errors Store, Damaged   @cost jobs told
  Result<void> ended(const std::string& user, std::int64_t from, std::int64_t to,
                     const std::function<void(const SumKey&, const AcctFigures&)>& tell);
  /// Jobs in the order of id, after `after` ({} = from the first).
  /// @errors Store, Damaged   @cost jobs looked at, not jobs found
  Result<std::vector<JobRow>> jobs(const JobQuery& query, JobId after, std::size_t limit);
  /// A job's history in order, after (after.seq, after.part) when given.
  /// @errors Store, Damaged
  Result<std::vector<JobEventRow>> job_events(JobId job, const JobEventRow* after,
                                              std::size_t limit);
  /// Lines with this word in the histories of jobs `from` … `to`, by job and in order.
  /// @errors Store, Damaged   @cost all lines of these jobs
  Result<std::vector<JobEventRow>> events_named(const std::string& event, JobId from, JobId to);
  /// A job's slots by attempt and task, after those of `after` when given.
  /// @errors Store, Damaged
  Result<std::vector<AllocationRow>> allocations(JobId job, const AllocationRow* after,
                                                 std::size_t limit);
  /// When the job was held and released, in order. @errors Store, Damaged   @cost its history
  Result<std::vector<JobEventRow>> holds(JobId job);
  /// What lasts: parts of holdings, attempts, and hosts', GPUs' and plans' spans without an end.
  /// The rows of one kind in the order of their keys; the times of the mark as well.
  /// @errors Store, Damaged   @cost rows found
  Result<AcctRows> lasting();
  /// Usage of the days in [from, to) by day, user, plan, queue, after `after` when given.
  /// @errors Store, Damaged
  Result<std::vector<UsageRow>> usage(WallTime from, WallTime to, const UsageRow* after,
                                      std::size_t limit);
  /// The last event that has its rows in the database. @errors Store, Damaged
  Result<Seq> last_seq();

 private:
  explicit AcctReader(std::unique_ptr<Connection> db) : db_(std::move(db)) {}
  std::unique_ptr<Connection> db_;
};

/// Makes rows from one event; called in order, from the first event on. Rows may be held
/// back and given with a later event's, but never with an earlier one's.
using Projector = std::function<Result<AcctRows>(const EventRow&)>;

/// Empties acct.db and fills it from every event ever stored (badmin rebuild-acct).
/// @errors NotFound: the oldest were dropped, and nothing is changed
/// Returns the last event. The master must not write acct.db meanwhile.
/// @errors Store, Damaged; what the projector returns, naming the event
/// @cost every event once; a transaction for every 10,000 rows
Result<Seq> rebuild_acct(const StoreFiles& files, AcctDb& acct, const Projector& projector);

}  // namespace wm::store
