// Role: which part of a select expression a host does not meet: for the refusal of a job that
// no host can run. Splits the expression at its outermost `&&`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/expr/value.h"

namespace wm::expr {

/// The terms that are joined by && at the outermost level, parentheses around them taken off.
/// One where there is no such &&. @cost O(length x depth), at most 200 levels
std::vector<std::string> terms_of(std::string_view select);

/// The terms that do not hold, each with what the host has: "ncpus>64 (ncpus=16)".
/// @cost O(length)
std::vector<std::string> failing_terms(std::string_view select, const Lookup& lookup);

}  // namespace wm::expr
