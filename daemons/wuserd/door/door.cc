#include "daemons/wuserd/door/door.h"

#include <algorithm>
#include <chrono>

#include "daemons/wuserd/account/routes.h"
#include "daemons/wuserd/assets/routes.h"
#include "daemons/wuserd/catalog/routes.h"
#include "daemons/wuserd/cluster/routes.h"
#include "daemons/wuserd/data/routes.h"
#include "daemons/wuserd/execs/routes.h"
#include "daemons/wuserd/notebooks/notebooks.h"
#include "daemons/wuserd/notebooks/routes.h"
#include "daemons/wuserd/searches/routes.h"
#include "daemons/wuserd/services/routes.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/site/who.h"
#include "daemons/wuserd/spaces/projects.h"
#include "daemons/wuserd/spaces/routes.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/login/api_keys.h"
#include "libwm/rest/exec_json.h"
#include "libwm/rest/routes.h"

namespace wm::user {
namespace {

constexpr std::string_view kLogOff = "/auth/v1/logoff";

// wgatewayd passes a log-off on: the master believes us about the user's own tokens. It needs no
// scope.
http::Reply log_off(Site& site, const http::Head& head, const rest::Claims& claims) {
  auto master = site.masters.take();
  RevokeRequest request;
  request.user = claims.user;
  request.id = claims.id;
  request.until = WallTime(Duration(std::chrono::seconds(claims.expires)));
  request.log_off = true;
  auto told = master ? (*master)->ask(request) : Result<RevokeReply>(master.error());
  if (told) return {204, {}, ""};
  return error_reply(head.target, rest::http_status(told.error().code), told.error().text);
}

// A key may have been given out to look only, or to ask services. What is routed is what counts:
// words behind a "?" are no part of the path.
bool is_within_scope(const rest::Claims& claims, const http::Head& head) {
  auto target = rest::parse_target(head.target);
  return target && rest::allows(claims.scopes, head.method, target->segments);
}

// A clock's reading is no change: "now" stands first where it stands.
std::string_view without_clock(std::string_view body) {
  constexpr std::string_view kStart = "{\"now\":";
  if (!body.starts_with(kStart)) return body;
  return body.substr(std::min(body.find(','), body.size()));
}

// What a client has already is not sent again.
http::Reply with_tag(const http::Head& head, http::Reply reply) {
  bool asks = head.method == "GET" && head.target.starts_with("/api/") && reply.status == 200;
  if (!asks || reply.body.empty()) return reply;
  auto own = std::ranges::find(reply.fields, "ETag", &http::Fields::value_type::first);
  auto tag = own != reply.fields.end()
                 ? own->second
                 : "W/\"" + hex(hash_of(without_clock(reply.body), 16)) + "\"";
  if (own == reply.fields.end()) reply.fields.emplace_back("ETag", tag);
  reply.fields.emplace_back("Cache-Control", "private, no-cache");
  if (head.field("if-none-match").find(tag) == std::string_view::npos) return reply;
  return {304, reply.fields, ""};
}

Result<Answer> dispatch(Site& site, http::Exchange& exchange) {
  WM_TRY(auto target, rest::parse_target(exchange.head().target));
  bool known = false;
  for (const auto* table : all_routes())
    for (const auto& route : *table) {
      auto args = rest::match(route.pattern, target.segments);
      known = known || args;
      if (!args || route.method != exchange.head().method) continue;
      bool of_others = is_of_others(site, target);
      Call call{exchange, site, std::move(target), std::move(*args)};
      return of_others ? ask_for_project(call, route.pattern) : route.answer(call);
    }
  auto path = exchange.head().target.substr(0, 200);
  return Answer(error_reply(path, known ? 405 : 404,
                            known ? "not a method of this address" : "no such address"));
}

// Guests of a shared application bring no token: the gateway names them, and only its account can
// connect here.
void answer_visit(Site& site, http::Exchange& exchange) {
  const auto& head = exchange.head();
  auto guest = std::string(head.field("x-wm-guest")), job = std::string(head.field("x-wm-app"));
  if (!guest.empty()) return visit(site, exchange, job, guest);
  auto claims = check_token(site, head);
  // What runs there may do anything.
  if (claims && rest::has_scope(claims->scopes, "submit")) {
    OpenRequests::Entry entry(site.open, exchange.descriptor(),
                              [&site, one = *claims] { return is_good_still(site, one); });
    return visit(site, exchange, job, "");
  }
  (void)exchange.reply(error_reply(head.target, 403, "the token does not hold this"));
}

}  // namespace

void answer(Site& site, http::Exchange& exchange) {
  const auto& head = exchange.head();
  if (!head.field("x-wm-app").empty()) return answer_visit(site, exchange);
  auto allowed = check_token(site, head);
  if (!allowed) {
    (void)exchange.reply(error_reply(head.target, 401, allowed.error().text));
    return;
  }
  if (head.method == "POST" && head.target == kLogOff) {
    (void)exchange.reply(log_off(site, head, *allowed));
    return;
  }
  if (!is_within_scope(*allowed, head)) {
    (void)exchange.reply(error_reply(head.target, 403, "the key's scopes do not hold this"));
    return;
  }
  OpenRequests::Entry entry(site.open, exchange.descriptor(),
                            [&site, one = *allowed] { return is_good_still(site, one); });
  auto made = dispatch(site, exchange);
  if (made && !*made) return;
  auto reply =
      made ? **made : error_reply(head.target, status_for(head, made.error()), made.error().text);
  if (!made && reply.status >= 500)
    log::warn("request_failed", {{"method", head.method},
                                 {"target", head.target.substr(0, 200)},
                                 {"why", made.error().text}});
  (void)exchange.reply(with_tag(head, std::move(reply)));
}

std::span<const std::vector<Route>* const> all_routes() {
  static const std::vector<Route>* const tables[] = {
      &again_routes(),  // before the verbs of jobs
      &catalog_routes(),        &exec_routes(),     &from_run_routes(), &scheduler_routes(),
      &data_routes(),           &run_routes(),      &job_routes(),      &job_act_routes(),
      &cluster_routes(),        &admin_routes(),    &usage_routes(),    &account_routes(),
      &asset_routes(),          &model_routes(),    &version_routes(),  &space_routes(),
      &shared_project_routes(), &service_routes(),  &dlim_routes(),     &kserve_routes(),
      &search_routes(),         &notebook_routes(), &document_routes(), &data_asset_routes(),
      &config_routes(),         &output_routes(),   &view_routes(),
  };
  return tables;
}

}  // namespace wm::user
