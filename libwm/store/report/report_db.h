// Role: report.db, sums of acct.db by hour, written by wmreport alone: it can be deleted and is
// then made again from acct.db as far back as that goes.
//
//   AcctScan ─► report::HourFold ─► ReportDb::put (one transaction a window) ─► ReportDb's sums
//
// Invariant: an hour is final when all of it lies before the horizon; a final hour that is rolled
// again and differs is noted in `restated`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libwm/report/fold.h"
#include "libwm/report/plans.h"
#include "libwm/store/acct/acct_scan.h"

namespace wm::store {

/// Why something that was allocated is not charged.
enum class Refund : std::uint8_t {
  HostLost = 0,
  ShepherdLost = 1,
  StartFailed = 2,
  Stuck = 3,
  Late = 4
};
/// "host_lost" … @cost O(1)
std::string_view refund_name(Refund kind);

/// A credit note, in the hour of the decision.
struct RefundRow {
  std::int64_t hour = 0;  ///< ms
  JobId job;
  Attempt attempt;
  Refund kind{};
  report::Dim dim;
  report::Amounts amounts;
};

/// How jobs, or attempts, ended in an hour.
struct EndsRow {
  std::int64_t hour = 0;  ///< ms
  report::Dim dim;
  std::string outcome;
  std::int64_t n = 0, cpu_us = 0, cpu_mms = 0, mem_mib_s = 0, mem_peak_mib_s = 0;
};

/// Everything of a window, to take the place of what was there.
struct WindowSums {
  std::vector<report::Hour> hours;
  std::int64_t horizon_ms = 0;
  std::vector<report::Dim> dims;  ///< by the numbers that `sums` uses
  report::HourSums sums;
  std::vector<report::PlanFold::Row> plans;
  std::vector<RefundRow> refunds;
  std::vector<EndsRow> ends;
};

/// @thread one at a time   @owns its connection
class ReportDb {
 public:
  /// Opens report.db in `dir` (0640), making it when missing; of hours made for another time zone
  /// nothing is kept. @errors Damaged: not ours, newer, unsound; Store
  static Result<std::unique_ptr<ReportDb>> open(const std::string& dir, const std::string& zone);

  /// End of the last final hour; 0: there is none. @units ms   @errors Store, Damaged
  Result<std::int64_t> final_until();
  /// Replaces what these hours held, whole or not at all. Returns how many final hours had other
  /// sums before. @errors Store, Damaged
  Result<std::size_t> put(const WindowSums& window, Seq seq, std::int64_t made_at);

  /// Sums of hours in [from, to). @units ms   @errors Store, Damaged
  Result<report::ByUse> totals(std::int64_t from, std::int64_t to);
  /// What jobs held, by hour and whom it counts for.
  struct HourUse {
    std::int64_t hour = 0;
    report::Dim dim;
    report::Amounts amounts;
  };
  Result<std::vector<HourUse>> hour_uses(std::int64_t from, std::int64_t to);
  /// Hours with their capacity.
  struct HourRow {
    report::Hour hour;
    bool final = false;
    report::ByUse uses;
  };
  Result<std::vector<HourRow>> hours(std::int64_t from, std::int64_t to);
  struct DimUse {
    report::Dim dim;
    report::Amounts allocated, refunded;
  };
  Result<std::vector<DimUse>> dims(std::int64_t from, std::int64_t to);
  Result<std::map<std::string, report::ByUse>> hosts(std::int64_t from, std::int64_t to);
  Result<std::map<std::string, report::PlanAmounts>> plans(std::int64_t from, std::int64_t to);
  /// One plan's, by hour.
  Result<std::vector<std::pair<std::int64_t, report::PlanAmounts>>> plan_by_hour(
      const std::string& plan, std::int64_t from, std::int64_t to);
  Result<std::vector<RefundRow>> refunds(std::int64_t from, std::int64_t to);
  Result<std::vector<EndsRow>> ends(std::int64_t from, std::int64_t to);
  /// Hours of these that were made anew with other sums since they were final.
  Result<std::int64_t> restated(std::int64_t from, std::int64_t to);

  /// Was this mail taken already? And that it was. @errors Store, Damaged
  Result<bool> is_sent(const std::string& report, const std::string& period,
                       const std::string& recipient);
  /// When it was noted; none: never. @units s since 1970
  Result<std::optional<std::int64_t>> sent_at(const std::string& report, const std::string& period,
                                              const std::string& recipient);
  Result<void> note_sent(const std::string& report, const std::string& period,
                         const std::string& recipient, std::int64_t at);

 private:
  explicit ReportDb(std::unique_ptr<Connection> db) : db_(std::move(db)) {}
  Result<void> keep_zone(const std::string& zone);
  Result<std::map<report::Dim, std::int64_t>> dim_numbers(const WindowSums& window);
  Result<void> move_host_hours();
  Result<std::map<std::string, std::int64_t>> host_numbers(const WindowSums& window);
  /// Of an hour, the bytes of its hosts.
  using Packs = std::map<std::int64_t, std::string>;
  Result<Packs> packs(const WindowSums& window);
  Result<std::size_t> changed(const Packs& packs, std::int64_t made_at);
  Result<void> remove(const WindowSums& window);
  Result<void> insert(const WindowSums& window, const Packs& packs);
  std::unique_ptr<Connection> db_;
};

}  // namespace wm::store
