// Role: from a request to its answer: the user of its token, and the route it means.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Answers one request. Refuses it without a token of this very user, whichever way it came.
void answer(Site& site, http::Exchange& exchange);

}  // namespace wm::user
