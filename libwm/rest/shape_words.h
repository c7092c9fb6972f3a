// Role: shapes of JSON in words, which are read more easily than JSON Schema. Pure.
//
//   "name:s age?:n state:=on|off rows:[row] labels:{s} best:trial?"
//   s text, n number, i whole number, b yes or no, any; =a|b: one of these words; another word: a
//   shape by that name. [T] a list, {T} values by names, T? may be null; name? may be absent.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace wm::rest {

/// The JSON Schema, as OpenAPI 3.0 has it, of an object with these fields; of a lone type, without
/// a colon, of that. @cost O(length)
nlohmann::json schema_of(std::string_view words);

}  // namespace wm::rest
