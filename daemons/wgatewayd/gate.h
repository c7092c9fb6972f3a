// Role: what wgatewayd answers: log-on and log-off, and nginx's question before every other
// request: may it pass, and to which socket?
#pragma once

#include <string>

#include "daemons/wgatewayd/accounts.h"
#include "daemons/wgatewayd/agents.h"
#include "libwm/http/server.h"
#include "libwm/rest/token.h"

namespace wm::gateway {

/// What it is made of. @thread any
struct Gate {
  std::string cluster, user, origin;  ///< origin: "https://…" of the pages
  std::uint32_t uid = 0;
  rest::TokenKeys keys;
  Accounts accounts;
  Agent agent;
};

/// Answers one request.
void answer(Gate& gate, http::Exchange& exchange);

}  // namespace wm::gateway
