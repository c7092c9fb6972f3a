// One row per field; the tables are made of the same texts.
#include "libwm/view/budget_fields.h"

#include <cstdio>

#include "libwm/view/times.h"

namespace wm::view {
namespace {

using L = BudgetLine;

std::int64_t amount(const L& line, const Drawn& of) { return line.gpu ? of.gpu : of.cpu; }
double hours(const L& line, const Drawn& of) {
  return static_cast<double>(amount(line, of)) / static_cast<double>(kUnitHour);
}
std::string shown(const L& line, const Drawn& of) { return hours_text(amount(line, of)); }
std::string unit(const L& line) { return line.gpu ? "GPU h" : "CPU h"; }
Drawn used(const L& line) { return line.budget->drawn - line.budget->refunded; }

// 12345 of 1000: thousandths of a unit that hold.
std::string rate(const L& line) {
  char text[32];
  auto milli = amount(line, line.budget->rate);
  std::snprintf(text, sizeof text, milli % 1000 ? "%.2f" : "%.0f",
                static_cast<double>(milli) / 1000);
  return text;
}

constexpr Field<L> kBudgetFields[] = {
    {{"budget", "name", 24}, kBrief, [](const L& l) { return l.budget->name; }},
    {{"period", "", 16}, kBrief, [](const L& l) { return l.budget->period; }},
    {{"unit", "", 6}, kBrief, [](const L& l) { return unit(l); }},
    {{"granted", "grant", 10},
     kBrief,
     [](const L& l) { return hours(l, l.budget->grant); },
     [](const L& l) { return shown(l, l.budget->grant); }},
    {{"carried", "", 8},
     kBrief,
     [](const L& l) { return hours(l, l.budget->carried); },
     [](const L& l) { return shown(l, l.budget->carried); }},
    {{"used", "", 10},
     kBrief,
     [](const L& l) { return hours(l, used(l)); },
     [](const L& l) { return shown(l, used(l)); }},
    {{"reserved", "", 9},
     kBrief,
     [](const L& l) { return hours(l, l.budget->reserved); },
     [](const L& l) { return shown(l, l.budget->reserved); }},
    {{"left", "", 10},
     kBrief,
     [](const L& l) { return hours(l, l.budget->left()); },
     [](const L& l) { return shown(l, l.budget->left()); }},
    {{"rate", "", 7},
     kBrief,
     [](const L& l) { return static_cast<double>(amount(l, l.budget->rate)) / 1000; },
     [](const L& l) { return rate(l); }},
    {{"percent_used", "percent", 4}, kBrief, [](const L& l) { return l.budget->percent; }},
    {{"empty_at", "empty", 14},
     kBrief,
     [](const L& l) { return l.budget->empty_at; },
     [](const L& l) { return short_time(l.budget->empty_at); }},
    {{"at_end", "", 7}, kFull, [](const L& l) { return l.budget->at_end; }},
    {{"refunded", "", 9},
     kFull,
     [](const L& l) { return hours(l, l.budget->refunded); },
     [](const L& l) { return shown(l, l.budget->refunded); }},
    {{"from", "", 14}, kFull, [](const L& l) { return l.budget->from; }},
    {{"to", "", 14}, kFull, [](const L& l) { return l.budget->to; }},
    {{"within", "", 16}, kFull, [](const L& l) { return l.budget->within; }},
};

constexpr std::string_view kTable =
    "budget:24 period:16 unit:5 granted:-9 carried:-8 used:-9 reserved:-9 left:-9 rate:-6 "
    "percent_used:-4 empty_at:14";

}  // namespace

std::vector<BudgetLine> budget_lines(std::span<const BudgetView> budgets) {
  std::vector<BudgetLine> lines;
  for (const auto& budget : budgets) {
    if (budget.gpu_bounded) lines.push_back({&budget, true});
    if (budget.cpu_bounded) lines.push_back({&budget, false});
  }
  return lines;
}

std::span<const Field<BudgetLine>> budget_fields() { return kBudgetFields; }

std::string budget_table(std::span<const BudgetView> budgets, bool with_header) {
  auto lines = budget_lines(budgets);
  std::span<const Field<BudgetLine>> table = kBudgetFields;
  auto names = names_of(table);
  auto format = parse_format(kTable, names);
  if (!format) return format.error().text + "\n";
  auto headings = headings_of(*format, names);
  for (auto& heading : headings)
    if (heading == "PERCENT_USED") heading = "%";
  return table_text(*format, headings,
                    cells_of<BudgetLine>(*format, table, std::span<const BudgetLine>(lines)),
                    with_header);
}

std::string cost_text(std::span<const BudgetView> budgets) {
  std::string text;
  for (const auto& line : budget_lines(budgets)) {
    const auto& budget = *line.budget;
    text += budget.name + ": up to " + hours_text(amount(line, budget.cost)) + " of " +
            hours_text(amount(line, budget.left() - budget.reserved)) +
            (line.gpu ? " GPU" : " CPU") + " hours that are free in " + budget.period + "\n";
  }
  for (const auto& budget : budgets)
    if (!budget.text.empty()) text += budget.text + "\n";
  return text.empty() ? "It draws on no budget.\n" : text;
}

}  // namespace wm::view
