#include "daemons/wlogind/grant.h"

#include <algorithm>
#include <charconv>

#include "libwm/login/api_keys.h"
#include "libwm/model/revocations.h"

namespace wm::login {

std::string grant_text(const Grant& grant) {
  return std::to_string(grant.until) + " " + grant.scopes;
}

std::optional<Grant> read_grant(std::string_view text) {
  Grant grant;
  auto blank = std::min(text.find(' '), text.size());
  auto [end, ec] = std::from_chars(text.data(), text.data() + blank, grant.until);
  if (ec != std::errc() || end != text.data() + blank || blank == text.size()) return std::nullopt;
  auto scopes = rest::parse_scopes(text.substr(blank + 1));
  if (!scopes || grant.until < 0) return std::nullopt;
  grant.scopes = *scopes;
  return grant;
}

std::int64_t token_end(const Grant& grant, std::int64_t now) {
  auto end = now + kTokenLife;
  return grant.until == 0 ? end : std::min(end, grant.until);
}

}  // namespace wm::login
