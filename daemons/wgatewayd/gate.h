// Role: what wgatewayd answers: log-on and log-off, and nginx's question before every other
// request: may it pass, and to which socket?
#pragma once

#include <memory>
#include <string>

#include "daemons/wgatewayd/doorman.h"
#include "daemons/wgatewayd/revoked.h"
#include "libwm/http/server.h"

namespace wm::gateway {

/// What it is made of. @thread any
struct Gate {
  std::string cluster, origin;  ///< origin: "https://…" of the pages
  std::unique_ptr<Doorman> doorman;
  std::unique_ptr<Revoked> revoked;
};

/// Answers one request.
void answer(Gate& gate, http::Exchange& exchange);

}  // namespace wm::gateway
