#include "libwm/serve/callers.h"

#include <algorithm>
#include <cctype>

namespace wm::serve {
namespace {

// As useradd(8) takes them, and those of directories: "ann@site", "DOMAIN\\ann" has a backslash.
bool is_name(std::string_view name) {
  auto fits = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '@' || c == '\\' || c == '$';
  };
  return !name.empty() && name.size() <= 256 && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

Result<void> check_callers(std::span<const std::string> callers) {
  if (callers.size() > kMostCallers)
    return fail(Code::BadArgument, "callers: " + std::to_string(callers.size()) +
                                       " names; at most " + std::to_string(kMostCallers));
  for (const auto& caller : callers) {
    std::string_view name = caller;
    if (name.starts_with('@')) name.remove_prefix(1);
    if (caller == "*" || is_name(name)) continue;
    return fail(Code::BadArgument, "callers: '" + caller + "': a user, @group or * is wanted");
  }
  return {};
}

bool may_call(std::span<const std::string> callers, std::string_view user,
              std::span<const std::string> groups) {
  auto is_meant = [&](std::string_view caller) {
    if (caller == "*") return true;
    if (!caller.starts_with('@')) return caller == user;
    return std::find(groups.begin(), groups.end(), caller.substr(1)) != groups.end();
  };
  return std::any_of(callers.begin(), callers.end(), is_meant);
}

}  // namespace wm::serve
