#include "commands/common/group_listing.h"

#include <algorithm>

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kGroupListingOptions[] = {
    {"r", Kind::Flag, "", "Members of groups in their place"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"l", Kind::IgnoredFlag, "", ""},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

// Those that were named, all without; complains of names that are none.
std::vector<view::GroupRow> chosen(const Parsed& options, std::vector<view::GroupRow> groups,
                                   int& code) {
  for (const auto& name : options.words) {
    if (std::ranges::find(groups, name, &view::GroupRow::name) != groups.end()) continue;
    complain(name + ": No such group\n");
    code = kRefused;
  }
  if (!options.words.empty())
    std::erase_if(groups, [&](const auto& group) {
      return std::ranges::find(options.words, group.name) == options.words.end();
    });
  return groups;
}

}  // namespace

std::span<const Option> group_listing_options() { return kGroupListingOptions; }

Result<Config> whole_conf() {
  WM_TRY(auto from, master());
  WM_TRY(auto config, from.conf());
  return *config;
}

Result<int> list_groups(const GroupListing& how, const Parsed& options) {
  WM_TRY(auto config, whole_conf());
  auto all = how.groups(config);
  if (options.has("r")) all = view::expanded(all);
  int code = 0;
  auto groups = chosen(options, std::move(all), code);
  WM_TRY(auto listing, listed<view::GroupRow>(options, how.listing, how.fields, groups));
  if (listing) say(*listing);
  else if (!groups.empty()) say(view::group_table(groups, how.members, !options.has("noheader")));
  else if (code == 0) complain(std::string(how.none) + "\n");
  return code;
}

}  // namespace wm::cmd
