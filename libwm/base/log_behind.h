// Role: a log that is written by a thread of its own, for a daemon with a loop that must not wait
// for a disk; and how many lines there were, for monitoring. Included by daemons' main files.
#pragma once

#include <array>
#include <cstdint>

#include "libwm/base/log.h"

namespace wm::log {

/// From now on lines are queued (64 MiB at most, what is more is counted as lost) and written by a
/// thread; those that are queued at an ordinary end are written by finish(). Called once, after
/// open(), by a program that forks no more.
/// @thread before any other thread starts
void write_behind();
/// Writes what is queued, and goes on without the thread. @thread any, once
void finish();

/// Lines since the start that were severe enough to be written, by Level. @thread any   @cost O(1)
std::array<std::uint64_t, 4> lines();
/// Of these, lines that were lost because the log could not be written fast enough.
/// @thread any   @cost O(1)
std::uint64_t lines_lost();

}  // namespace wm::log
