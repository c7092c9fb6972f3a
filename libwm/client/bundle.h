// Role: a folder that a job takes with it: copied now to where the job's first host finds it. The
// same place and key that uploads through the door use. Effects: files.
#pragma once

#include <string>

#include "libwm/base/result.h"

namespace wm::client {

/// "<root>/<user>/incoming": where bundles wait for their jobs. @cost O(1)
std::string incoming_folder(const std::string& results_root, const std::string& user);

/// Copies `folder` with all below it to `<incoming>/<key>`, whole or not at all; links stay links,
/// devices and sockets are refused. Returns the key: 32 random hexadecimal digits.
/// @errors NotFound: no such folder; BadArgument: something in it that cannot be copied; System
/// @cost O(bytes)   @thread any
Result<std::string> stage_bundle(const std::string& folder, const std::string& incoming);

/// Removes it again: its job was refused. @thread any
void drop_bundle(const std::string& incoming, const std::string& key);

}  // namespace wm::client
