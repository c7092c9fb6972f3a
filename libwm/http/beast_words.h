// Role: what requests and answers of Boost.Beast are alike in: names of fields, and what is said
// when a peer is gone. Of this folder only.
#pragma once

#include <boost/system/error_code.hpp>
#include <string>

#include "libwm/base/result.h"

namespace wm::http {

inline std::string lowered(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return text;
}

// Defined in server.cc.
Error lost(const boost::system::error_code& ec);

}  // namespace wm::http
