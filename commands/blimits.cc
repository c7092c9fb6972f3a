// blimits: shows limits of queues, users, plans and limits.conf, and how much of each is in use.
#include <algorithm>

#include "commands/common/aligned.h"
#include "commands/common/command.h"
#include "commands/common/group_listing.h"
#include "libwm/view/tally.h"

namespace wm::cmd::blimits {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"n", Kind::Text, "name", "Limits of this name"},
    {"u", Kind::Text, "user", "Limits of this user"},
    {"q", Kind::Text, "queue", "Limits of this queue"},
    {"m", Kind::Text, "host", "Limits on this host"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"a", Kind::IgnoredFlag, "", ""},
    {"c", Kind::IgnoredFlag, "", ""},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

constexpr Listing kListing{"blimits", "LIMITS",
                           "name users queues hosts plans projects apps slots jobs mem"};

Result<int> run(const Parsed& options) {
  WM_TRY(auto config, whole_conf());
  WM_TRY(auto from, master());
  JobSelection selection;
  selection.user = "all";
  WM_TRY(auto jobs, from.ask(JobsRequest{selection}));
  WM_TRY(auto plans, from.ask(PlansRequest{}));
  auto rows = view::limit_rows(config, jobs.jobs, plans.plans);
  auto keep = [&](const char* option, std::string view::LimitRow::*column) {
    if (auto wanted = options.first(option))
      std::erase_if(rows, [&](const auto& row) { return row.*column != *wanted; });
  };
  keep("n", &view::LimitRow::name);
  keep("u", &view::LimitRow::users);
  keep("q", &view::LimitRow::queues);
  keep("m", &view::LimitRow::hosts);
  if (rows.empty() && !options.has("json")) {
    complain("No resource usage found\n");
    return 0;
  }
  WM_TRY(auto text,
         listed_or_aligned<view::LimitRow>(options, kListing, view::limit_fields(), rows));
  say((options.has("json") || options.has("o") ? "" : "INTERNAL RESOURCE LIMITS:\n\n") + text);
  return 0;
}

}  // namespace
}  // namespace wm::cmd::blimits

int main(int argc, char** argv) {
  using namespace wm::cmd::blimits;
  return main_of({"blimits", "blimits [options]", kOptions}, argc, argv, run);
}
