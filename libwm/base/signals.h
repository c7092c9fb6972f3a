// Role: signals by the names that people type: in commands (bkill -s, bsub -wa, -s) and in controls
// of queues.conf and apps.conf. One table for both ways.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wm {

/// Signal by number or by name, with or without SIG, in any case. None: there is no such.
/// @cost O(names)
std::optional<int> signal_number(std::string_view text);

/// The names that signal_number() knows, separated by blanks. @cost O(names)
std::string signal_names();

}  // namespace wm
