// Role: why a running elastic job gets no new task, or none on some hosts. Called by the fields of
// bjobs and by bwhy.
#pragma once

#include <string>

#include "libwm/model/verbs/verbs.h"

namespace wm::view {

/// "no new task on node3 until Wed Nov 25 12:03:10: …"; empty: nothing keeps it from growing.
/// @cost O(setbacks)
std::string growth_text(const JobView& view);

}  // namespace wm::view
