// Role: several requirements for one job: "{…} || {…}" (the first that can be met counts) and
// several -R of one submission. Each alternative is a whole requirement; sections outside
// braces are joined to every one. Compound requirements ("2*{…}+4*{…}") and delays
// ("{…}@10") are refused by name.
// @source LSF alternative resource requirements (lsf-surface 1.5)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/expr/resreq.h"

namespace wm::expr {

/// Alternatives of one text, in its order; one where it has no braces. `unit`: as parse_resreq's.
/// @errors BadArgument: as parse_resreq; more than 8 alternatives; braces that do not close
/// @cost O(length)   @thread any
Result<std::vector<ResReq>> parse_alternatives(std::string_view text, Bytes unit = Bytes{1 << 20});

/// All -R of one submission. At most one of them may have alternatives.
/// @errors as parse_alternatives; BadArgument: a second -R with alternatives
/// @cost O(length)
Result<std::vector<ResReq>> parse_requirements(std::span<const std::string> texts,
                                               Bytes unit = Bytes{1 << 20});

/// As one text; parses to the same values. @cost O(length)
std::string to_string(std::span<const ResReq> alternatives);

}  // namespace wm::expr
