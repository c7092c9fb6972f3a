#include "libwm/store/report/report_facts.h"

#include <algorithm>
#include <set>

#include "libwm/model/master_rank.h"
#include "libwm/model/reason.h"
#include "libwm/report/words.h"
#include "libwm/store/acct/elastic_facts.h"
#include "libwm/store/report/meter_db.h"

namespace wm::store {
namespace {

using report::Dim;
using report::Facts;
using report::Use;

constexpr std::int64_t kFailingHost = 3;  // attempts of a day that make a host suspect

std::int64_t seconds_since(WallTime t) { return report::seconds_of(t); }

bool is_below(const std::string& plan, const std::string& top) {
  return plan == top || top == "/" || plan.starts_with(top + "/");
}

/// What a report is about: all (empty), a plan and those below it ("/..."), or a user.
class Subject {
 public:
  explicit Subject(const std::string& about) : about_(about) {}
  bool is_all() const { return about_.empty(); }
  bool is_user() const { return !about_.empty() && about_[0] != '/'; }
  bool counts(const Dim& dim) const {
    if (is_all()) return true;
    return is_user() ? dim.user == about_ : is_below(dim.plan, about_);
  }
  /// For rows of attempts and of jobs.
  template <class Row>
  bool counts(const Row& row) const {
    return counts(Dim{row.user, row.plan, row.queue, row.project, row.app});
  }

 private:
  const std::string& about_;
};

report::UseFacts& entry(std::map<std::string, report::UseFacts>& all, const std::string& name) {
  auto& made = all[name];
  made.name = name;
  return made;
}

/// Gathers one report.
class Gatherer {
 public:
  Gatherer(AcctScan& acct, ReportDb& reports, const FactsWish& wish)
      : acct_(acct), reports_(reports), wish_(wish), subject_(wish.about) {
    from_ms_ = wish.period.from * 1000, to_ms_ = wish.period.to * 1000;
    facts_.cluster = wish.cluster, facts_.about = wish.about;
    facts_.period = wish.period, facts_.zone = wish.zone, facts_.made_at = wish.now;
  }

  Result<Facts> run() {
    WM_TRY(auto horizon, acct_.horizon());
    facts_.horizon = horizon / 1'000'000;
    window_ = {from_ms_ * 1000, std::min(to_ms_ * 1000, horizon)};
    WM_TRY(read_hours());
    WM_TRY(read_uses());
    WM_TRY(read_plans());
    WM_TRY(read_waits());
    WM_TRY(read_failures());
    if (subject_.is_user()) WM_TRY(read_jobs());
    else WM_TRY(add_elastic(acct_, window_, facts_));
    if (subject_.is_all()) WM_TRY(read_hosts());
    if (wish_.meter && subject_.is_all()) {
      WM_TRY(auto sum, wish_.meter->total(wish_.period.from, wish_.period.to));
      add_use(sum);
      WM_TRY(facts_.gpu_use.host_energy_mj,
             wish_.meter->host_energy(wish_.period.from, wish_.period.to));
    }
    WM_TRY(add_notes());
    if (subject_.is_all() && wish_.period.kind == report::Kind::Month) WM_TRY(read_forecast());
    return std::move(facts_);
  }

 private:
  Result<void> read_hours() {
    WM_TRY(facts_.total, reports_.totals(from_ms_, to_ms_));
    WM_TRY(auto hours, reports_.hours(from_ms_, to_ms_));
    WM_TRY(auto uses, reports_.hour_uses(from_ms_, to_ms_));
    std::int64_t until = 0;
    facts_.final = !hours.empty();
    for (const auto& hour : report::hours_of(wish_.zone, wish_.period.from, wish_.period.to))
      facts_.hours.push_back({hour, {}, {}});
    for (const auto& hour : hours) {
      auto at = std::lower_bound(
          facts_.hours.begin(), facts_.hours.end(), hour.hour.start,
          [](const report::HourFacts& h, std::int64_t start) { return h.hour.start < start; });
      if (at != facts_.hours.end() && at->hour.start == hour.hour.start) at->uses = hour.uses;
      facts_.final = facts_.final && hour.final;
      until = hour.hour.end();
    }
    // Hours follow one another; before the first of all nothing was recorded.
    facts_.final = facts_.final && until >= to_ms_;
    std::size_t at = 0;
    for (const auto& use : uses) {
      while (at < facts_.hours.size() && facts_.hours[at].hour.start < use.hour) ++at;
      if (at == facts_.hours.size() || !subject_.counts(use.dim)) continue;
      facts_.hours[at].plans[subject_.is_user() ? use.dim.user : use.dim.plan] += use.amounts;
    }
    return {};
  }

