// Role: whether plans got what they own: what each used, owned, borrowed and lent, by hour; swept
// exactly over the slots that its jobs held. Pure, in integers.
//
//   used      by the plan and those below it
//   borrowed  max(0, used - owns), as far as its siblings' own idle slots carry it
//   lent      what it owns and leaves idle, as far as siblings borrow it
//
// Invariant: among siblings as much is borrowed as is lent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libwm/report/period.h"

namespace wm::report {

/// What a plan had of something in an hour. @units slot·ms
struct PlanAmounts {
  std::int64_t owned = 0, used = 0, borrowed = 0, lent = 0, beyond = 0;
  PlanAmounts& operator+=(const PlanAmounts& more);
  bool operator==(const PlanAmounts&) const = default;
};

/// Folds what lies in some hours that follow one another.
class PlanFold {
 public:
  /// @units horizon: us
  PlanFold(std::vector<Hour> hours, std::int64_t horizon);
  /// Slots that jobs of the plan held. @units us; end 0: it lasts; slots: thousandths
  void add_use(const std::string& plan, std::int64_t start, std::int64_t end, std::int64_t slots);
  /// What the plan owned. @units slots
  void add_conf(const std::string& plan, std::int64_t since, std::int64_t until, std::int64_t owns);

  struct Row {
    std::int64_t hour = 0;
    std::string plan;
    PlanAmounts amounts;
  };
  /// In order of hour and plan. @cost O(changes x plans of a level)
  std::vector<Row> finish();

 private:
  struct Change {
    std::int64_t at = 0;
    std::string plan;
    bool owns = false;
    std::int64_t by = 0;  // thousandths of slots
  };
  void add(const std::string& plan, bool owns, std::int64_t start, std::int64_t end,
           std::int64_t amount);

  std::vector<Hour> hours_;
  std::int64_t horizon_ = 0;
  std::vector<Change> changes_;
};

/// The plan above: "/a" of "/a/b", "/" of "/a"; empty: "/" has none.
std::string plan_above(const std::string& plan);

}  // namespace wm::report
