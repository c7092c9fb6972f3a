// Role: what wgatewayd answers: log-on and log-off, and nginx's question before every other
// request: may it pass, and to which socket? In apps.cc the same for the origin of applications.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "daemons/wgatewayd/doorman.h"
#include "daemons/wgatewayd/revocation_watch.h"
#include "daemons/wgatewayd/revoked.h"
#include "libwm/http/known_tokens.h"
#include "libwm/http/server.h"
#include "libwm/login/app_pass.h"

namespace wm::gateway {

/// Tickets that were used, until they are too old anyway. @thread any
class Tickets {
 public:
  /// False: it was used before. @cost O(log n)
  bool use(const std::string& ticket, std::int64_t until, std::int64_t now);

 private:
  std::mutex mutex_;
  std::map<std::string, std::int64_t> used_;
};

/// What it is made of. @thread any
struct Gate {
  std::string cluster, origin;  ///< origin: "https://…" of the pages
  std::string apps_origin;  ///< of what jobs serve, "*" for its number; empty: they are not shown
  rest::AppKey app_key{};
  std::unique_ptr<Doorman> doorman;
  std::unique_ptr<Revoked> revoked;
  std::unique_ptr<RevocationWatch> revocations{};  ///< none: nobody else is told
  Tickets tickets{};
  http::KnownTokens known{};
};

/// What is answered instead: with Retry-After where it is worth to come again.
http::Reply refusal(const Error& error);
/// An answer to what nginx asks about a request (auth_request), which knows 2xx, 401 and 403 alone:
/// a refusal is 401, with its own status in X-Refused and the reason in X-Why; nginx answers so.
http::Reply for_nginx(http::Reply reply, const std::string& why);

/// Answers one request.
void answer(Gate& gate, http::Exchange& exchange);

/// Whom a request of the pages' origin speaks for: its token, checked. @errors Denied, Limit
Result<std::string> token_of(Gate& gate, const http::Head& head);
/// @errors Denied: signed by nobody we know, too old, logged off
Result<rest::Claims> check_token(Gate& gate, const std::string& token);

/// Where this job's application is shown.
std::string app_origin(const Gate& gate, std::string_view job);
/// POST /auth/v1/app: a ticket to one job's application. @errors as token_of; BadArgument
Result<http::Reply> give_ticket(Gate& gate, http::Exchange& exchange);
/// POST /_open of the apps origin, with a ticket from a page: its cookie, and on to the job.
/// @errors Denied: not from a page, or no ticket that is good
Result<http::Reply> take_ticket(Gate& gate, http::Exchange& exchange);
/// nginx asks about a request to the apps origin: which user's wuserd, which job. @errors Denied
Result<http::Reply> may_visit(Gate& gate, const http::Head& head);

}  // namespace wm::gateway
