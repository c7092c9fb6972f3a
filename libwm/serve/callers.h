// Role: who may call an inference service beside its owner, and see it in lists: `callers` of its
// profile. Pure: the account and its groups come in, as the kernel names them.
//
//   "callers": ["bob", "@vision"]   the account bob, members of the group vision
//   "callers": ["*"]                everybody who is logged on
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::serve {

/// The most names that a profile has there.
inline constexpr std::size_t kMostCallers = 1000;

/// @errors BadArgument: too many, or one that is neither "*", an account's name nor one of a group
/// behind "@"   @cost O(length)
Result<void> check_callers(std::span<const std::string> callers);

/// The owner is not asked about. @cost O(callers x groups)
bool may_call(std::span<const std::string> callers, std::string_view user,
              std::span<const std::string> groups);

}  // namespace wm::serve