  Result<void> read_uses() {
    std::map<std::string, report::UseFacts> users, queues;
    WM_TRY(auto dims, reports_.dims(from_ms_, to_ms_));
    for (const auto& use : dims) {
      if (!subject_.counts(use.dim)) continue;
      for (auto* made : {&entry(users, use.dim.user), &entry(queues, use.dim.queue)}) {
        made->allocated += use.allocated;
        made->refunded += use.refunded;
      }
      by_plan_[use.dim.plan].first += use.allocated;
      by_plan_[use.dim.plan].second += use.refunded;
      facts_.refunded += use.refunded;
    }
    WM_TRY(auto refunds, reports_.refunds(from_ms_, to_ms_));
    for (const auto& row : refunds) {
      if (!subject_.counts(row.dim)) continue;
      facts_.refunds[std::string(refund_name(row.kind))] += row.amounts;
      facts_.counts.lost += row.kind == Refund::HostLost || row.kind == Refund::ShepherdLost;
    }
    WM_TRY(auto ends, reports_.ends(from_ms_, to_ms_));
    for (const auto& row : ends)
      if (subject_.counts(row.dim))
        for (auto* made : {&entry(users, row.dim.user), &entry(queues, row.dim.queue)})
          add(*made, row, made == &users[row.dim.user]);
    facts_.users = in_order(users);
    facts_.queues = in_order(queues);
    return {};
  }

  void add(report::UseFacts& made, const EndsRow& row, bool counted) {
    if (row.outcome == "attempt") {
      made.cpu_us += row.cpu_us;
      made.cpu_mms += row.cpu_mms;
      made.mem_mib_s += row.mem_mib_s;
      made.mem_peak_mib_s += row.mem_peak_mib_s;
      return;
    }
    bool failed = row.outcome == "failed" || row.outcome == "error";
    made.ended += row.n;
    made.failed += failed ? row.n : 0;
    if (!counted) return;
    facts_.counts.ended += row.n;
    facts_.counts.failed += failed ? row.n : 0;
    facts_.counts.killed += row.outcome == "killed" ? row.n : 0;
  }

  // The largest first.
  std::vector<report::UseFacts> in_order(const std::map<std::string, report::UseFacts>& all) const {
    std::vector<report::UseFacts> rows;
    for (const auto& [name, use] : all) rows.push_back(use);
    auto size = [&](const report::UseFacts& use) {
      return facts_.has_gpus() ? std::pair(use.allocated.gpueq_mms, use.allocated.slot_ms)
                               : std::pair(use.allocated.slot_ms, std::int64_t{0});
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const auto& a, const auto& b) { return size(a) > size(b); });
    return rows;
  }

  Result<void> read_plans() {
    WM_TRY(auto plans, reports_.plans(from_ms_, to_ms_));
    for (const auto& [path, use] : by_plan_) plans[path];
    for (const auto& [path, slots] : plans) {
      bool shown = subject_.is_user() ? by_plan_.contains(path)
                                      : subject_.is_all() || is_below(path, wish_.about);
      if (!shown) continue;
      report::PlanFacts made{path, slots, {}, {}};
      for (const auto& [below, use] : by_plan_)
        if (is_below(below, path)) made.allocated += use.first, made.refunded += use.second;
      facts_.plans.push_back(std::move(made));
    }
    WM_TRY(read_asked());
    if (subject_.is_all() || subject_.is_user()) return {};
    WM_TRY(auto days, reports_.plan_by_hour(wish_.about, from_ms_, to_ms_));
    std::map<std::string, report::PlanAmounts> sums;
    for (const auto& hour : facts_.hours)
      sums[report::date_text(report::local(wish_.zone, hour.hour.start / 1000))];
    for (const auto& [hour, amounts] : days)
      sums[report::date_text(report::local(wish_.zone, hour / 1000))] += amounts;
    facts_.plan_days.assign(sums.begin(), sums.end());
    return {};
  }

