// Role: JSON read within bounds and written as text: the one place that calls nlohmann's parser and
// its writer. What looks into a value includes <nlohmann/json.hpp> itself; this header is cheap.
// Invariant: no value that was read here is nested deeper than its limits say, so that what walks
// it, copies it or writes it again needs no more of the stack than that.
#pragma once

#include <concepts>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "libwm/base/units.h"

namespace wm {

/// Members in the order in which they are written.
using Json = nlohmann::ordered_json;
/// Where no order is kept: members by name.
using SortedJson = nlohmann::json;

/// How much is read. @units depth: brackets that are open at once
struct JsonLimits {
  Bytes bytes{256 << 20};
  std::size_t depth = 128;
};

/// The value in `text`, one of the two kinds above. A member that is named twice has its last
/// value.
/// @errors Damaged: no JSON, with the line and column; Limit: longer or deeper than `limits`
/// @cost O(text), looked through twice   @thread any   @source RFC 8259
template <class Object = Json>
Result<Object> parse_json(std::string_view text, const JsonLimits& limits = {});

/// The same for those to whom all that is no JSON is as good as none: null then. @cost the same
template <class Object = Json>
Object json_or_null(std::string_view text, const JsonLimits& limits = {});

/// On one line; with `indent` on many. Bytes that are no UTF-8 are replaced by U+FFFD.
/// @units indent: spaces a level; -1: one line   @cost O(text)   @thread any
std::string to_text(const Json& json, int indent = -1);
/// On one line, each character beyond ASCII as \uXXXX: for readers of one byte a character.
std::string to_ascii(const Json& json);
/// to_text of a sorted one, named as a template so that {…} is of the other kind. @cost O(text)
template <class Object>
requires std::same_as<Object, SortedJson> std::string to_text(const Object& json, int indent = -1);

}  // namespace wm
