// Role: a trial of a history as wmasterd writes it, read in one pass and without a tree of JSON: a
// long history is read anew for each suggestion, and this is most of what that takes. What is
// written otherwise is left to the JSON parser. Of this folder only.
#pragma once

#include <optional>
#include <string_view>

#include "libwm/search/task.h"

namespace wm::search {

/// The trial that the JSON parser would make of `text`; none where it is not written plainly
/// (escapes, numbers as texts, anything but ASCII, "reports"), or not JSON. Without its point.
/// @cost O(length)
std::optional<Trial> quick_trial(std::string_view text, const Search& search, std::uint32_t index);

/// "running", "finished", "failed", "killed", in any case; anything else is pending. @cost O(1)
TrialState state_named(std::string_view word);

}  // namespace wm::search
