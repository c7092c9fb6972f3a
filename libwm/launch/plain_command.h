// Role: which commands need no shell to run as a shell would run them.
// Pure. Called by launch_plan.cc for every task of a job without a script.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wm::launch {

/// The words of a command in which a shell would find nothing to do but to exec the file named
/// first: `/bin/true`, `./solver -n 4 in=data.txt`. Nothing when it has to be left to a shell:
/// quotes, variables, patterns, operators, comments; a first word without a slash, which may be a
/// built-in, an alias or a keyword, or with an equals sign, which may be an assignment.
/// A shell costs a job of one process a second exec, as much as the first.
/// @source POSIX.1-2017, Shell Command Language, 2.2 Quoting, 2.3 Token Recognition, 2.9.1
/// @cost one pass over the text   @thread any
std::optional<std::vector<std::string>> plain_words(const std::string& command);

}  // namespace wm::launch
