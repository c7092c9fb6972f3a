// Role: the frameworks that clients of WMLA name, and what each means here.
// Pure: a table, in WMLA's order. @source wmla-surface 1.4
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::rest {

/// How the workers of a framework are started.
struct Framework {
  std::string_view name;      ///< WMLA's
  std::string_view app_name;  ///< of an execution that names none
  std::string_view backend;
  std::string_view memory;  ///< that WMLA's would ask for
  bool distributed = false;
  bool elastic = false;
  std::string_view module;  ///< what Python has to be able to import
  std::string_view summary;
};

/// All of them, in WMLA's order. @cost O(1)
std::span<const Framework> frameworks();

/// By its name in any case. @errors BadArgument: none of that name; the text lists all
Result<Framework> find_framework(std::string_view name);

}  // namespace wm::rest
