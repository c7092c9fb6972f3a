#include "libwm/store/report/roll.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "libwm/model/credit.h"

namespace wm::store {
namespace {

using report::Hour;

std::int64_t us(WallTime t) { return t.time_since_epoch().count(); }

/// Numbers of those that hold, as the fold has them.
class Dims {
 public:
  std::uint32_t number(const report::Dim& dim) {
    auto [at, fresh] = numbers_.try_emplace(dim, static_cast<std::uint32_t>(all.size()));
    if (fresh) all.push_back(dim);
    return at->second;
  }
  std::vector<report::Dim> all;

 private:
  std::map<report::Dim, std::uint32_t> numbers_;
};

report::Use use_of(const HostSpanRow& row) {
  if (row.state == "closed") return report::Use::Drained;
  return row.state == "ok" ? report::Use::Idle : report::Use::Down;
}

// Attempts that the system ended are not charged.
std::optional<Refund> refund_of(const AttemptRow& row) {
  auto term = static_cast<Term>(row.term);
  if (!is_credited(term)) return {};
  if (term == Term::HostLost) return Refund::HostLost;
  return term == Term::ShepherdLost ? Refund::ShepherdLost : Refund::StartFailed;
}

report::Dim dim_of(const AttemptRow& row) {
  return {row.user, row.plan, row.queue, row.project, row.app};
}

/// Makes the sums of windows that follow one another.
class Roller {
 public:
  Roller(AcctScan& acct, std::int64_t horizon) : acct_(acct), horizon_(horizon) {}

  Result<WindowSums> window(std::vector<Hour> hours) {
    WindowSums made;
    Window at{hours.front().start * 1000, hours.back().end() * 1000};
    made.hours = hours;
    made.horizon_ms = horizon_ / 1000;
    report::HourFold fold(hours, horizon_);
    report::PlanFold plans(hours, horizon_);
    WM_TRY(read_parts(at));
    count_together();
    for (const auto& [part, dim, job, task] : lasting_) {
      fold.add(part);
      plans.add_use(dim.plan, part.start, part.end, part.slots);
    }
    WM_TRY(read_standings(at, fold, plans));
    made.sums = fold.finish();
    made.plans = plans.finish();
    WM_TRY(read_ends(at, made));
    add_stuck(made);
    made.dims = dims_.all;
    std::erase_if(lasting_,
                  [&](const auto& row) { return row.part.end != 0 && row.part.end <= at.to; });
    return made;
  }

 private:
  // Those of the window before that last on, and those that begin in this one.
  Result<void> read_parts(Window at) {
    auto take = [&](const ScannedPart& row) {
      lasting_.push_back(row);
      lasting_.back().part.dim = dims_.number(row.dim);
    };
    if (!begun_) WM_TRY(acct_.parts_into(at, take));
    begun_ = true;
    return acct_.parts_in({at.from, std::min(at.to, horizon_)}, take);
  }

  Result<void> read_standings(Window at, report::HourFold& fold, report::PlanFold& plans) {
    WM_TRY(acct_.hosts(at, [&](const HostSpanRow& row) {
      fold.add(report::HostSpan{row.host, us(row.since), us(row.until), use_of(row), row.slots,
                                row.milli_cpus});
    }));
    WM_TRY(acct_.gpus(at, [&](const GpuSpanRow& row) {
      fold.add(report::GpuSpan{row.host, row.uuid, us(row.since), us(row.until), row.state != "ok",
                               row.gpueq});
    }));
    return acct_.plans(at, [&](const PlanSpanRow& row) {
      plans.add_conf(row.path, us(row.since), us(row.until), row.owns);
    });
  }

  static std::int64_t hour_of(const std::vector<Hour>& hours, std::int64_t at_us) {
    auto next = std::upper_bound(hours.begin(), hours.end(), at_us / 1000,
                                 [](std::int64_t t, const Hour& h) { return t < h.start; });
    return next == hours.begin() ? hours.front().start : std::prev(next)->start;
  }

  // By hour, whom it counts for and outcome.
  using EndSums = std::map<std::tuple<std::int64_t, std::uint32_t, std::string>, EndsRow>;
  Result<void> read_ends(Window at, WindowSums& made) {
    Window until{at.from, std::min(at.to, horizon_)};
    EndSums sums;
    WM_TRY(acct_.ended(until, [&](const AttemptRow& row) {
      auto hour = hour_of(made.hours, us(row.ended));
      auto& sum = sums[{hour, dims_.number(dim_of(row)), "attempt"}];
      ++sum.n, sum.cpu_us += row.cpu.count(), sum.cpu_mms += row.cpu_mms;
      sum.mem_mib_s += row.mem_mib_s;
      sum.mem_peak_mib_s += row.mem_mib_s == 0 ? 0 : peak_of(row);
      add_refunds(row, hour, made);
    }));
    WM_TRY(acct_.jobs_ended(until, [&](const JobBrief& row) {
      ++sums[{hour_of(made.hours, row.ended), dims_.number(row.dim), row.state}].n;
    }));
    for (auto& [key, sum] : sums) {
      const auto& [hour, dim, outcome] = key;
      sum.hour = hour, sum.dim = dims_.all[dim], sum.outcome = outcome;
      made.ends.push_back(std::move(sum));
    }
    return {};
  }

