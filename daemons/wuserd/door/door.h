// Role: from a request to its answer: whose token it brings, which route it means, and what an
// error looks like to whom.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Answers one request. Without a token of this very user it is refused, whoever passed it on.
void answer(Site& site, http::Exchange& exchange);

/// An error as who asks for this address reads it: clients of WMLA a line of text, ours
/// problem+json. @source RFC 7807
http::Reply error_reply(const std::string& target, int status, const std::string& text);

}  // namespace wm::user
