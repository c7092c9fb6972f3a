// busers: shows users: how many slots their unfinished jobs hold and wait for, and the most that
// they may hold.
#include <unistd.h>

#include <algorithm>

#include "commands/common/command.h"
#include "commands/common/group_listing.h"
#include "libwm/client/names.h"
#include "libwm/view/tally.h"

namespace wm::cmd::busers {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"w", Kind::Flag, "", "Wide: pending jobs, too"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

constexpr Listing kListing{"busers", "USERS", "user jl_p max njobs pend run ssusp ususp rsv pjobs"};

// Whom the words mean: groups stand for their members; without words the caller.
std::vector<std::string> asked(const Parsed& options, const Config& config) {
  if (options.words.empty()) {
    auto account = client::find_account(std::to_string(::getuid()));
    return {account ? account->name : std::to_string(::getuid())};
  }
  auto groups = view::expanded(view::user_groups(config));
  std::vector<std::string> names;
  for (const auto& word : options.words) {
    auto group = std::ranges::find(groups, word, &view::GroupRow::name);
    if (group == groups.end()) names.push_back(word);
    else names.insert(names.end(), group->members.begin(), group->members.end());
  }
  return names;
}

bool is_known(const Config& config, const std::string& name) {
  return config.user(name) || client::find_account(name);
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto config, whole_conf());
  WM_TRY(auto from, master());
  JobSelection selection;
  selection.user = "all";
  WM_TRY(auto reply, from.ask(JobsRequest{selection}));
  bool all = std::ranges::find(options.words, "all") != options.words.end();
  std::vector<std::string> names;
  if (!all) names = asked(options, config);
  else
    for (const auto& user : config.users)
      if (!user.name.starts_with('@')) names.push_back(user.name);
  auto users = view::tallies(
      reply.jobs, [](const JobView& view) { return view.job->spec().owner.user; }, names);
  int code = 0;
  std::erase_if(users, [&](const auto& user) {
    if (!all && std::ranges::find(names, user.name) == names.end()) return true;
    bool unknown = !all && user.jobs == 0 && !is_known(config, user.name);
    if (unknown) complain(user.name + ": No such user/group\n");
    if (unknown) code = kRefused;
    return unknown;
  });
  const UserConf* others = config.user("default");
  for (auto& user : users) {
    const UserConf* conf = config.user(user.name);
    if (!conf) conf = others;
    user.max = conf ? conf->max_slots : 0;
  }
  WM_TRY(auto listing, listed<view::Tally>(options, kListing, view::user_tally_fields(), users));
  if (listing) say(*listing);
  else if (!users.empty()) say(view::user_table(users, options.has("w"), !options.has("noheader")));
  return code;
}

}  // namespace
}  // namespace wm::cmd::busers

int main(int argc, char** argv) {
  using namespace wm::cmd::busers;
  return main_of({"busers", "busers [options] [user | user_group | all ...]", kOptions}, argc, argv,
                 run);
}
