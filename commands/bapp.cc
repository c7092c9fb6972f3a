// bapp: shows application profiles: what they set, and the slots of their unfinished jobs.
#include <algorithm>

#include "commands/common/command.h"
#include "commands/common/group_listing.h"
#include "libwm/view/tally.h"

namespace wm::cmd::bapp {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"l", Kind::Flag, "", "Everything about each profile"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

constexpr Listing kListing{"bapp", "APPS", "app_name njobs pend run susp"};

std::string shown(const Parsed& options, const Config& config,
                  std::span<const view::Tally> profiles) {
  if (!options.has("l")) return view::app_table(profiles, !options.has("noheader"));
  std::string text;
  for (const auto& one : profiles)
    if (const AppConf* app = config.app(one.name))
      text += (text.empty() ? "" : std::string(79, '-') + "\n") + view::app_long_text(*app, one);
  return text;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto config, whole_conf());
  WM_TRY(auto from, master());
  JobSelection selection;
  selection.user = "all";
  WM_TRY(auto reply, from.ask(JobsRequest{selection}));
  std::vector<std::string> names;
  for (const auto& app : config.apps) names.push_back(app.name);
  auto profiles = view::tallies(
      reply.jobs, [](const JobView& view) { return view.app; }, names);
  int code = 0;
  for (const auto& word : options.words) {
    if (std::ranges::find(profiles, word, &view::Tally::name) != profiles.end()) continue;
    complain(word + ": No such application profile\n");
    code = kRefused;
  }
  if (!options.words.empty())
    std::erase_if(profiles, [&](const auto& one) {
      return std::ranges::find(options.words, one.name) == options.words.end();
    });
  WM_TRY(auto listing, listed<view::Tally>(options, kListing, view::app_tally_fields(), profiles));
  if (listing) say(*listing);
  else if (!profiles.empty()) say(shown(options, config, profiles));
  return code;
}

}  // namespace
}  // namespace wm::cmd::bapp

int main(int argc, char** argv) {
  using namespace wm::cmd::bapp;
  return main_of({"bapp", "bapp [options] [application_profile ...]", kOptions}, argc, argv, run);
}
