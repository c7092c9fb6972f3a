// Role: who asks: the account of a request's token, and whether that is so still while a stream or
// a tunnel stays open.
#pragma once

#include <functional>

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// What the request's token says, which is this very user's. @errors Denied: none, another's,
/// expired or revoked   @thread any
Result<rest::Claims> check_token(Site& site, const http::Head& head);

/// Is that so now? Log-off, expiry and revocation make it false within 2 s. @cost of each question:
/// as check_token
std::function<bool()> still_good(Site& site, const http::Head& head);

}  // namespace wm::user
