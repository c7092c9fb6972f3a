// One row per field; the table and the long form are made of the same texts.
#include "libwm/view/plan_fields.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "libwm/base/joined.h"
#include "libwm/base/units.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

using P = PlanView;

// No limit is an empty text in JSON and "-" in tables.
std::string limit(const P& p) { return p.limit < 0 ? "" : std::to_string(p.limit); }

std::string sizes_word(const P& p, std::string_view none) {
  return std::string(p.conf.elastic ? to_string(*p.conf.elastic) : none);
}

std::string lends(const P& p) { return p.conf.lend ? count(*p.conf.lend) : "all"; }

std::string borrows(const P& p) {
  if (p.conf.borrow == Borrow::Listed) return joined(p.conf.borrow_from);
  return std::string(to_string(p.conf.borrow));
}

std::string whole_seconds(double value) { return std::to_string(std::llround(value)); }

std::string thousandths(std::uint32_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value / 1000.0);
  return text;
}

// Which of shares_at holds now; null: none, the plan's own shares do.
const TimedShares* in_force(const P& p) {
  if (p.shares == p.conf.shares) return nullptr;
  auto at = std::ranges::find(p.conf.shares_at, p.shares, &TimedShares::shares);
  return at == p.conf.shares_at.end() ? nullptr : &*at;
}

std::string timed_text(const TimedShares& timed) {
  return std::to_string(timed.shares) + " in " + show_windows(timed.windows);
}

std::string shares_at(const P& p) {
  std::string text;
  for (const auto& timed : p.conf.shares_at) text += (text.empty() ? "" : ", ") + timed_text(timed);
  return text;
}

std::string policy(const P& p) { return std::string(to_string(p.conf.policy)); }

constexpr Field<P> kPlanFields[] = {
    {{"plan", "path", 30}, kBrief, [](const P& p) { return p.path; }},
    {{"shares", "", 7}, kBrief, [](const P& p) { return p.shares; }},
    {{"owns", "", 7}, kBrief, [](const P& p) { return p.owns; }},
    {{"limit", "", 7},
     kBrief,
     [](const P& p) { return p.limit < 0 ? std::nullopt : std::optional(p.limit); }},
    {{"used", "", 7}, kBrief, [](const P& p) { return p.used; }},
    {{"demand", "", 7}, kBrief, [](const P& p) { return p.demand; }},
    {{"deserved", "", 8}, kBrief, [](const P& p) { return p.deserved; }},
    {{"lent", "", 7}, kBrief, [](const P& p) { return p.lent; }},
    {{"borrowed", "", 8}, kBrief, [](const P& p) { return p.borrowed; }},
    {{"shares_at", "", 30}, kText, shares_at},
    {{"policy", "", 10}, kFull, policy},
    {{"elastic", "", 10},
     kFull,
     [](const P& p) { return p.conf.elastic ? to_string(*p.conf.elastic) : std::string_view(); },
     [](const P& p) { return sizes_word(p, "queue"); }},
    {{"lend", "", 7}, kFull, [](const P& p) { return p.conf.lend; }, lends},
    {{"borrow", "", 20}, kFull, [](const P& p) { return to_string(p.conf.borrow); }, borrows},
    {{"users", "", 30}, kFull, [](const P& p) { return p.conf.users; }},
    {{"description", "desc", 50}, kFull, [](const P& p) { return p.conf.description; }},
};

constexpr Field<P> kMorePlanFields[] = {
    {{"gpus", ""}, kBrief, [](const P& p) { return p.gpus; }},
    {{"borrow_from", ""}, kFull, [](const P& p) { return p.conf.borrow_from; }},
    {{"reclaim_grace", ""}, kFull, [](const P& p) { return p.conf.reclaim_grace; }},
    {{"used_lately", ""}, kFull, [](const P& p) { return p.used_lately; }},
    {{"shares_now", ""}, kFull, [](const P& p) { return p.weight_now / 1000.0; }},
};

