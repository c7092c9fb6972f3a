// Role: what users wrote, made fit for a line of a log: one line stays one line, and a terminal
// that shows it obeys nothing in it. Used by the log itself and by programs that write to stderr
// alone.
#pragma once

#include <string>
#include <string_view>

namespace wm::log {

/// The text with control characters (C0, DEL, C1) and bytes that are no UTF-8 as \n, \r, \t or
/// \x1b.
/// @cost O(text)   @thread any
std::string one_line(std::string_view text);

}  // namespace wm::log
