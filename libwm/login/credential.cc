#include "libwm/login/credential.h"

#include <algorithm>

#include "libwm/base/hash.h"

namespace wm::rest {
namespace {

// The rest after a scheme's name, which is written in any case.
std::optional<std::string_view> after_scheme(std::string_view text, std::string_view scheme) {
  bool same = text.size() > scheme.size() && text[scheme.size()] == ' ' &&
              std::equal(scheme.begin(), scheme.end(), text.begin(), [](char a, char b) {
                return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b);
              });
  if (!same) return std::nullopt;
  text.remove_prefix(scheme.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

bool only_reads(const AuthFields& fields) {
  bool reads = fields.method == "GET" || fields.method == "HEAD";
  return reads && fields.upgrade.empty();
}

}  // namespace

Result<Login> parse_basic(std::string_view authorization) {
  auto encoded = after_scheme(authorization, "basic");
  if (!encoded) return fail(Code::BadArgument, "Authorization: Basic is wanted");
  WM_TRY(auto text, from_base64(*encoded));
  auto colon = text.find(':');
  bool fine = colon != text.npos && colon > 0 && text.find('\0') == text.npos;
  if (!fine) return fail(Code::BadArgument, "Authorization: user:password is wanted");
  return Login{text.substr(0, colon), text.substr(colon + 1)};
}

std::string_view cookie_value(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    auto end = std::min(cookies.find(';'), cookies.size());
    auto pair = cookies.substr(0, end);
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (pair.starts_with(name) && pair.size() > name.size() && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
  }
  return {};
}

Result<Credential> credential_of(const AuthFields& fields, std::string_view own_origin) {
  if (auto token = after_scheme(fields.authorization, "bearer"))
    return Credential{std::string(*token), std::nullopt, false};
  if (!fields.x_auth_token.empty())
    return Credential{std::string(fields.x_auth_token), std::nullopt, false};
  if (!fields.authorization.empty()) {
    WM_TRY(auto login, parse_basic(fields.authorization));
    return Credential{"", std::move(login), false};
  }
  auto cookie = cookie_value(fields.cookie, kTokenCookie);
  if (cookie.empty()) return fail(Code::Denied, "log on first");
  bool needs_origin = !only_reads(fields);
  // A browser names the origin of streams only when it is another's.
  bool foreign = !fields.origin.empty() && fields.origin != own_origin;
  if ((needs_origin && fields.origin != own_origin) || (fields.stream && foreign))
    return fail(Code::Denied, "the request comes from another page's origin");
  return Credential{std::string(cookie), std::nullopt, true};
}

}  // namespace wm::rest
