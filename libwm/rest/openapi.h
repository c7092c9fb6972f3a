// Role: the OpenAPI 3.0 document of the web door, made of the tables of routes that answer: what is
// no route is not in it, and what is one cannot be left out. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace wm::rest {

/// A row of a table of routes, as the document has it.
struct RouteDoc {
  std::string_view method, pattern;
  std::string_view summary;  ///< one line; empty: the address says it
  std::string_view shape;    ///< of the answer: a schema's name; "[name]": a list; empty: unsaid
  std::string_view query;    ///< parameters, separated by blanks
};

/// The document. `more`: schemas that others know, name → JSON.
/// @cost O(routes)
std::string openapi_json(std::span<const RouteDoc> routes, std::string_view version,
                         const std::map<std::string, std::string>& more);

/// Of a schema that stands in `routes` but nowhere else, its name; empty: all are there. @cost O(n)
std::string unknown_shape(std::span<const RouteDoc> routes,
                          const std::map<std::string, std::string>& more);

}  // namespace wm::rest
