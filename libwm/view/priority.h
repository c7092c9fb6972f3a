// Role: where a pending job stands in the order, and when it is expected to start, as bjobs -l
// and bwhy say it.
#pragma once

#include <string>

#include "libwm/model/verbs/verbs.h"

namespace wm::view {

/// One line a term, the deciding one first; empty when the job does not wait.
/// @cost O(terms)
std::string priority_text(const JobView& view);

/// "Estimated start Sat Nov 21 20:25:00"; empty when no date is known. @cost O(1)
std::string estimate_text(const JobView& view);

}  // namespace wm::view
