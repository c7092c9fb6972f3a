// Keys of budgets.conf, its dates, and what no single key can say.
#include <ctime>
#include <set>

#include "libwm/base/nearest.h"
#include "libwm/conf/budgets.h"
#include "libwm/conf/keys.h"

namespace wm::conf {
namespace {

using B = BudgetConf;
constexpr const char* kBudgetFile = "budgets.conf";
constexpr int kFirstYear = 2020, kLastYear = 2060;
constexpr std::string_view kEnds[] = {"refuse", "lowest", "shrink"};

constexpr Key<B> kBudgetKeys[] = {
    {"gpu_hours",
     [](B& b) -> Field { return &b.gpu_hours; },
     {0, 1'000'000'000},
     Effect::Reconfig,
     "Hours of whole GPUs in a period; shares and slices count as their part. none: unbounded."},
    {"cpu_hours",
     [](B& b) -> Field { return &b.cpu_hours; },
     {0, 1'000'000'000},
     Effect::Reconfig,
     "Hours of CPUs in a period. none: unbounded."},
    {"period", [](B& b) -> Field { return &b.period; }, kAny, Effect::Reconfig,
     "month, quarter, year, or two dates as 2026-01-01..2026-07-01, the second not included. At "
     "the time of report_timezone (report.conf), else of the master's machine."},
    {"carry",
     [](B& b) -> Field { return &b.carry; },
     {0, 100},
     Effect::Reconfig,
     "Percent of the hours that go into the next period where they are left over; they are spent "
     "first, and not carried twice."},
    {"warn",
     [](B& b) -> Field { return &b.warn; },
     {1, 100},
     Effect::Reconfig,
     "Percent used from which bsub says how much is left, and wmreport mails once in the period "
     "whoever it concerns; both say so at 100 in any case."},
    {"at_end",
     [](B& b) -> Field {
       return Choice{&b.at_end, kEnds};
     },
     kAny, Effect::Reconfig,
     "When it is used up: new jobs are refused and those that wait go on waiting (refuse); jobs "
     "start after all others (lowest); jobs wait, and elastic ones go to their minimum (shrink). "
     "No job is ever ended for it."},
    {"within", [](B& b) -> Field { return &b.within; }, kAny, Effect::Reconfig,
     "Another budget that its jobs draw on as well. Plans draw on those above them anyway."},
};

// "2026-01-31" as the clock shows it; nothing: no such date.
std::optional<std::tm> date_of(const std::string& text) {
  std::tm date{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%d", &date);
  if (!end || *end || text.size() != 10) return {};
  std::tm same = date;
  ::timegm(&same);
  if (same.tm_mday != date.tm_mday) return {};
  return date;
}

bool comes_again(const std::string& period) {
  return period == "month" || period == "quarter" || period == "year";
}

// The two dates of FROM..TO.
std::optional<std::pair<std::tm, std::tm>> dates_of(const std::string& period) {
  auto dots = period.find("..");
  if (dots == period.npos) return {};
  auto from = date_of(period.substr(0, dots)), to = date_of(period.substr(dots + 2));
  if (!from || !to || ::timegm(&*from) >= ::timegm(&*to)) return {};
  return std::pair(*from, *to);
}

WallTime instant(std::tm date, const Clock& clock) {
  date.tm_isdst = -1;
  return WallTime(std::chrono::seconds(clock(&date)));
}

/// One budget under examination.
struct BudgetSubject {
  const Config& config;
  const Lines& lines;
  Problems& problems;
  const BudgetConf& budget;

  void wrong(const std::string& key, const std::string& text) const {
    problems.add(lines.at(kBudgetFile, budget.name, key), (key.empty() ? "" : key + ": ") + text);
  }
  void name() const {
    if (budget.name.starts_with('/')) {
      if (!config.plan(budget.name)) wrong("", "no plan '" + budget.name + "' for this budget");
      return;
    }
    bool known = budget.name.starts_with("project:") || budget.name.starts_with("user:");
    if (!known || budget.name.back() == ':')
      wrong("",
            "budget '" + budget.name + "' is none of a plan's path, project:NAME and user:NAME");
  }
  void within() const {
    if (budget.within.empty()) return;
    if (!config.budgets.find(budget.within)) {
      std::vector<std::string_view> names;
      for (const auto& other : config.budgets.list) names.push_back(other.name);
      auto near = nearest(budget.within, names);
      return wrong("within", "no budget '" + budget.within + "'" +
                                 (near.empty() ? "" : " (nearest: " + std::string(near) + ")"));
    }
    std::string way = budget.name;
    std::set<std::string> seen{budget.name};
    for (const auto* at = &budget; at && !at->within.empty();) {
      way += " within " + at->within;
      if (at->within == budget.name) return wrong("within", "goes in a circle: " + way);
      if (!seen.insert(at->within).second) return;
      at = config.budgets.find(at->within);
    }
  }
};

}  // namespace

std::span<const Key<BudgetConf>> budget_keys() { return kBudgetKeys; }

void set_dates(Budgets& budgets, const Clock& clock) {
  budgets.months.clear();
  if (budgets.list.empty()) return;
  for (int year = kFirstYear; year <= kLastYear; ++year)
    for (int month = 0; month < 12; ++month) {
      std::tm date{};
      date.tm_year = year - 1900, date.tm_mon = month, date.tm_mday = 1, date.tm_isdst = -1;
      budgets.months.push_back(clock(&date));
    }
  for (auto& budget : budgets.list)
    if (auto dates = dates_of(budget.period)) {
      budget.from = instant(dates->first, clock);
      budget.to = instant(dates->second, clock);
    }
}

void check_budgets(const Config& config, const Lines& lines, Problems& problems) {
  for (const auto& budget : config.budgets.list) {
    BudgetSubject subject{config, lines, problems, budget};
    subject.name();
    subject.within();
    if (!budget.gpu_hours && !budget.cpu_hours)
      subject.wrong("", "budget '" + budget.name + "' has neither gpu_hours nor cpu_hours");
    if (!comes_again(budget.period) && !dates_of(budget.period))
      subject.wrong("period", "'" + budget.period +
                                  "' is none of month, quarter, year and two dates as "
                                  "2026-01-01..2026-07-01");
  }
}

}  // namespace wm::conf
