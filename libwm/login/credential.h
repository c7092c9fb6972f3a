// Role: what a request brings to say who makes it: a token (three ways), or a name and a password.
// Pure: the fields of a request in, a decision out. Used by wgatewayd.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::rest {

/// The fields of a request that count here; empty: absent.
struct AuthFields {
  std::string_view authorization, x_auth_token, cookie;
  std::string_view method, origin, upgrade;
  bool stream = false;  ///< an event stream is asked for
};

/// A name and what proves it.
struct Login {
  std::string user, password;
  bool operator==(const Login&) const = default;
};

/// One of both.
struct Credential {
  std::string token;
  std::optional<Login> login;
  bool by_cookie = false;
  bool operator==(const Credential&) const = default;
};

/// The name of the cookie that a browser keeps its token in.
inline constexpr std::string_view kTokenCookie = "__Host-wm";

/// "Basic …" taken apart. @errors BadArgument: not Basic, or not "user:password" in base64
Result<Login> parse_basic(std::string_view authorization);

/// What the request brings: a bearer token first, then X-Auth-Token, Basic, the cookie. A cookie
/// comes with every request that a browser makes, from any page: to change something, and
/// for streams, the request's Origin has to be `own_origin`.
/// @errors Denied: nothing, or a cookie from elsewhere; BadArgument: Basic that does not read
Result<Credential> credential_of(const AuthFields& fields, std::string_view own_origin);

/// The value of a cookie; empty: none of that name. @cost O(length)
std::string_view cookie_value(std::string_view cookies, std::string_view name);

}  // namespace wm::rest
