// Role: what is drawn on budgets, to the millisecond: an account a budget says how fast its jobs
// draw now and what they have drawn in its period. Changed by libwm/fsm at the instants at which
// holdings change, so replay gives the same; between them it is computed (settle), never stored.
//
//   left = grant + carried + refunded - drawn          room for a new job = left - reserved
//
// An edge of x us counts as its whole milliseconds, as in reports: any cutting adds up exactly.
// GPUs count as parts of whole ones, a share as its share. Values; read by libwm/sched, bplans,
// bsub.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libwm/base/units.h"
#include "libwm/model/config/budget_conf.h"

namespace wm {

struct Config;
struct JobSpec;

/// What is held, or was: thousandths of GPUs and CPUs; or those times milliseconds.
struct Drawn {
  std::int64_t gpu = 0, cpu = 0;
  bool operator==(const Drawn&) const = default;
  Drawn& operator+=(const Drawn& o) { return gpu += o.gpu, cpu += o.cpu, *this; }
  Drawn& operator-=(const Drawn& o) { return gpu -= o.gpu, cpu -= o.cpu, *this; }
  friend Drawn operator+(Drawn a, const Drawn& b) { return a += b; }
  friend Drawn operator-(Drawn a, const Drawn& b) { return a -= b; }
  Drawn operator-() const { return {-gpu, -cpu}; }
  Drawn operator*(std::int64_t n) const { return {gpu * n, cpu * n}; }
  explicit operator bool() const { return gpu != 0 || cpu != 0; }
};

/// Of an hour of one whole GPU or CPU. @units thousandths times ms
inline constexpr std::int64_t kUnitHour = 3'600'000'000;

/// Whole milliseconds between two instants, each cut down to its own; none where time went back.
std::int64_t whole_ms(WallTime from, WallTime to);

/// What the attempt of a job draws on its budgets, and the fault it may be credited for.
struct AttemptDraw {
  Drawn rate;   ///< now
  Drawn drawn;  ///< by this attempt until `as_of`, less what was credited
  WallTime as_of{};
  std::int32_t status = 0;  ///< of the first task that failed
  std::uint8_t term = 0;    ///< Term of the same
  bool operator==(const AttemptDraw&) const = default;
};

/// [from, to): a budget's period; equal: it is not in force.
struct BudgetSpan {
  WallTime from{}, to{};
  bool operator==(const BudgetSpan&) const = default;
};
/// The period that holds this instant. @cost O(log months)
BudgetSpan period_at(const Budgets& budgets, const BudgetConf& conf, WallTime at);
/// "November 2026", "quarter of ...", "2026-01-01 to 2026-06-30": for people. @cost O(1)
std::string period_words(const BudgetConf& conf, const BudgetSpan& period);

/// One budget's account. @units rate: thousandths; the others thousandths times ms
struct BudgetAccount {
  std::string name;
  Drawn rate;        ///< by what its jobs hold now
  WallTime as_of{};  ///< of the amounts
  WallTime since{};  ///< begin of the period that they are of
  Drawn drawn;       ///< in it, until `as_of`
  Drawn refunded;    ///< credited in it
  Drawn carried;     ///< from the one before
  bool operator==(const BudgetAccount&) const = default;
  Drawn used() const { return drawn - refunded; }
};
/// Numbers of accounts by budget.
using BudgetNumbers = std::map<std::string, std::uint32_t>;

/// Brings the account up to `now`, over the ends of periods. A clock that went back: no time.
/// @cost O(periods since)
void settle(const Budgets& budgets, const BudgetConf& conf, BudgetAccount& account, WallTime now);

/// What it grants in a period; where it names no hours the amount is not bounded (has() false).
Drawn grant_of(const BudgetConf& conf);
/// The percentage of grant and carry that is used, of the resource that is scarcer, of those that
/// `of` has any of; 0 where it bounds none. @cost O(1)
std::int64_t percent_used(const BudgetConf& conf, const BudgetAccount& account,
                          const Drawn& of = {1, 1});

/// The budgets that a job of this specification draws on: its plan's and those above it, its
/// project's, its user's, and those that they are within; each once, by name.
/// @cost O(depth log budgets)   @owns borrowed from `config`
std::vector<const BudgetConf*> budgets_of(const Config& config, const JobSpec& spec);

/// "4,711.5": hours of an amount, one decimal unless it is whole. @cost O(1)
std::string hours_text(std::int64_t amount);

}  // namespace wm
