#include "libwm/rest/space_roles.h"

#include <algorithm>
#include <array>

namespace wm::rest {
namespace {

constexpr std::size_t kMostMembers = 200, kLongestMember = 64;

/// What a role is called, and the least that may do an act.
constexpr std::array<std::string_view, 5> kWords{"", "viewer", "editor", "admin", "owner"};
constexpr std::array<SpaceRole, 4> kLeast{SpaceRole::Viewer, SpaceRole::Editor, SpaceRole::Admin,
                                          SpaceRole::Owner};

// Roles that can be granted; Owner follows from the folder.
SpaceRole given(std::string_view word) {
  for (auto role : {SpaceRole::Viewer, SpaceRole::Editor, SpaceRole::Admin})
    if (word == word_of(role)) return role;
  return SpaceRole::None;
}

bool is_name(std::string_view name) {
  if (name.starts_with('@')) name.remove_prefix(1);
  return !name.empty() && name.size() <= kLongestMember &&
         std::ranges::all_of(name, [](unsigned char c) {
           return c > ' ' && c != 0x7f && c != '/' && c != '~' && c != '@' && c != ':';
         });
}

}  // namespace

std::string_view word_of(SpaceRole role) { return kWords[static_cast<std::size_t>(role)]; }

SpaceRole role_of(std::span<const Member> members, std::string_view user,
                  std::span<const std::string> groups) {
  auto greatest = SpaceRole::None;
  for (const auto& member : members) {
    auto name = std::string_view(member.name);
    bool is_group = name.starts_with('@');
    bool meant =
        is_group ? std::ranges::find(groups, name.substr(1)) != groups.end() : name == user;
    if (meant) greatest = std::max(greatest, given(member.role));
  }
  return greatest;
}

Result<void> may(SpaceRole role, SpaceAct act, std::string_view called, std::string_view kind) {
  auto name = std::string(kind) + " " + std::string(called.substr(0, 2 * kLongestMember));
  if (role == SpaceRole::None) return fail(Code::NotFound, name + " does not exist");
  auto least = kLeast[static_cast<std::size_t>(act)];
  if (role >= least) return {};
  return fail(Code::Denied, name + ": you are " + std::string(word_of(role)) +
                                " of it; this is for its " + std::string(word_of(least)));
}

Result<void> check_members(std::span<const Member> members) {
  if (members.size() > kMostMembers)
    return fail(Code::BadArgument, "members: at most 200 are wanted; a group is one");
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [name, role] = members[i];
    auto shown = "member '" + name.substr(0, kLongestMember) + "': ";
    if (!is_name(name))
      return fail(Code::BadArgument, shown + "the name of an account, or @ and that of a group");
    if (given(role) == SpaceRole::None)
      return fail(Code::BadArgument, shown + "role: viewer, editor or admin is wanted");
    auto same = [&](const Member& other) { return other.name == name; };
    if (std::ranges::count_if(members, same) > 1)
      return fail(Code::BadArgument, shown + "is named twice");
  }
  return {};
}

SpaceName space_name(const std::string& text) {
  auto mark = text.rfind('~');
  if (mark == text.npos) return {"", text};
  return {text.substr(0, mark), text.substr(mark + 1)};
}

bool is_of_other(std::string_view text) { return text.find('~') != text.npos; }

}  // namespace wm::rest
