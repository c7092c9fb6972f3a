// Role: job_sum of acct.db: what ended jobs used by six hours and whom they count for, kept with
// the jobs' rows, so that a question about very many jobs reads few rows.
//
// Invariant (STORE-18): a row of job_sum is the sum of the rows of job that ended in its six hours
// and count for its user, plan, queue, project and profile, also after a job's row was written
// again. Used only inside libwm/store.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "libwm/store/acct/acct_rows.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// What a row of job_sum is of. @units us
inline constexpr std::int64_t kSumLength = std::int64_t{6} * 3600 * 1'000'000;

/// The hours, user … that an ended job counts for. @cost O(1)
SumKey key_of(const JobRow& job);
/// What it counts by, with its promise. @errors Store, Damaged   @cost its history
Result<AcctFigures> counted(Connection& db, const JobRow& job);

/// Keeps job_sum while rows of jobs are written: begin() before, end() after them, all in one
/// transaction. @thread its connection's
class JobSums {
 public:
  explicit JobSums(Connection& db) : db_(db) {}

  /// Finds out which of these change a sum. @errors Store, Damaged   @cost a look-up a job
  Result<void> begin(const std::vector<JobRow>& jobs);
  /// Writes the sums. @errors Store, Damaged
  /// @cost a row for each six hours and key; jobs of such hours and user where an ended job was
  /// written again
  Result<void> end();
  /// Sums of all jobs there are; a file that has them already is left as it is.
  /// @errors Store, Damaged   @cost all jobs, once in a file's life
  Result<void> fill();

 private:
  using Sums = std::map<SumKey, AcctSum>;
  Result<void> look(const JobRow& job);
  Result<void> add_to(Sums& sums, const JobRow& job);
  Result<Sums> made_again();
  Result<void> write(const Sums& sums, bool whole);

  Connection& db_;
  std::vector<JobRow> fresh_;  ///< end for the first time
  std::set<SumKey> again_;
};

}  // namespace wm::store
