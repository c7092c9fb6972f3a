// Role: a report as one HTML page without any part from elsewhere: it can be mailed, kept and
// printed. Light or dark as the reader's screen; on paper light. Pure.
//
// Invariant: no name reaches the page but through html(); the page runs no script and loads
// nothing (Content-Security-Policy), so that a name can do no harm.
#pragma once

#include <string>
#include <vector>

#include "libwm/report/facts.h"
#include "libwm/report/figures.h"

namespace wm::report {

/// @cost O(facts + figures)
std::string page_of(const Facts& facts, const std::vector<Figure>& figures);

}  // namespace wm::report
