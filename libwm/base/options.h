// Role: options of daemons: "--name value", "--name=value" and "--flag", as a table. What people
// type at a shell (bsub -n 4) is submit/options.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libwm/base/result.h"

namespace wm {

/// One option, and where its value, or that it is there, goes.
struct OptionRow {
  std::string_view name;                                              ///< "--conf"
  std::variant<std::string*, bool*, std::vector<std::string>*> into;  ///< a list takes each
};

/// Reads the words behind the program's name; of an option that is given twice the last counts,
/// unless it goes into a list.
/// @errors BadArgument: no such option, with the nearest; one without its value, or with one that
/// it does not take   @cost O(words · rows)
Result<void> read_options(int argc, char** argv, std::span<const OptionRow> rows);

}  // namespace wm
