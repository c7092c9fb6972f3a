// bsla: shows guarantees as LSF's service classes: plans that own slots.
#include <algorithm>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/view/plan_fields.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"N", Kind::IgnoredFlag, "", ""},
};

constexpr Listing kListing{"bsla", "SLAS", "plan owns used demand lent borrowed description"};

// One class, as LSF shows a guarantee.
std::string text_of(const PlanView& plan) {
  auto number = [](std::uint64_t n) { return std::to_string(n); };
  std::string users;
  for (const auto& user : plan.conf.users) users += (users.empty() ? "" : " ") + user;
  auto short_of = plan.owns > plan.used && plan.demand > plan.used
                      ? std::min(plan.owns, plan.demand) - plan.used
                      : 0u;
  return "SERVICE CLASS NAME:  " + plan.path + "\n -- " +
         (plan.conf.description.empty() ? "No description provided." : plan.conf.description) +
         "\nACCESS_CONTROL:  " + (users.empty() ? "all users" : "USERS[" + users + "]") +
         "\n\nGOAL:  GUARANTEE\nSTATUS:  " +
         (short_of    ? "Active:Delayed"
          : plan.used ? "Active:On time"
                      : "Inactive") +
         "\n\nGUARANTEED  USED  DEMAND  LENT\n" + view::fit(number(plan.owns), 10, true) +
         view::fit(number(plan.used), 6, true) + view::fit(number(plan.demand), 8, true) +
         view::fit(number(plan.lent), 6, true) + "\n";
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.plans({}));
  int code = 0;
  for (const auto& word : options.words) {
    auto known = std::ranges::find(reply.plans, word, &PlanView::path);
    if (known != reply.plans.end() && known->owns > 0) continue;
    complain(word + ": No such service class\n");
    code = kRefused;
  }
  std::erase_if(reply.plans, [&](const auto& plan) {
    bool asked =
        options.words.empty() || std::ranges::find(options.words, plan.path) != options.words.end();
    return plan.owns == 0 || !asked;
  });
  WM_TRY(auto listing, listed<PlanView>(options, kListing, view::plan_fields(), reply.plans));
  if (listing) return say(*listing), code;
  std::string text;
  for (const auto& plan : reply.plans) text += (text.empty() ? "" : "\n") + text_of(plan);
  if (text.empty() && code == 0) complain("There are no service classes\n");
  say(text);
  return code;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bsla", "bsla [options] [/plan ...]", kOptions}, argc, argv, run);
}
