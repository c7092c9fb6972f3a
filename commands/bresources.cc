// bresources: shows the sites' own resources of hosts (-s), and what plans are guaranteed (-g).
#include <algorithm>

#include "commands/common/aligned.h"
#include "commands/common/command.h"
#include "commands/common/group_listing.h"
#include "libwm/view/plan_fields.h"

namespace wm::cmd::bresources {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"s", Kind::Flag, "", "Resources of hosts.conf and the hosts that have them; the default"},
    {"g", Kind::Flag, "", "What plans own, use and lend"},
    {"l", Kind::IgnoredFlag, "", ""},
    {"w", Kind::IgnoredFlag, "", ""},
    {"m", Kind::IgnoredFlag, "", ""},
    {"p", Kind::Refused, "", "not supported: there is no power management"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

constexpr Listing kResources{"bresources", "RESOURCES", "resource value location"};
constexpr Listing kGuarantees{"bresources", "POOLS",
                              "plan owns used demand deserved lent borrowed"};

bool is_asked(const Parsed& options, const std::string& name) {
  return options.words.empty() || std::ranges::find(options.words, name) != options.words.end();
}

Result<std::string> guarantees(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.ask(PlansRequest{}));
  std::erase_if(reply.plans,
                [&](const auto& plan) { return plan.owns == 0 || !is_asked(options, plan.path); });
  if (reply.plans.empty() && !options.has("json")) return std::string();
  return listed_or_aligned<PlanView>(options, kGuarantees, view::plan_fields(), reply.plans);
}

Result<std::string> resources(const Parsed& options) {
  WM_TRY(auto config, whole_conf());
  auto rows = view::resource_rows(config);
  std::erase_if(rows, [&](const auto& row) { return !is_asked(options, row.name); });
  if (rows.empty() && !options.has("json")) return std::string();
  return listed_or_aligned<view::ResourceRow>(options, kResources, view::resource_fields(), rows);
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto text, options.has("g") ? guarantees(options) : resources(options));
  if (!text.empty()) say(text);
  else complain(options.has("g") ? "No guaranteed resource pool found\n" : "No resource found\n");
  return text.empty() && !options.words.empty() ? kRefused : 0;
}

}  // namespace
}  // namespace wm::cmd::bresources

int main(int argc, char** argv) {
  using namespace wm::cmd::bresources;
  return main_of({"bresources", "bresources [-s | -g] [options] [name ...]", kOptions}, argc, argv,
                 run);
}