  // What they asked for is only known of hours in which the master was up.
  Result<void> read_asked() {
    if (!wish_.meter || subject_.is_user()) return {};
    WM_TRY(auto asked, wish_.meter->plans(wish_.period.from, wish_.period.to));
    auto until = std::min(to_ms_, facts_.horizon * 1000);
    for (auto& plan : facts_.plans) {
      auto at = asked.find(plan.path);
      if (at == asked.end() || until <= from_ms_) continue;
      const auto& [hour, path, gpus, used] = at->second;
      plan.asked = report::PlanAsk{gpus, used.demand, used.deserved, used.unmet,
                                   std::min(100.0, 100 * static_cast<double>(used.seen_ms) /
                                                       static_cast<double>(until - from_ms_))};
    }
    return {};
  }

  Result<void> read_waits() {
    std::map<std::pair<std::string, std::string>, std::vector<double>> waits;
    std::vector<double> all;
    WM_TRY(acct_.dispatched(window_, [&](const AttemptRow& row) {
      if (!subject_.counts(row)) return;
      ++facts_.counts.dispatched;
      if (!subject_.is_all()) dispatched_.insert(row.job);
      if (attempts_before(row.attempt) != 0) return;
      all.push_back(seconds(row.queue_wait));
      waits[{row.queue, report::size_class(row.tasks)}].push_back(all.back());
    }));
    auto tell = [&](const std::string& queue, const std::string& size, std::vector<double>& of) {
      std::sort(of.begin(), of.end());
      facts_.waits.push_back({queue, size, of.size(), report::percentile(of, .5),
                              report::percentile(of, .9), report::percentile(of, .99),
                              of.empty() ? 0 : of.back()});
    };
    tell("", "", all);
    for (auto& [key, of] : waits) tell(key.first, key.second, of);
    WM_TRY(acct_.jobs_submitted(window_, [&](const JobBrief& row) {
      facts_.counts.submitted += subject_.counts(row.dim);
    }));
    return read_waiting();
  }

  Result<void> read_waiting() {
    std::vector<double> ages;
    WM_TRY(acct_.waiting(window_.to, [&](const JobRow& row) {
      if (subject_.counts(row))
        ages.push_back(static_cast<double>(window_.to) / 1e6 -
                       static_cast<double>(seconds_since(row.submitted)));
    }));
    std::sort(ages.begin(), ages.end());
    facts_.counts.waiting = static_cast<std::int64_t>(ages.size());
    facts_.counts.waiting_age_s = report::percentile(ages, .5);
    return {};
  }

  Result<void> read_failures() {
    std::map<std::pair<std::string, std::string>, std::int64_t> failures;
    WM_TRY(acct_.ended(window_, [&](const AttemptRow& row) {
      if (!subject_.counts(row) || (row.outcome != "failed" && row.outcome != "lost")) return;
      auto term = static_cast<Term>(row.term);
      ++failures[{row.host, term == Term::None ? "exit code" : std::string(term_name(term))}];
    }));
    for (const auto& [key, n] : failures) facts_.failures.push_back({key.first, key.second, n});
    std::stable_sort(facts_.failures.begin(), facts_.failures.end(),
                     [](const auto& a, const auto& b) { return a.n > b.n; });
    return acct_.lines(Word::PromiseError, window_, [&](const JobEventRow& row) {
      if (subject_.is_all() || dispatched_.contains(row.job))
        facts_.promise_errors.push_back(row.to);
    });
  }

