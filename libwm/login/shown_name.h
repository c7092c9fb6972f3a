// Role: what somebody says that nobody has checked, such as the name of a log-on that was refused,
// as logs and records show it: one word of printable letters that can be no other entry. Pure.
#pragma once

#include <string>
#include <string_view>

namespace wm::rest {

/// At most 64 bytes of `text`. Letters that no account's name has (blanks, controls, brackets,
/// bytes beyond ASCII) are written as \xHH; "..." at the end tells that there was more, "-" that
/// there was nothing. @cost O(1)
std::string shown_name(std::string_view text);

}  // namespace wm::rest
