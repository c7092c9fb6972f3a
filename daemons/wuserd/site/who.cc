#include "daemons/wuserd/site/who.h"

#include <unistd.h>

#include <algorithm>

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

bool looks_like_admin(const Site& site) {
  const auto& admins = site.conf.admins;
  return ::getuid() == 0 || site.user == site.conf.master_user ||
         std::find(admins.begin(), admins.end(), site.user) != admins.end();
}

bool is_good_still(Site& site, const rest::Claims& claims) {
  return now_s() < claims.expires && !site.revoked.hold(claims);
}

}  // namespace wm::user
