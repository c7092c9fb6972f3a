// Role: bodies of requests that are JSON, for rows that look at them themselves. Costly to include:
// nlohmann/json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "daemons/wuserd/site/site.h"
#include "libwm/base/json.h"

namespace wm::user {

inline constexpr std::size_t kLongestJson = 1 << 20;

/// The body, an object. @errors BadArgument; Limit; as Exchange::read
Result<Json> json_in(Call& call);
/// The text of that name; none, or null: empty. @errors BadArgument: something else
Result<std::string> text_in(const Json& json, const char* key);
/// The same where there may be anything. @cost O(length)
std::string text_or_none(const Json& json, const char* key);

}  // namespace wm::user
