// Role: what `ps` shows of a shepherd: the zygote's own name is written over by each of its
// children.
#pragma once

#include <string>

#include "daemons/wshepherd/place.h"

namespace wm::shepherd {

/// What `ps` shows from now on: "wshepherd 12-0.1 node1". @cost O(size)
void set_title(const Place& place, const std::string& text);

}  // namespace wm::shepherd
