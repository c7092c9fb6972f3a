// Role: what the operating system refused, as an Error with errno's words.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "libwm/base/result.h"

namespace wm::master {

/// "what: errno's words". @thread any
inline Error system_error(const std::string& what) {
  return fail(Code::System, what + ": " + std::strerror(errno));
}

}  // namespace wm::master
