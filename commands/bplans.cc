// bplans: shows the tree of resource plans: who may have how much, has how much, and from
// whom. Formatting is common/plan_fields and common/listing.
#include <algorithm>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/view/budget_fields.h"
#include "libwm/view/plan_fields.h"

namespace wm::cmd::bplans {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"w", Kind::Flag, "", "Whole paths instead of a tree"},
    {"l", Kind::Flag, "", "Everything about each plan"},
    {"b", Kind::Flag, "", "Budgets instead: hours granted, used, reserved and left"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

constexpr Listing kListing{"bplans", "PLANS",
                           "plan shares owns limit used demand deserved lent borrowed"};

Result<std::string> shown(const Parsed& options, std::span<const PlanView> plans) {
  WM_TRY(auto listing, listed<PlanView>(options, kListing, view::plan_fields(), plans));
  if (listing) return *listing;
  bool whole_paths = options.has("w") || !options.words.empty();
  if (!options.has("l")) return view::plan_table(plans, whole_paths, !options.has("noheader"));
  std::string text;
  for (const auto& view : plans) text += (text.empty() ? "" : "\n") + view::plan_long_text(view);
  return text;
}

// Paths that the cluster does not have, on stderr; the exit code that goes with it.
int exit_code(const Parsed& options, std::span<const PlanView> plans) {
  int code = 0;
  for (const auto& path : options.words) {
    auto known =
        std::any_of(plans.begin(), plans.end(), [&](auto& view) { return view.path == path; });
    if (known) continue;
    complain(path + ": No such resource plan\n");
    code = kRefused;
  }
  return code;
}

constexpr Listing kBudgets{"bplans", "BUDGETS",
                           "budget period unit granted carried used reserved left rate "
                           "percent_used empty_at at_end refunded"};

// Those named, or all.
Result<int> show_budgets(const Parsed& options, client::Master& from) {
  WM_TRY(auto reply, from.ask(BudgetsRequest{}));
  int code = 0;
  std::vector<BudgetView> asked;
  for (const auto& name : options.words) {
    auto known = std::ranges::find(reply.budgets, name, &BudgetView::name);
    if (known != reply.budgets.end()) {
      asked.push_back(*known);
      continue;
    }
    complain(name + ": No such budget\n");
    code = kRefused;
  }
  if (options.words.empty()) asked = std::move(reply.budgets);
  auto lines = view::budget_lines(asked);
  WM_TRY(auto listing, listed<view::BudgetLine>(options, kBudgets, view::budget_fields(), lines));
  if (listing) say(*listing);
  else if (!asked.empty()) say(view::budget_table(asked, !options.has("noheader")));
  else if (options.words.empty()) say("No budget is configured\n");
  return code;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto from, master());
  if (options.has("b")) return show_budgets(options, from);
  WM_TRY(auto reply, from.ask(PlansRequest{options.words}));
  WM_TRY(auto text, shown(options, reply.plans));
  if (!reply.plans.empty() || options.has("json")) say(text);
  return exit_code(options, reply.plans);
}

}  // namespace
}  // namespace wm::cmd::bplans

int main(int argc, char** argv) {
  using namespace wm::cmd::bplans;
  return main_of({"bplans", "bplans [options] [/path ... | budget ...]", kOptions}, argc, argv,
                 run);
}
