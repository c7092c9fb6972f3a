// Role: a program run for its verdict: an administrator's command such as fence_command. Ends
// with everything it started at a limit of time. Blocks, so it is called on a worker.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::proc {

/// Runs `words` (a program found in PATH and its arguments) in a process group of its own with
/// stdin from `input`, or /dev/null without one, and returns what it printed on stdout and stderr
/// (of more than 64 KiB the end).
/// @errors BadArgument: no words; System: it cannot be started, or did not exit with 0: how it
///         ended and its last line; Timeout: killed, with its group, after `limit`
/// @thread any, several at a time   @cost as long as the program runs
Result<std::string> run_command(const std::vector<std::string>& words, Duration limit,
                                const std::string& input = {});

/// The last line of some output, without its end, cut at 400 bytes. @cost O(output)
std::string last_line(std::string_view output);

}  // namespace wm::proc
