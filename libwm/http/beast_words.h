// Role: what requests and answers of Boost.Beast are alike in: names of fields, and what is said
// when a peer is gone. Of this folder only.
#pragma once

#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string.hpp>
#include <string>

#include "libwm/base/result.h"

namespace wm::http {

inline std::string lowered(boost::beast::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

inline Error lost(const boost::beast::error_code& ec) {
  bool late = ec == boost::beast::error::timeout;
  return fail(late ? Code::Timeout : Code::Unavailable, "the peer: " + ec.message());
}

}  // namespace wm::http
