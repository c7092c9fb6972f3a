// How budgets stand, by the same sums as the rest of a report, and the mails that say so: each once
// in a budget's period.
#include <algorithm>
#include <optional>

#include "commands/common/command.h"
#include "commands/report/work.h"
#include "libwm/conf/load.h"
#include "libwm/model/budget.h"
#include "libwm/model/job.h"
#include "libwm/report/words.h"

namespace wm::cmd {
namespace {

constexpr int kMostCarried = 2;  // periods back from which something may have been carried

std::int64_t seconds(WallTime t) { return report::seconds_of(t); }

/// What jobs drew on budgets, from the sums by hour.
class Standings {
 public:
  Standings(store::ReportDb& reports, Config config)
      : reports_(reports), config_(std::move(config)) {}

  /// Of the budget's period that holds `at`, until then; none: it has no such period.
  Result<std::optional<report::BudgetFacts>> of(const BudgetConf& conf, std::int64_t at) {
    auto period = period_at(config_.budgets, conf, report::at_second(at));
    std::optional<report::BudgetFacts> none;
    if (period.from == period.to || period.to == WallTime::max()) return none;
    report::BudgetFacts made;
    made.name = conf.name, made.period = period_words(conf, period), made.at_end = conf.at_end;
    made.from = seconds(period.from), made.to = seconds(period.to), made.warn = conf.warn;
    made.at = at;
    WM_TRY(auto used, drawn(conf, made.from, at));
    WM_TRY(auto carried, carried_into(conf, period, kMostCarried));
    auto grant = grant_of(conf);
    if (conf.gpu_hours) made.gpu = {grant.gpu, carried.gpu, used.gpu};
    if (conf.cpu_hours) made.cpu = {grant.cpu, carried.cpu, used.cpu};
    BudgetAccount account;
    account.drawn = used, account.carried = carried;
    made.percent = percent_used(conf, account);
    return std::optional(std::move(made));
  }
  const Budgets& budgets() const { return config_.budgets; }

 private:
  bool draws(const report::Dim& dim, const BudgetConf& conf) const {
    JobSpec spec;
    spec.plan = dim.plan, spec.project = dim.project, spec.owner.user = dim.user;
    auto all = budgets_of(config_, spec);
    return std::any_of(all.begin(), all.end(), [&](auto* one) { return one->name == conf.name; });
  }
  Result<Drawn> drawn(const BudgetConf& conf, std::int64_t from, std::int64_t to) {
    Drawn sum;
    WM_TRY(auto uses, reports_.dims(from * 1000, to * 1000));
    for (const auto& use : uses)
      if (draws(use.dim, conf))
        sum += Drawn{use.allocated.gpueq_mms - use.refunded.gpueq_mms,
                     use.allocated.cpu_mms - use.refunded.cpu_mms};
    return sum;
  }
  // As the account at the master is carried on: nothing from before there were sums.
  Result<Drawn> carried_into(const BudgetConf& conf, const BudgetSpan& period, int depth) {
    if (conf.carry == 0 || conf.from != conf.to || depth == 0) return Drawn{};
    auto before = period_at(config_.budgets, conf, period.from - std::chrono::seconds(1));
    WM_TRY(auto hours, reports_.hours(seconds(before.from) * 1000, seconds(period.from) * 1000));
    if (hours.empty()) return Drawn{};
    BudgetAccount account;
    account.since = before.from, account.as_of = period.from;
    WM_TRY(account.carried, carried_into(conf, before, depth - 1));
    WM_TRY(account.drawn, drawn(conf, seconds(before.from), seconds(period.from)));
    settle(config_.budgets, conf, account, period.from);
    return account.carried;
  }

