// Role: from a request to its answer: whose token it brings, and which route it means.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Answers one request. Without a token of this very user it is refused, whoever passed it on.
void answer(Site& site, http::Exchange& exchange);

}  // namespace wm::user
