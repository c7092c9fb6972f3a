// Role: the #BSUB lines of a job script as command-line words.
//   "    #BSUB -J "my job" -n 4   # four of them"  →  -J, my job, -n, 4
// Blanks may stand before #BSUB, quotes are a shell's, nothing is expanded, a comment after
// a blank is dropped; the whole script is searched, as LSF does (lsf-surface 1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::cmd {

/// The words of every #BSUB line of `script`, in order.
/// @errors BadArgument: a quote that is not closed, with its line number
/// @cost O(script)   @thread any
Result<std::vector<std::string>> directive_words(std::string_view script);

/// The words of one line as a shell splits it, nothing expanded; a comment after them is none.
/// @errors BadArgument: a quote that is not closed   @cost O(line)
Result<std::vector<std::string>> words_of(std::string_view line);

/// The interpreter that the first line of `script` names ("#!/bin/bash -e"), else "".
/// @cost O(first line)
std::string interpreter_of(std::string_view script);

/// Is there a line that is neither blank nor a comment: something to run. @cost O(script)
bool has_command(std::string_view script);

}  // namespace wm::cmd
