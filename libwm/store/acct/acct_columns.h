// Role: rows of acct.db from the columns of a statement, for its two readers.
// Used only inside libwm/store.
#pragma once

#include "libwm/store/acct/acct_rows.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// Takes columns from left to right. @owns borrows the statement
class Columns {
 public:
  explicit Columns(const Statement& row) : row_(row) {}
  std::int64_t number() { return row_.number(at_++); }
  std::uint32_t small() { return static_cast<std::uint32_t>(number()); }
  std::string text() { return row_.text(at_++); }
  WallTime time() { return WallTime(Duration(number())); }
  Duration duration() { return Duration(number()); }
  JobId job() {
    auto job = small();
    return {job, small()};
  }

 private:
  const Statement& row_;
  int at_ = 0;
};

/// Fill a row from all columns of its table, in their order. @cost O(columns)
void read(Columns c, JobRow& r);
void read(Columns c, AllocationRow& r);
void read(Columns c, AttemptRow& r);
void read(Columns c, HostSpanRow& r);
void read(Columns c, GpuSpanRow& r);
void read(Columns c, PlanSpanRow& r);
void read(Columns c, JobEventRow& r);
void read(Columns c, UsageRow& r);
void read(Columns c, SumRow& r);

}  // namespace wm::store
