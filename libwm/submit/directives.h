// Role: the #BSUB lines of a job script as command-line words and as options.
//   "    #BSUB -J "my job" -n 4   # four of them"  →  -J, my job, -n, 4
// Blanks may stand before #BSUB, and none need stand before the dash ("#BSUB-n 4"); quotes are a
// shell's, nothing is expanded, a comment after a blank is dropped; a line that ends in a backslash
// goes on in the next one. The whole script is searched, as LSF does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/submit/options.h"

namespace wm::cmd {

/// What one #BSUB line says, and those that it goes on in.
struct Directive {
  int line = 0;  ///< of the script, from 1: where it begins
  std::vector<std::string> words;
  /// Words that begin with no option are a remark of the script's author, as in LSF.
  bool is_remark() const { return !words.front().starts_with('-'); }
};

/// Every #BSUB line of `script` that has words, in order.
/// @errors BadArgument: a quote that is not closed, with its line number
/// @cost O(script)   @thread any
Result<std::vector<Directive>> directives_of(std::string_view script);

/// The #BSUB lines of a script as options.
struct ScriptOptions {
  Parsed options;
  std::vector<int> remarks;  ///< lines that were passed over
};

/// Reads each directive by itself: none takes its value from the next line.
/// @errors BadArgument: as parse_options and directives_of, behind "line N of the script: "
/// @cost O(script)   @thread any
Result<ScriptOptions> script_options(std::string_view script);

/// The script as it is run: what goes on from a #BSUB line is a comment too. The number of each
/// line stays. @cost O(script)   @thread any
std::string without_continuations(std::string_view script);

/// The words of one line as a shell splits it, nothing expanded; a comment after them is none.
/// @errors BadArgument: a quote that is not closed   @cost O(line)
Result<std::vector<std::string>> words_of(std::string_view line);

/// The interpreter that the first line of `script` names ("#!/bin/bash -e"), else "".
/// @cost O(first line)
std::string interpreter_of(std::string_view script);

/// Is there a line that is neither blank nor a comment: something to run. @cost O(script)
bool has_command(std::string_view script);

}  // namespace wm::cmd
