// Role: the parts of a JSON list or object as they stand in its text, found without reading them: a
// long history is then read trial by trial, and a question is passed on without being written anew.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace wm::search {

/// A member of an object, or an element of a list, which has an empty key.
struct RawPart {
  std::string_view key;  ///< between its quotes, as it is written
  std::string_view text;
};

/// The parts of `json`, in order; none where it is no list, or with `object` no object. What is in
/// a part is for who reads it: only its strings and brackets were looked at.
/// @cost O(length)   @thread any
std::optional<std::vector<RawPart>> raw_parts(std::string_view json, bool object);

}  // namespace wm::search
