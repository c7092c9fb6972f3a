// Role: what the end of a process is called where people and programs read it: the number that a
// shell shows.
#pragma once

#include <cstdint>

namespace wm {

/// The exit code; of a process that a signal ended 128 and the signal's number.
/// @shape wait_status: as wait(2) gives it   @source POSIX shells' $?   @cost O(1)   @thread any
int shell_status(std::int32_t wait_status);

}  // namespace wm
