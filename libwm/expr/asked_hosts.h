// Role: the list of bsub -m as a value: hosts and host groups, each with a preference, those
// that must not be used, and whether others may be.
//
//   -m "node3+2 fast+1 others ~node9 node1!"
//
// A higher number is preferred, none is 0; `!` marks a host to be the first of the job, before
// any number; `all` and `others` stand for hosts that are not named.
// @source LSF bsub -m (lsf-surface 1.2)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::expr {

/// One word of the list.
struct AskedHost {
  std::string name;    ///< a host, a host group, or "others"
  int preference = 0;  ///< kFirstHost for `!`
  bool excluded = false;
  bool operator==(const AskedHost&) const = default;
};

/// Preference of a host marked with `!`.
inline constexpr int kFirstHost = 1'000'000;
/// What preference_of says of a host that may not be used.
inline constexpr int kNotAsked = -1;

/// Takes the words apart.
/// @errors BadArgument: no name, or a preference that is no number up to 65535
/// @cost O(length)
Result<std::vector<AskedHost>> parse_asked_hosts(std::span<const std::string> words);

/// The preference of a host of that name in those groups; kNotAsked: it may not be used. An
/// empty list asks for every host. @cost O(words x groups)
int preference_of(std::span<const AskedHost> asked, std::string_view host,
                  std::span<const std::string> groups);

}  // namespace wm::expr
