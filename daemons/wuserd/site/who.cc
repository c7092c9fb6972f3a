#include "daemons/wuserd/site/who.h"

#include <unistd.h>

#include "libwm/base/clock.h"
#include "libwm/http/known_tokens.h"

namespace wm::user {

Result<rest::Claims> check_token(Site& site, const http::Head& head) {
  auto now = now_s();
  auto keys = site.keys->good(now);
  static http::KnownTokens known;
  WM_TRY(auto claims, known.verify(head.field("x-wm-token"), keys, site.conf.name, now));
  if (claims.uid != ::getuid()) return fail(Code::Denied, "the token is another user's");
  if (site.revoked.hold(claims)) return fail(Code::Denied, "the token was logged off");
  return claims;
}

std::function<bool()> still_good(Site& site, const http::Head& head) {
  http::Head token{"", "", {{"x-wm-token", std::string(head.field("x-wm-token"))}}};
  return [&site, token] { return check_token(site, token).has_value(); };
}

}  // namespace wm::user
