// Role: what each operation of /api/v1 takes and answers, for the OpenAPI document: an operation
// that is not here says it in its row of the table of routes. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

namespace wm::rest {

/// An operation, "POST /api/v1/projects", the shape of its body and of its answer: a schema's name,
/// or none, bytes, text, events. Empty: its route says it.
struct ApiShape {
  std::string_view operation, body, answer;
};

/// All of them, each operation once. @cost O(1)
std::span<const ApiShape> api_shapes();

/// Their schemas by name. @cost O(all)
nlohmann::json api_schemas();

}  // namespace wm::rest
