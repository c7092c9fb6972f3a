// Role: addresses as web clients write them: percent encoding, query strings, paths in segments.
// Pure. Used by routes.h and by code that answers requests.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::rest {

/// "%41b" → "Ab"; of a query, where `plus` is a blank, too. What is no valid escape stays as it is.
/// @cost O(length)
std::string unescaped(std::string_view text, bool plus = false);

/// For one segment or one value: everything but letters, digits and "-._~" escaped. @cost O(length)
std::string escaped(std::string_view text);

/// A request's target taken apart.
struct Target {
  std::vector<std::string> segments;  ///< unescaped; a slash at the end adds none
  std::map<std::string, std::string, std::less<>> query;  ///< the first value of each name
  bool operator==(const Target&) const = default;

  /// The value of that name; empty: none. @cost O(log n)
  std::string value(std::string_view name) const;
};

/// @errors BadArgument: no path, a segment "." or "..", a control character, or a slash that
///         was escaped: no name of ours holds one
Result<Target> parse_target(std::string_view target);

}  // namespace wm::rest
