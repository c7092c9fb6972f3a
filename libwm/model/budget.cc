#include "libwm/model/budget.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <string_view>

#include "libwm/model/config/config.h"
#include "libwm/model/job.h"

namespace wm {
namespace {

WallTime at_second(std::int64_t s) { return WallTime(std::chrono::seconds(s)); }

// Months of a period that comes again.
std::size_t months_of(const BudgetConf& conf) {
  return conf.period == "year" ? 12 : conf.period == "quarter" ? 3 : 1;
}

std::int64_t part(std::int64_t amount, std::uint32_t percent) {
  return amount / 100 * percent + amount % 100 * percent / 100;
}

// Of the grant is left what was used neither of it nor of what was carried into it.
std::int64_t carried_on(std::int64_t grant, std::int64_t carried, std::int64_t used,
                        std::uint32_t percent) {
  auto of_grant = std::max<std::int64_t>(0, used - carried);
  return std::min(part(grant, percent), std::max<std::int64_t>(0, grant - of_grant));
}

// Nothing is carried from before the account was.
void begin_period(const BudgetConf& conf, BudgetAccount& account, WallTime from) {
  if (account.since == WallTime{}) {
    account.since = from;
    return;
  }
  auto grant = grant_of(conf), used = account.used();
  account.carried = {carried_on(grant.gpu, account.carried.gpu, used.gpu, conf.carry),
                     carried_on(grant.cpu, account.carried.cpu, used.cpu, conf.carry)};
  account.drawn = account.refunded = {};
  account.since = from;
}

}  // namespace

const BudgetConf* Budgets::find(const std::string& name) const {
  auto at = std::lower_bound(list.begin(), list.end(), name,
                             [](const BudgetConf& b, const std::string& n) { return b.name < n; });
  return at != list.end() && at->name == name ? &*at : nullptr;
}

std::int64_t whole_ms(WallTime from, WallTime to) {
  auto ms = [](WallTime t) { return std::chrono::floor<std::chrono::milliseconds>(t); };
  return std::max<std::int64_t>(0, (ms(to) - ms(from)).count());
}

// Beyond the calendar's ends there is one period each.
BudgetSpan period_at(const Budgets& budgets, const BudgetConf& conf, WallTime at) {
  if (conf.from != conf.to) {
    bool inside = conf.from <= at && at < conf.to;
    return inside ? BudgetSpan{conf.from, conf.to} : BudgetSpan{at, at};
  }
  const auto& months = budgets.months;
  auto s = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  auto next = std::upper_bound(months.begin(), months.end(), s);
  if (next == months.begin())
    return {{}, months.empty() ? WallTime::max() : at_second(months.front())};
  auto step = months_of(conf);
  auto first = static_cast<std::size_t>(next - months.begin() - 1) / step * step;
  return {at_second(months[first]),
          first + step < months.size() ? at_second(months[first + step]) : WallTime::max()};
}

std::string period_words(const BudgetConf& conf, const BudgetSpan& period) {
  static constexpr std::array<const char*, 12> kMonths = {
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  if (conf.from != conf.to) return conf.period;
  // The middle of its first month, whatever the place's offset is.
  auto day = std::chrono::floor<std::chrono::days>(period.from + std::chrono::hours(15 * 24));
  std::chrono::year_month_day date(day);
  auto year = std::to_string(static_cast<int>(date.year()));
  auto month = static_cast<unsigned>(date.month()) - 1;
  if (conf.period == "year") return year;
  if (conf.period == "quarter") return "quarter " + std::to_string(month / 3 + 1) + " of " + year;
  return std::string(kMonths[month]) + " " + year;
}

void settle(const Budgets& budgets, const BudgetConf& conf, BudgetAccount& account, WallTime now) {
  while (account.as_of < now) {
    auto period = period_at(budgets, conf, account.as_of);
    bool in_force = period.from != period.to;
    if (in_force && account.since != period.from) begin_period(conf, account, period.from);
    auto end = in_force                    ? std::min(now, period.to)
               : account.as_of < conf.from ? std::min(now, conf.from)
                                           : now;
    if (in_force) account.drawn += account.rate * whole_ms(account.as_of, end);
    account.as_of = end;
  }
  auto period = period_at(budgets, conf, account.as_of);
  if (period.from != period.to && account.since != period.from)
    begin_period(conf, account, period.from);
}

Drawn grant_of(const BudgetConf& conf) {
  return {std::int64_t{conf.gpu_hours.value_or(0)} * kUnitHour,
          std::int64_t{conf.cpu_hours.value_or(0)} * kUnitHour};
}

std::int64_t percent_used(const BudgetConf& conf, const BudgetAccount& account, const Drawn& of) {
  auto part_of = [](bool bounded, std::int64_t used, std::int64_t have) -> std::int64_t {
    if (!bounded || used <= 0) return bounded && have <= 0 ? 100 : 0;
    return have <= 0 ? 100 : used / std::max<std::int64_t>(1, have / 100);
  };
  auto grant = grant_of(conf), used = account.used();
  return std::max(part_of(conf.gpu_hours && of.gpu > 0, used.gpu, grant.gpu + account.carried.gpu),
                  part_of(conf.cpu_hours && of.cpu > 0, used.cpu, grant.cpu + account.carried.cpu));
}

std::vector<const BudgetConf*> budgets_of(const Config& config, const JobSpec& spec) {
  std::vector<const BudgetConf*> found;
  const auto& budgets = config.budgets;
  if (budgets.list.empty()) return found;
  auto add = [&](const std::string& name) {
    for (const auto* conf = budgets.find(name); conf; conf = budgets.find(conf->within)) {
      if (std::find(found.begin(), found.end(), conf) != found.end()) return;
      found.push_back(conf);
    }
  };
  for (std::string path = spec.plan; path.size() > 1;) {
    add(path);
    auto slash = path.rfind('/');
    path.resize(slash == path.npos ? 0 : slash);
  }
  add("/");
  add("project:" + spec.project);
  add("user:" + spec.owner.user);
  std::sort(found.begin(), found.end(),
            [](const BudgetConf* a, const BudgetConf* b) { return a->name < b->name; });
  return found;
}

std::string hours_text(std::int64_t amount) {
  bool minus = amount < 0;
  auto tenths = (std::abs(amount) + kUnitHour / 20) / (kUnitHour / 10);
  auto whole = std::to_string(tenths / 10);
  for (auto at = static_cast<int>(whole.size()) - 3; at > 0; at -= 3)
    whole.insert(static_cast<std::size_t>(at), ",");
  auto text = tenths % 10 ? whole + "." + std::to_string(tenths % 10) : whole;
  return minus && tenths ? "-" + text : text;
}

}  // namespace wm