  Result<void> read_jobs() {
    std::vector<JobRow> rows;
    WM_TRY(acct_.jobs_of(wish_.about, window_, [&](const JobRow& row) { rows.push_back(row); }));
    constexpr std::size_t kMost = 20'000;
    if (rows.size() > kMost) rows.erase(rows.begin(), rows.end() - kMost);
    for (const auto& row : rows) {
      report::JobFacts job;
      job.id = to_string(row.id), job.name = row.name, job.state = row.state;
      job.command = row.command, job.exit_status = row.exit_status;
      job.term = row.term ? std::string(term_name(static_cast<Term>(row.term))) : "";
      job.ended = row.ended == WallTime{} ? 0 : seconds_since(row.ended);
      job.element = row.id.index > 0;
      job.mem_peak = (row.max_mem.value >> 20) / tasks_together(row.exec_hosts);
      WM_TRY(acct_.attempts_of(row.id, [&](const AttemptRow& attempt) {
        job.allocated += {attempt.slot_ms, attempt.cpu_mms, attempt.gpu_mms, attempt.gpueq_mms,
                          attempt.mem_mib_s};
        job.cpu_us += attempt.cpu.count(), job.cpu_mms += attempt.cpu_mms;
        job.queue_s += seconds(attempt.queue_wait), job.own_s += seconds(attempt.own_wait);
        auto end = attempt.ended == WallTime{} ? WallTime(Duration(window_.to)) : attempt.ended;
        job.run_s += std::max(0.0, seconds(end - attempt.dispatched));
        job.ask_run_s += seconds(attempt.ask_run);
        job.elastic = attempt.elastic;
        job.min_tasks = attempt.min_tasks, job.max_tasks = attempt.max_tasks;
      }));
      bool runs = row.ended == WallTime{} && row.dispatched != WallTime{};
      if (wish_.meter && (runs || job.allocated.gpu_mms > 0)) WM_TRY(add_meter(row, job));
      if (job.allocated.slot_ms > 0)
        job.mem_asked = job.allocated.mem_mib_s * 1000 / job.allocated.slot_ms;
      facts_.jobs.push_back(std::move(job));
    }
    return {};
  }

  // The most tasks on one host: a peak is what all of an attempt's there had together.
  static std::int64_t tasks_together(const std::string& exec_hosts) {
    std::map<std::string, std::int64_t> tasks;
    std::int64_t most = 1;
    for (std::size_t at = 0; at < exec_hosts.size();) {
      auto end = std::min(exec_hosts.find(' ', at), exec_hosts.size());
      if (end > at) most = std::max(most, ++tasks[exec_hosts.substr(at, end - at)]);
      at = end + 1;
    }
    return most;
  }

  static std::int64_t hosts_in(const std::string& exec_hosts) {
    std::set<std::string> names;
    for (std::size_t at = 0; at < exec_hosts.size();) {
      auto end = std::min(exec_hosts.find(' ', at), exec_hosts.size());
      if (end > at) names.insert(exec_hosts.substr(at, end - at));
      at = end + 1;
    }
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(names.size()));
  }

  // Of the last 90 days, whole ones: GPUs where there are any, else slots.
  Result<void> read_forecast() {
    auto from = from_ms_ - 60 * 86'400'000LL;
    WM_TRY(auto hours, reports_.hours(from, std::min(to_ms_, facts_.horizon * 1000)));
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> days;  // allocated, available
    for (const auto& hour : hours) {
      if (!hour.final) continue;
      auto of = facts_.has_gpus() ? &report::Amounts::gpueq_mms : &report::Amounts::slot_ms;
      auto& day = days[report::days_of(report::local(wish_.zone, hour.hour.start / 1000))];
      day.first += hour.uses.allocated().*of;
      day.second += hour.uses.capacity().*of - hour.uses[Use::Down].*of -
                    hour.uses[Use::Drained].*of - hour.uses[Use::Aside].*of;
    }
    report::DayRatios ratios;
    for (const auto& [day, sums] : days)
      if (sums.second > 0)
        ratios.emplace_back(day,
                            static_cast<double>(sums.first) / static_cast<double>(sums.second));
    facts_.forecast = report::forecast(ratios);
    note_forecast();
    return {};
  }
  void note_forecast() {
    const auto& f = facts_.forecast;
    auto date = [](std::int64_t day) { return report::date_words(report::date_of(day)); };
    if (f.full == 0) return;
    std::string text = "At the trend of " + std::to_string(f.days) +
                       " days 85 % of what is available is in use by " + date(f.full);
    if (f.latest > f.earliest)
      text += " (" + date(f.earliest) + " to " + date(f.latest) + " with 80 %)";
    facts_.notes.push_back({"forecast", text});
  }

