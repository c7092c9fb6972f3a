// Role: two encoded values of one kind, the second said by what differs from the first. Fields are
// compared whole, by their bytes: a list or a struct that differs anywhere goes along as it is.
// Callers: archive.h, for a field that repeats most of another.
//
//   difference: 1 = tags that the second lacks, 2 = the bytes of all fields that it has otherwise
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wm::codec {

/// What turns `from` into `to`. @errors none: `from` or `to` is no encoded value
/// @cost O(bytes + fields of different tags)
std::optional<std::string> difference(std::string_view from, std::string_view to);

/// A value that decodes as `to` did. @errors none: not what `difference` makes, or not of these
/// bytes
/// @cost O(bytes)
std::optional<std::string> patched(std::string_view from, std::string_view difference);

}  // namespace wm::codec
