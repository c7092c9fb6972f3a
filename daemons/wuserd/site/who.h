// Role: who asks: the account of a request's token, and whether that is so still while a stream or
// a tunnel stays open.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// What the request's token says, which is this very user's. @errors Denied: none, another's,
/// expired or revoked   @thread any
Result<rest::Claims> check_token(Site& site, const http::Head& head);

/// May what that token began go on: a stream, a tunnel? Log-off, expiry and revocation say no
/// within seconds. @cost O(log n)   @thread any
bool is_good_still(Site& site, const rest::Claims& claims);

/// Whether pages show what is for administrators; the master alone lets them. @cost O(admins)
bool looks_like_admin(const Site& site);

}  // namespace wm::user
