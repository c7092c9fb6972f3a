// Role: which of a table of routes an address means. Pure.
// Used by wuserd, which reads its tables from the top.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wm::rest {

/// The parts of `segments` that stand where `pattern`, such as "/execs/{id}/log", has a name in
/// braces; nothing: they do not fit. A name that ends in "..." takes all that is left, with
/// slashes.
/// @cost O(length)
std::optional<std::vector<std::string>> match(std::string_view pattern,
                                              const std::vector<std::string>& segments);

}  // namespace wm::rest
