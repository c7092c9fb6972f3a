// Role: badmin archive: how the records of what has run stand, and making them again.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"

namespace wm::cmd {

/// Prints how many records there are, how large they are, and what waits; with the word "rebuild"
/// they are made again first, elsewhere. @errors BadArgument: another word; as ArchiveRequest
Result<int> archive_standing(const std::vector<std::string>& words);

}  // namespace wm::cmd
