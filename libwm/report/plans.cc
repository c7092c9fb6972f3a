#include "libwm/report/plans.h"

#include <algorithm>
#include <set>

#include "libwm/base/result.h"

namespace wm::report {
namespace {

// A plan as it stands between two changes. @units thousandths of slots
struct Standing {
  std::string name;
  std::int64_t used = 0, owns = 0, borrowed = 0, lent = 0;
  std::size_t level = 0;          // of its siblings
  std::vector<PlanAmounts> sums;  // by hour
};

std::int64_t excess(const Standing& plan) {
  return std::max<std::int64_t>(0, plan.used - plan.owns);
}
std::int64_t idle(const Standing& plan) { return std::max<std::int64_t>(0, plan.owns - plan.used); }

// Plans below the same one, which borrow from each other.
struct Level {
  std::vector<std::size_t> plans;
  std::int64_t at = 0;  // counted up to here, ms
};

/// Plans and their levels, swept over time.
class Sweep {
 public:
  Sweep(const std::vector<Hour>& hours, const std::set<std::string>& names) : hours_(hours) {
    std::map<std::string, std::size_t> levels;
    for (const auto& name : names) {
      auto [level, fresh] = levels.try_emplace(plan_above(name), levels_.size());
      if (fresh) levels_.push_back({{}, hours.front().start});
      levels_[level->second].plans.push_back(plans_.size());
      numbers_[name] = plans_.size();
      plans_.push_back({name});
      plans_.back().level = level->second;
      plans_.back().sums.resize(hours.size());
    }
  }

  void change(const std::string& name, bool owns, std::int64_t by, std::int64_t at) {
    auto& plan = plans_[numbers_.at(name)];
    auto& level = levels_[plan.level];
    if (at > level.at) count(level, at);
    (owns ? plan.owns : plan.used) += by;
  }

  std::vector<Standing> end(std::int64_t at) {
    for (auto& level : levels_) count(level, at);
    return std::move(plans_);
  }

 private:
  // Who comes first has the first of what is lent.
  void balance(const Level& level) {
    std::int64_t beyond = 0, free = 0;
    for (auto i : level.plans) beyond += excess(plans_[i]), free += idle(plans_[i]);
    auto borrowed = std::min(beyond, free), lent = borrowed;
    for (auto i : level.plans) {
      auto& plan = plans_[i];
      plan.borrowed = std::min(borrowed, excess(plan));
      plan.lent = std::min(lent, idle(plan));
      borrowed -= plan.borrowed;
      lent -= plan.lent;
    }
  }

  void count(Level& level, std::int64_t to) {
    balance(level);
    auto hour = std::upper_bound(hours_.begin(), hours_.end(), level.at,
                                 [](std::int64_t t, const Hour& h) { return t < h.start; });
    for (--hour; hour != hours_.end() && hour->start < to; ++hour) {
      auto ms = std::min(to, hour->end()) - std::max(level.at, hour->start);
      auto of = [&](std::int64_t milli) { return milli * ms / 1000; };
      for (auto i : level.plans) {
        const auto& plan = plans_[i];
        if (plan.used == 0 && plan.owns == 0) continue;
        plans_[i].sums[static_cast<std::size_t>(hour - hours_.begin())] +=
            {of(plan.owns), of(plan.used), of(plan.borrowed), of(plan.lent),
             of(excess(plan) - plan.borrowed)};
      }
    }
    level.at = to;
  }

  const std::vector<Hour>& hours_;
  std::vector<Standing> plans_;
  std::vector<Level> levels_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

PlanAmounts& PlanAmounts::operator+=(const PlanAmounts& more) {
  owned += more.owned;
  used += more.used;
  borrowed += more.borrowed;
  lent += more.lent;
  beyond += more.beyond;
  return *this;
}

std::string plan_above(const std::string& plan) {
  auto at = plan.rfind('/');
  if (plan.size() < 2 || at == plan.npos) return "";
  return at == 0 ? "/" : plan.substr(0, at);
}

PlanFold::PlanFold(std::vector<Hour> hours, std::int64_t horizon)
    : hours_(std::move(hours)), horizon_(floor_div(horizon, 1000)) {
  WM_CHECK(!hours_.empty());
}

void PlanFold::add(const std::string& plan, bool owns, std::int64_t start, std::int64_t end,
                   std::int64_t amount) {
  auto last = std::min(hours_.back().end(), horizon_);
  auto from = std::max(floor_div(start, 1000), hours_.front().start);
  auto to = end == 0 ? last : std::min(floor_div(end, 1000), last);
  if (from >= to || amount == 0) return;
  changes_.push_back({from, plan, owns, amount});
  changes_.push_back({to, plan, owns, -amount});
}

void PlanFold::add_use(const std::string& plan, std::int64_t start, std::int64_t end,
                       std::int64_t slots) {
  for (auto at = plan; !at.empty(); at = plan_above(at)) add(at, false, start, end, slots);
}

void PlanFold::add_conf(const std::string& plan, std::int64_t since, std::int64_t until,
                        std::int64_t owns) {
  add(plan, true, since, until, owns * 1000);
}

std::vector<PlanFold::Row> PlanFold::finish() {
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) { return a.at < b.at; });
  std::set<std::string> names;
  for (const auto& change : changes_) names.insert(change.plan);
  Sweep sweep(hours_, names);
  for (const auto& change : changes_) sweep.change(change.plan, change.owns, change.by, change.at);
  auto plans = sweep.end(std::min(hours_.back().end(), std::max(horizon_, hours_.front().start)));
  std::vector<Row> rows;
  for (std::size_t h = 0; h < hours_.size(); ++h)
    for (const auto& plan : plans)
      if (plan.sums[h] != PlanAmounts{}) rows.push_back({hours_[h].start, plan.name, plan.sums[h]});
  return rows;
}

}  // namespace wm::report
