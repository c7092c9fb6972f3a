// Role: the words of bresize as a request.
//   release tasks job    request tasks job    cancel job    group=tasks job
// `tasks` as LSF writes it: 2, min,max (the most counts), or hosts: "2*hostA hostB" is 3.
// @source LSF bresize (lsf-surface 6)
#pragma once

#include <span>
#include <string>

#include "libwm/base/result.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::cmd {

/// What bresize was asked for.
struct ResizeWish {
  ResizeRequest request;
  bool names_hosts = false;  ///< hosts were named; which tasks leave is not the user's choice
};

/// Reads the words after the options.
/// @errors BadArgument: no verb, a wrong number of words, a count that is none, a bad job id
/// @cost O(length)
Result<ResizeWish> parse_resize(std::span<const std::string> words);

}  // namespace wm::cmd