  void add_use(const MeterSum& sum) {
    facts_.gpu_use.seen_us += sum.seen_us, facts_.gpu_use.busy_us += sum.busy_us;
    facts_.gpu_use.idle_us += sum.idle_us, facts_.gpu_use.energy_mj += sum.energy_mj;
  }
  // Of the whole job for advice, of the period for the sum.
  Result<void> add_meter(const JobRow& row, report::JobFacts& job) {
    WM_TRY(auto all, wish_.meter->of_job(row.id, 0, wish_.period.to));
    job.gpu_seen_us = all.seen_us, job.gpu_busy_us = all.busy_us, job.gpu_idle_us = all.idle_us;
    job.energy_j = all.energy_mj / 1000;
    // Of one that runs nothing is in accounting yet: what hosts saw, as a part of what they looked
    // at.
    if (row.ended == WallTime{} && all.cpu_seen_us > 0) {
      auto hosts = hosts_in(row.exec_hosts);
      job.cpu_us = all.cpu_us, job.cpu_mms = all.cpu_seen_us / hosts * row.slots;
      job.mem_peak = (all.mem_peak >> 20) / tasks_together(row.exec_hosts);
    }
    WM_TRY(auto here, wish_.meter->of_job(row.id, wish_.period.from, wish_.period.to));
    add_use(here);
    return {};
  }

  Result<void> read_hosts() {
    WM_TRY(auto hosts, reports_.hosts(from_ms_, to_ms_));
    for (const auto& [name, uses] : hosts) facts_.hosts.push_back({name, uses});
    WM_TRY(acct_.hosts(window_, [&](const HostSpanRow& row) {
      // One that has just been configured is on its way.
      bool brief = row.until != WallTime{} && row.until - row.since < std::chrono::minutes(10);
      if (row.state == "ok" || (row.state == "absent" && brief)) return;
      auto by = row.by.empty() ? row.why : row.why + " (" + row.by + ")";
      facts_.troubles.push_back({row.host, row.state, by, seconds_since(row.since),
                                 row.until == WallTime{} ? 0 : seconds_since(row.until)});
    }));
    return acct_.gpus(window_, [&](const GpuSpanRow& row) {
      if (row.state == "ok") return;
      facts_.troubles.push_back({row.host + " GPU " + std::to_string(row.idx), row.state, row.why,
                                 seconds_since(row.since),
                                 row.until == WallTime{} ? 0 : seconds_since(row.until)});
    });
  }

  std::string clock(std::int64_t s) const {
    auto text = report::stamp(wish_.zone, s);
    bool today =
        s >= wish_.period.from && s < wish_.period.to && wish_.period.kind == report::Kind::Day;
    return today ? text.substr(11, 5) : text.substr(0, 16);
  }

