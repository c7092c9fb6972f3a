// Role: whom bsub -u names: mail addresses, and URLs to which notifications are posted. Pure: what
// is refused here reaches neither a mail program nor curl.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm {

/// The parts of -u, in order.
struct Recipients {
  std::vector<std::string> addresses;
  std::vector<std::string> urls;  ///< http and https only, three at most: one after the other is
                                  ///< posted to
  bool operator==(const Recipients&) const = default;
};

/// Takes -u apart at commas and blanks. What a URL needs them for is written %2C and %20.
/// @errors BadArgument: control characters, another scheme than http and https, a URL that has no
///         host, a user or password, a character that RFC 3986 knows none of, or over 1,024 bytes;
///         a fourth URL
/// @cost O(length)   @source RFC 3986
Result<Recipients> parse_recipients(std::string_view text);

/// The addresses for a mail's head, "ann, bob@site"; empty: there are none. URLs are left out, also
/// where parse_recipients() would refuse them. @cost O(length)
std::string mail_list(std::string_view text);

/// May a URL be posted to: does it begin with one of these, up to a / or ? or its end? None: any.
/// @cost O(prefixes)
bool is_allowed_url(std::string_view url, const std::vector<std::string>& prefixes);

}  // namespace wm
