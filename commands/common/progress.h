// Role: a bar for work that takes long. Used by bsim and bwhatif.
#pragma once

#include <functional>

namespace wm::cmd {

/// Draws the part of the work that is done (0 … 1) on stderr, from the second second on, where
/// that is a terminal; nothing elsewhere. The bar stays; 1 ends its line.
/// @thread one at a time   @cost a line for each sixtieth
std::function<void(double)> progress_bar();

}  // namespace wm::cmd