  // "h2 silent 05:33, dead 06:33, back 09:00": what follows without a pause is one trouble.
  void note_troubles() {
    const auto& all = facts_.troubles;
    for (std::size_t i = 0; i < all.size();) {
      std::string text = all[i].what, last = all[i].why;
      auto first = i;
      do {
        text += (i == first ? " " : ", ") + all[i].state + " " + clock(all[i].since);
        last = all[i].why.empty() ? last : all[i].why;
      } while (++i < all.size() && all[i].what == all[first].what &&
               all[i - 1].until == all[i].since);
      auto until = all[i - 1].until;
      text += until ? ", back " + clock(until) : ", not back yet";
      if (!last.empty()) text += ": " + report::plain(last);
      if (all[first].state == "absent")
        text = all[first].what + " is configured and was never seen";
      facts_.notes.push_back({all[first].state, text});
    }
  }

  Result<void> add_notes() {
    if (subject_.is_all()) note_troubles();
    std::map<std::string, std::int64_t> by_host;
    for (const auto& row : facts_.failures)
      if (!row.host.empty() && subject_.is_all()) by_host[row.host] += row.n;
    for (const auto& [host, n] : by_host)
      if (n >= kFailingHost && 2 * n > all_failures() && by_host.size() > 1)
        facts_.notes.push_back({"failing_host", std::to_string(n) + " of " +
                                                    std::to_string(all_failures()) +
                                                    " failed attempts failed on " + host});
    if (facts_.total[Use::Stuck].slot_ms > 0 && subject_.is_all())
      facts_.notes.push_back({"stuck", report::slot_hours(facts_.total[Use::Stuck].slot_ms) +
                                           " slot hours were stuck: processes not proven gone"});
    if (!facts_.final)
      facts_.notes.push_back({"provisional", "Accounting has come to " +
                                                 report::stamp(wish_.zone, facts_.horizon) +
                                                 ": later hours are not in yet"});
    if (facts_.total.capacity().slot_ms == 0 && facts_.total.allocated().slot_ms > 0)
      facts_.notes.push_back({"no_capacity",
                              "What hosts had is not recorded for this time: "
                              "badmin rebuild-acct makes it of the events"});
    if (wish_.meter && subject_.is_all()) WM_TRY(note_steps());
    WM_TRY(auto restated, reports_.restated(from_ms_, to_ms_));
    if (restated > 0)
      facts_.notes.push_back(
          {"restated", std::to_string(restated) +
                           " hours were made again with other sums since they were "
                           "final: earlier reports differ"});
    return {};
  }
  // While it lies behind what was recorded, time stands still: for use and for what there is.
  Result<void> note_steps() {
    WM_TRY(auto steps, wish_.meter->steps(wish_.period.from, wish_.period.to));
    for (const auto& step : steps) {
      auto size = static_cast<double>(step.step_us < 0 ? -step.step_us : step.step_us) / 1e6;
      facts_.notes.push_back({"clock_step", "The master's clock was set " +
                                                std::string(step.step_us < 0 ? "back" : "forward") +
                                                " by " + report::wait_words(size) + " at " +
                                                clock(step.at)});
    }
    return {};
  }
  std::int64_t all_failures() const {
    std::int64_t sum = 0;
    for (const auto& row : facts_.failures) sum += row.n;
    return sum;
  }

  AcctScan& acct_;
  ReportDb& reports_;
  const FactsWish& wish_;
  Subject subject_;
  Facts facts_;
  Window window_;
  std::int64_t from_ms_ = 0, to_ms_ = 0;
  std::set<JobId> dispatched_;  // in the period, of what it is about
  std::map<std::string, std::pair<report::Amounts, report::Amounts>> by_plan_;
};

}  // namespace

Result<Facts> gather(AcctScan& acct, ReportDb& reports, const FactsWish& wish) {
  return Gatherer(acct, reports, wish).run();
}

Result<std::vector<std::string>> users_of(AcctScan& acct, ReportDb& reports,
                                          const report::Period& period) {
  std::set<std::string> users;
  WM_TRY(auto dims, reports.dims(period.from * 1000, period.to * 1000));
  for (const auto& use : dims) users.insert(use.dim.user);
  WM_TRY(acct.waiting(period.to * 1'000'000, [&](const JobRow& row) { users.insert(row.user); }));
  users.erase("");
  return std::vector<std::string>(users.begin(), users.end());
}

}  // namespace wm::store