  // What was heard late is credited once, whatever becomes of the rest.
  static void add_refunds(const AttemptRow& row, std::int64_t hour, WindowSums& made) {
    const auto& late = row.late;
    report::Amounts of_late{late.slot_ms, late.cpu_mms, late.gpu_mms, late.gpueq_mms,
                            late.mem_mib_s};
    report::Amounts rest{row.slot_ms - late.slot_ms, row.cpu_mms - late.cpu_mms,
                         row.gpu_mms - late.gpu_mms, row.gpueq_mms - late.gpueq_mms,
                         row.mem_mib_s - late.mem_mib_s};
    if (late != HoldingSums{})
      made.refunds.push_back({hour, row.job, row.attempt, Refund::Late, dim_of(row), of_late});
    if (auto kind = refund_of(row))
      made.refunds.push_back({hour, row.job, row.attempt, *kind, dim_of(row), rest});
  }
  // The same time of every task at its peak. The peak is the largest of any host's, of all tasks
  // there together.
  std::int64_t peak_of(const AttemptRow& row) const {
    auto at = together_.find(row.job);
    auto tasks = at == together_.end() ? 1 : at->second;
    return (row.max_mem.value >> 20) * (row.slot_ms / 1000) / tasks;
  }
  // Of each job in the window the most tasks that it had on one host.
  void count_together() {
    std::vector<std::tuple<JobId, std::string_view, std::uint32_t>> places;
    for (const auto& row : lasting_) places.emplace_back(row.job, row.part.host, row.task);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    together_.clear();
    std::int64_t here = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& [job, host, task] = places[i];
      bool goes_on =
          i > 0 && std::get<0>(places[i - 1]) == job && std::get<1>(places[i - 1]) == host;
      here = goes_on ? here + 1 : 1;
      auto& most = together_[job];
      most = std::max(most, here);
    }
  }

  // What is not proven gone is nobody's to pay, hour by hour.
  void add_stuck(WindowSums& made) {
    for (const auto& row : made.sums.dims)
      if (row.use == report::Use::Stuck)
        made.refunds.push_back(
            {row.hour, {0, row.dim}, {}, Refund::Stuck, dims_.all[row.dim], row.amounts});
  }

  AcctScan& acct_;
  std::int64_t horizon_;
  std::vector<ScannedPart> lasting_;
  Dims dims_;
  std::map<JobId, std::int64_t> together_;
  bool begun_ = false;
};

// Hours of one local day at a time.
std::vector<std::vector<Hour>> days_of(const report::Zone& zone, std::int64_t from,
                                       std::int64_t to) {
  std::vector<std::vector<Hour>> days;
  for (const auto& hour : report::hours_of(zone, from, to)) {
    auto first = report::local(zone, hour.start / 1000).hour == 0;
    if (days.empty() || (first && !days.back().empty())) days.emplace_back();
    days.back().push_back(hour);
  }
  return days;
}

Result<std::int64_t> first_hour(AcctScan& acct, ReportDb& reports, const RollWish& wish) {
  WM_TRY(auto final, reports.final_until());
  if (wish.from && (final == 0 || *wish.from * 1000 < final)) return *wish.from;
  if (final > 0) return final / 1000;
  WM_TRY(auto earliest, acct.earliest());
  return earliest / 1'000'000;
}

}  // namespace

Result<Rolled> roll(AcctScan& acct, ReportDb& reports, const RollWish& wish) {
  Rolled done;
  WM_TRY(done.horizon, acct.horizon());
  WM_TRY(auto seq, acct.last_seq());
  if (done.horizon == 0) return done;
  WM_TRY(auto from, first_hour(acct, reports, wish));
  Roller roller(acct, done.horizon);
  auto to = std::max(from, done.horizon / 1'000'000) + 1;
  for (auto& hours : days_of(wish.zone, from, to)) {
    WM_TRY(auto sums, roller.window(hours));
    WM_TRY(auto restated, reports.put(sums, seq, wish.now));
    done.hours += hours.size();
    done.restated += restated;
    done.finals += static_cast<std::size_t>(std::count_if(
        hours.begin(), hours.end(), [&](const Hour& h) { return h.end() <= sums.horizon_ms; }));
  }
  return done;
}

}  // namespace wm::store
