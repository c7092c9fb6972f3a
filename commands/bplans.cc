// bplans: shows the tree of resource plans: who may have how much, has how much, and from
// whom. Amounts are slots, or GPUs where GPUs are what is short.
#include <algorithm>

#include "commands/common/command.h"
#include "commands/common/listing.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"w", Kind::Flag, "", "Whole paths instead of a tree"},
};

std::string number(std::uint64_t n) { return std::to_string(n); }

std::string limit(const PlanView& p) { return p.limit < 0 ? "-" : std::to_string(p.limit); }

constexpr Shown<PlanView> kFields[] = {
    {{"plan", "path", 30}, [](const PlanView& p) { return p.path; }},
    {{"shares", "", 7}, [](const PlanView& p) { return number(p.shares); }},
    {{"owns", "", 7}, [](const PlanView& p) { return number(p.owns); }},
    {{"limit", "", 7}, limit},
    {{"used", "", 7}, [](const PlanView& p) { return number(p.used); }},
    {{"demand", "", 7}, [](const PlanView& p) { return number(p.demand); }},
    {{"deserved", "", 8}, [](const PlanView& p) { return number(p.deserved); }},
    {{"lent", "", 7}, [](const PlanView& p) { return number(p.lent); }},
    {{"borrowed", "", 8}, [](const PlanView& p) { return number(p.borrowed); }},
};

constexpr Listing kListing{"bplans", "PLANS",
                           "plan shares owns limit used demand deserved lent borrowed"};

// "/research/vision" as "    vision": two blanks a level, the root as "/".
std::string tree_name(const std::string& path) {
  if (path == "/") return path;
  auto depth = std::count(path.begin(), path.end(), '/');
  return std::string(static_cast<std::size_t>(depth) * 2, ' ') + path.substr(path.rfind('/') + 1);
}

std::string table(const PlansReply& reply, bool whole_paths, bool header) {
  std::size_t width = 20;
  for (const auto& plan : reply.plans) width = std::max(width, plan.path.size());
  auto name_width = static_cast<int>(width);
  std::string text;
  if (header)
    text = fit("PLAN", name_width) + " SHARES  OWNS LIMIT  USED DEMAND DESERVED  LENT BORROWED\n";
  for (const auto& p : reply.plans) {
    auto column = [](const std::string& value, int columns) { return fit(value, columns, true); };
    text += fit(whole_paths ? p.path : tree_name(p.path), name_width) + column(number(p.shares), 7) +
            column(number(p.owns), 6) + column(limit(p), 6) + column(number(p.used), 6) +
            column(number(p.demand), 7) + column(number(p.deserved), 9) + column(number(p.lent), 6) +
            column(number(p.borrowed), 9) + "\n";
  }
  return text;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.plans({options.words}));
  int code = 0;
  for (const auto& path : options.words) {
    bool known = std::any_of(reply.plans.begin(), reply.plans.end(),
                             [&](const PlanView& p) { return p.path == path; });
    if (!known) complain(path + ": No such resource plan\n");
    if (!known) code = kRefused;
  }
  WM_TRY(auto text, listed<PlanView>(options, kListing, kFields, reply.plans));
  if (!text && !reply.plans.empty())
    text = table(reply, options.has("w") || !options.words.empty(), !options.has("noheader"));
  say(text.value_or(""));
  return code;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bplans", "bplans [options] [/path ...]", kOptions}, argc, argv, run);
}