constexpr Field<PlanLoan> kLoans[] = {
    {{"from", ""}, kFull, [](const PlanLoan& loan) { return loan.from; }},
    {{"to", ""}, kFull, [](const PlanLoan& loan) { return loan.to; }},
    {{"amount", ""}, kFull, [](const PlanLoan& loan) { return loan.amount; }},
};

constexpr const char* kPlanHeading = " SHARES  OWNS LIMIT  USED DEMAND DESERVED  LENT BORROWED\n";

std::string plan_numbers(const P& p) {
  auto column = [](const std::string& value, std::size_t width) {
    return std::string(value.size() < width ? width - value.size() : 1, ' ') + value;
  };
  return column(count(p.shares) + (in_force(p) ? "*" : ""), 7) + column(count(p.owns), 6) +
         column(p.limit < 0 ? "-" : limit(p), 6) + column(count(p.used), 6) +
         column(count(p.demand), 7) + column(count(p.deserved), 9) + column(count(p.lent), 6) +
         column(count(p.borrowed), 9) + "\n";
}

}  // namespace

std::span<const Field<PlanView>> plan_fields() { return kPlanFields; }
std::span<const Field<PlanView>> more_plan_fields() { return kMorePlanFields; }
std::span<const Field<PlanLoan>> loan_fields() { return kLoans; }

std::string tree_name(const std::string& path) {
  if (path == "/") return path;
  auto depth = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
  return std::string(depth * 2, ' ') + path.substr(path.rfind('/'));
}

std::string plan_table(std::span<const PlanView> plans, bool whole_paths, bool with_header) {
  std::size_t width = 20;
  for (const auto& plan : plans) width = std::max(width, plan.path.size());
  auto name = [&](const std::string& text) { return fit(text, static_cast<int>(width)); };
  std::string text = with_header ? name("PLAN") + kPlanHeading : "";
  for (const auto& plan : plans)
    text += name(whole_paths ? plan.path : tree_name(plan.path)) + plan_numbers(plan);
  return text;
}

std::string plan_long_text(const PlanView& view) {
  std::string text = "PLAN: " + view.path + "\n";
  if (!view.conf.description.empty()) text += "  -- " + view.conf.description + "\n";
  text += std::string("\n") + kPlanHeading + plan_numbers(view) + "\n";
  auto line = [&](const char* name, const std::string& value) {
    text += fit(name, 15) + value + "\n";
  };
  if (!view.conf.shares_at.empty())
    line("SHARES:", count(view.conf.shares) + " else" + (in_force(view) ? "" : ", in force"));
  for (const auto& timed : view.conf.shares_at)
    line("SHARES AT:", timed_text(timed) + (&timed == in_force(view) ? ", in force" : ""));
  line("POLICY:", policy(view));
  line("ELASTIC SIZES:", sizes_word(view, "as the queue says"));
  line("LENDS:", lends(view));
  line("BORROWS FROM:", borrows(view));
  line("RECLAIM GRACE:",
       view.conf.reclaim_grace ? format_duration(*view.conf.reclaim_grace) : "the cluster's");
  line("COUNTED IN:", view.gpus ? "GPUs" : "slots");
  line("ENTITLED TO:",
       count(view.deserved) + " of " + count(view.demand) + " asked, uses " + count(view.used));
  for (const auto& loan : view.loans) {
    bool gives = loan.from == view.path;
    line(gives ? "LENT TO:" : "BORROWED FROM:",
         (gives ? loan.to : loan.from) + " " + count(loan.amount));
  }
  line("USED LATELY:", whole_seconds(view.used_lately) + " s of the whole cluster");
  if (view.weight_now != view.shares * 1000) line("SHARES NOW:", thousandths(view.weight_now));
  line("USERS:", view.conf.users.empty() ? "all" : joined(view.conf.users));
  return text;
}

}  // namespace wm::view
