// Role: other programs that wmreport runs: sendmail and gnuplot. They are given a text, and what
// they say is taken; who does not end in time is ended.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::cmd {

/// How a program ended.
struct ProgramEnd {
  int code = 0;  ///< its exit code; 128 + signal
  std::string out;
};

/// Runs `words` with `input` on its standard input; `words[0]` is looked for in PATH.
/// @errors NotFound: there is no such program; Timeout: ended after `limit`; System
/// @thread blocks
Result<ProgramEnd> run_program(const std::vector<std::string>& words, const std::string& input,
                               Duration limit);

}  // namespace wm::cmd
