// Role: what somebody gave us, as part of a message for people: short, and nothing in it that a
// terminal or a log would obey. Used by everything that refuses a text.
#pragma once

#include <string>
#include <string_view>

namespace wm {

/// `text` with bytes that are not printed written as \xNN; what goes beyond `limit` bytes is
/// left out, which "..." says. UTF-8 stays as it is.
/// @units limit: bytes of `text`   @cost O(limit)   @thread any
std::string excerpt(std::string_view text, std::size_t limit = 60);

}  // namespace wm
