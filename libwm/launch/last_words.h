// Role: what a failed task said last, cut and worded for its job's output and report.
// Pure: bytes in, text out. Called by the shepherd's user part.
#pragma once

#include <string>
#include <string_view>

#include "libwm/launch/launcher.h"

namespace wm::launch {

/// Of a task's stderr so much is repeated in the output of its job.
inline constexpr std::size_t kLastWords = 4096;

/// The last line that says something, without control characters and cut to what fits in a
/// record; empty: none does. @cost O(bytes)
std::string last_line(std::string_view bytes);

/// A block for the job's output: who failed and how, then the last kLastWords of `bytes`, from the
/// beginning of a line if one begins there. Empty if nothing was said. @cost O(bytes)
std::string failure_block(const ExitRecord& record, std::string_view host, std::string_view bytes);

}  // namespace wm::launch