  store::ReportDb& reports_;
  Config config_;
};

// None where nothing is configured; a configuration that cannot be read is told and passed over.
std::optional<Standings> standings_of(Open& open) {
  auto config = conf::load(conf_dir(), conf::this_host());
  if (!config) complain("wmreport: no budgets: " + config.error().text + "\n");
  if (!config || config->budgets.list.empty()) return {};
  return std::optional<Standings>(std::in_place, *open.reports, *std::move(config));
}

bool is_about(const std::string& budget, const std::string& about) {
  if (about.empty()) return true;
  if (about[0] != '/') return budget == "user:" + about;
  return budget == about || budget.starts_with(about == "/" ? "/" : about + "/");
}

/// Those whom a budget concerns, each with an address.
std::vector<std::string> concerned(const ReportSite& site, const std::string& budget) {
  std::vector<std::string> names = site.conf.admins, found;
  if (budget.starts_with("user:")) names.push_back(budget.substr(5));
  if (auto to = site.conf.to.find(budget); to != site.conf.to.end())
    names.insert(names.end(), to->second.owners.begin(), to->second.owners.end());
  for (const auto& name : names) {
    auto address = conf::address_of(site.conf, name);
    bool had = std::find(found.begin(), found.end(), address) != found.end();
    if (!address.empty() && !had) found.push_back(address);
  }
  return found;
}

std::string hours_of(const report::BudgetAmounts& of, const char* unit) {
  auto whole = of.granted + of.carried, left = whole - of.used;
  auto text = hours_text(of.used) + " of " + hours_text(whole) + " " + unit + " hours are used, ";
  return text +
         (left >= 0 ? hours_text(left) + " are left" : hours_text(-left) + " more than there are");
}

// At the pace of the period until now; empty: not within it.
std::string empty_on(const report::BudgetFacts& budget, const report::Zone& zone) {
  auto passed = static_cast<double>(budget.at - budget.from);
  if (budget.percent <= 0 || budget.percent >= 100 || passed <= 0) return "";
  auto at =
      budget.from + static_cast<std::int64_t>(passed * 100 / static_cast<double>(budget.percent));
  if (at >= budget.to) return "";
  return "At the pace until now they are used up on " +
         report::date_words(report::local(zone, at)) + ".\n";
}

std::string end_words(const report::BudgetFacts& budget) {
  auto when = std::string(budget.percent >= 100 ? "From now on" : "Then");
  if (budget.at_end == "lowest")
    return when + " its jobs start after all others. Nothing that runs is ended.\n";
  if (budget.at_end == "shrink")
    return when +
           " its jobs wait and elastic ones go to their minimum. Nothing that runs is ended.\n";
  return when +
         " new jobs are refused and those that wait go on waiting. Nothing that runs is "
         "ended.\n";
}

std::string note_of(const report::BudgetFacts& budget) {
  std::string text = "Budget " + budget.name + ": " + std::to_string(budget.percent) + " % of " +
                     budget.period + " used";
  if (budget.gpu) text += "; " + hours_of(*budget.gpu, "GPU");
  if (budget.cpu) text += "; " + hours_of(*budget.cpu, "CPU");
  return text;
}

std::string warning_text(const report::BudgetFacts& budget, const report::Zone& zone) {
  std::string text = "Budget " + report::plain(budget.name) + ", " + budget.period + " until " +
                     report::stamp(zone, budget.at) + ":\n\n";
  if (budget.gpu) text += "  " + hours_of(*budget.gpu, "GPU") + ".\n";
  if (budget.cpu) text += "  " + hours_of(*budget.cpu, "CPU") + ".\n";
  return text + "\n" + empty_on(budget, zone) + end_words(budget) + "\nbplans -b " +
         report::plain(budget.name) +
         " shows how it stands now; bsub -cost what a job would draw.\n";
}

}  // namespace

Result<void> add_budgets(Open& open, report::Facts& facts) {
  auto standings = standings_of(open);
  if (!standings) return {};
  auto until = std::min(facts.period.to, facts.horizon);
  if (until <= facts.period.from) return {};
  for (const auto& conf : standings->budgets().list) {
    if (!is_about(conf.name, facts.about)) continue;
    WM_TRY(auto budget, standings->of(conf, until - 1));
    if (!budget) continue;
    if (budget->percent >= static_cast<std::int64_t>(conf.warn))
      facts.notes.push_back({"budget", note_of(*budget)});
    facts.budgets.push_back(*std::move(budget));
  }
  return {};
}

Result<std::vector<std::string>> warn_of_budgets(Open& open, const ReportSite& site,
                                                 const ReportWish& wish) {
  std::vector<std::string> problems;
  auto standings = standings_of(open);
  if (!standings) return problems;
  auto until = open.rolled.horizon / 1'000'000;
  for (const auto& conf : standings->budgets().list) {
    WM_TRY(auto budget, standings->of(conf, until));
    if (!budget || budget->percent < static_cast<std::int64_t>(conf.warn)) continue;
    auto level = budget->percent >= 100 ? std::string("100") : "warn";
    auto period = report::date_text(report::local(site.zone, budget->from));
    auto subject = site.cluster.name + ": budget " + report::plain(conf.name) + ": " +
                   std::to_string(budget->percent) + " % of " + budget->period + " used";
    for (const auto& address : concerned(site, conf.name)) {
      auto key = conf.name + " " + level + " " + address;
      WM_TRY(bool had, open.reports->is_sent("budget", period, key));
      if (had) continue;
      auto mailed = mail_text(site, wish,
                              {address, subject, warning_text(*budget, site.zone),
                               "budget-" + conf.name + "-" + period + "-" + level});
      if (!mailed.sent) problems.push_back("no mail to " + address + ": " + mailed.why);
      if (mailed.sent && wish.out.empty())
        WM_TRY(open.reports->note_sent("budget", period, key, site.now));
    }
  }
  return problems;
}

}  // namespace wm::cmd
