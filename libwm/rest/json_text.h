// Role: an object read out of a request within bounds. The texts of answers are made by
// wm::to_text: here, to_text alone is what writes applications, keys and the like. Of this folder
// only.
#pragma once

#include <string_view>

#include "libwm/base/json.h"

namespace wm::rest {

// The field `data` of a request, as either kind of JSON.
template <class Object>
Result<Object> object_in(std::string_view text);

}  // namespace wm::rest
