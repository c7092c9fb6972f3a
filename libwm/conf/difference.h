// Role: what is different between two configurations, key by key as the files have them: what
// `badmin reconfig --diff` shows before it is in force. Pure.
#pragma once

#include <string>
#include <vector>

#include "libwm/model/config/config.h"

namespace wm::conf {

/// A line for each key that differs, in the files' order: "queues.conf: [night] priority: 20 ->
/// 30", for a section that is there in one only: "queues.conf: [night] is new", "… is gone".
/// @cost O(keys of both)
std::vector<std::string> differences(const Config& before, const Config& after);

}  // namespace wm::conf
