// Role: acct.db as reports read it: by time instead of by job, in short transactions of one
// window each. Used by roll.cc and report_facts.cc.
//
// Invariant: what lies before horizon() reads the same whenever it is read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libwm/report/fold.h"
#include "libwm/store/acct/acct_db.h"

namespace wm::store {

/// A part of a holding, and for whom it counts.
struct ScannedPart {
  report::Part part;
  report::Dim dim;
  JobId job;
  std::uint32_t task = 0;
};

/// What sums say of a job. @units ended: us; 0: not yet
struct JobBrief {
  report::Dim dim;
  std::string state;
  std::int64_t ended = 0;
};

/// A stretch of time. @units us since 1970; `to` is not in it
struct Window {
  std::int64_t from = 0, to = 0;
};

/// Words of histories that are found by time.
enum class Word { Resize = 0, Epoch = 1, PromiseError = 2 };

/// Everything but open() fails with Store or Damaged.
/// @thread one at a time   @owns its connection
class AcctScan {
 public:
  template <class Row>
  using Tell = std::function<void(const Row&)>;

  /// @errors NotFound: no such file; Damaged: not ours, unsound, or of another version; Store
  static Result<std::unique_ptr<AcctScan>> open(const StoreFiles& files);

  /// All before it is in. @units us
  Result<std::int64_t> horizon();
  Result<Seq> last_seq();
  /// When anything was first recorded; 0: nothing is. @units us
  Result<std::int64_t> earliest();

  /// Parts that began before the window and lasted into it.
  Result<void> parts_into(Window window, const Tell<ScannedPart>& tell);
  /// Parts that began in the window, in the order of their beginnings.
  Result<void> parts_in(Window window, const Tell<ScannedPart>& tell);
  Result<void> hosts(Window window, const Tell<HostSpanRow>& tell);
  Result<void> gpus(Window window, const Tell<GpuSpanRow>& tell);
  Result<void> plans(Window window, const Tell<PlanSpanRow>& tell);
  /// Attempts that were dispatched, or that ended, in the window.
  Result<void> dispatched(Window window, const Tell<AttemptRow>& tell);
  Result<void> ended(Window window, const Tell<AttemptRow>& tell);
  /// Jobs and elements that ended, or were submitted, in the window.
  Result<void> jobs_ended(Window window, const Tell<JobBrief>& tell);
  Result<void> jobs_submitted(Window window, const Tell<JobBrief>& tell);
  /// Jobs that waited at an instant, or wait still. @cost jobs submitted before that have no end
  Result<void> waiting(std::int64_t at, const Tell<JobRow>& tell);
  /// One user's jobs that ran or waited in the window, in order. @cost all jobs of the user
  Result<void> jobs_of(const std::string& user, Window window, const Tell<JobRow>& tell);
  /// One job's row, parts, attempts, and the lines of its epochs.
  Result<std::optional<JobRow>> job(JobId id);
  Result<void> parts_of(JobId id, const Tell<AllocationRow>& tell);
  Result<void> attempts_of(JobId id, const Tell<AttemptRow>& tell);
  Result<void> epochs_of(JobId id, const Tell<JobEventRow>& tell);
  /// Lines of histories with this word in the window, in order.
  Result<void> lines(Word word, Window window, const Tell<JobEventRow>& tell);

 private:
  explicit AcctScan(std::unique_ptr<Connection> db) : db_(std::move(db)) {}
  template <class Row>
  Result<void> each(Statement& ask, const Tell<Row>& tell);
  std::unique_ptr<Connection> db_;
};

}  // namespace wm::store
