// Role: who may do what in a space, or a project, that its owner shares. Pure: the account and its
// groups come in.
//
//   space.json: "members": [{"name": "bob", "role": "editor"}, {"name": "@vision", "role":
//   "viewer"}] ann~team   the space `team` of the user ann, as others name it
//
// Callers: wuserd, which the kernel tells who asks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::rest {

/// Somebody whom a space is shared with.
struct Member {
  std::string name;  ///< of an account; "@" before it: of a group
  std::string role;  ///< viewer, editor, admin
  bool operator==(const Member&) const = default;
};

/// What a space is to somebody. Each may do what those before it may.
enum class SpaceRole : std::uint8_t { None, Viewer, Editor, Admin, Owner };

/// Look: its models, what is deployed. Use: deploy from it, promote into it, take a model out.
/// Share: change its members. Own: change or delete the space itself.
enum class SpaceAct : std::uint8_t { Look, Use, Share, Own };

/// The greatest that a user has, by name or by group. @cost O(members)
SpaceRole role_of(std::span<const Member> members, std::string_view user,
                  std::span<const std::string> groups);
/// `kind`: what it is called in errors. @errors NotFound: to who is nothing there, it does not
/// exist; Denied: the role that is wanted
Result<void> may(SpaceRole role, SpaceAct act, std::string_view name,
                 std::string_view kind = "space");
/// "viewer", …; of none "". @cost O(1)
std::string_view word_of(SpaceRole role);

/// @errors BadArgument: too many, one twice, a role or name that is none
Result<void> check_members(std::span<const Member> members);

/// A space as it is named: its owner, and its name.
struct SpaceName {
  std::string owner;  ///< empty: the one who names it
  std::string name;
  bool operator==(const SpaceName&) const = default;
};
/// "team", "ann~team". @cost O(length)
SpaceName space_name(const std::string& text);
/// Is it one of another user's, by its name? @cost O(length)
bool is_of_other(std::string_view text);

}  // namespace wm::rest
