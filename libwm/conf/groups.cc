#include "libwm/conf/groups.h"

#include <algorithm>
#include <string>
#include <vector>

namespace wm::conf {
namespace {

constexpr std::string_view kBlanks = " \t\r,";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    auto first = text.find_first_not_of(kBlanks);
    if (first == text.npos) return words;
    text.remove_prefix(first);
    auto end = std::min(text.find_first_of(kBlanks), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

void join(std::vector<std::string>& groups, const std::string& name) {
  if (std::ranges::find(groups, name) == groups.end()) groups.push_back(name);
}

void add_user(Config& config, const std::string& name, const std::string& group) {
  auto at = std::ranges::lower_bound(config.users, name, {}, &UserConf::name);
  if (at == config.users.end() || at->name != name) {
    UserConf user;
    if (const UserConf* others = config.user("default")) user = *others;
    user.name = name;
    at = config.users.insert(at, std::move(user));
  }
  join(at->groups, group);
}

void add_host(Config& config, const std::string& name, const std::string& group) {
  auto at = std::ranges::lower_bound(config.hosts, name, {}, &HostConf::name);
  if (at != config.hosts.end() && at->name == name) join(at->groups, group);
}

Result<void> add_line(Config& config, std::string_view line) {
  auto colon = line.find(':');
  auto head = words_of(line.substr(0, colon));
  bool users = head.size() == 2 && head[0] == "user", hosts = head.size() == 2 && head[0] == "host";
  if (colon == line.npos || (!users && !hosts))
    return fail(Code::BadArgument, "groups_command: '" + std::string(line) +
                                       "' is not 'user NAME: ...' or 'host NAME: ...'");
  for (const auto& member : words_of(line.substr(colon + 1)))
    users ? add_user(config, member, head[1]) : add_host(config, member, head[1]);
  return {};
}

}  // namespace

Result<void> add_groups(Config& config, std::string_view text) {
  Config with = config;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    auto first = line.find_first_not_of(kBlanks);
    if (first == line.npos || line[first] == '#') continue;
    WM_TRY(add_line(with, line));
  }
  config = std::move(with);
  return {};
}

}  // namespace wm::conf
