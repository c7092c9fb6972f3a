#include "daemons/wgatewayd/gate.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/base/log.h"
#include "libwm/login/api_keys.h"
#include "libwm/login/credential.h"
#include "libwm/login/shown_name.h"
#include "libwm/rest/url.h"

namespace wm::gateway {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestLogOnBody = 64 << 10;

http::Reply text_reply(int status, const std::string& text) {
  return {status,
          {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}},
          status < 400 ? text : "Error " + std::to_string(status) + ": " + text + "\n"};
}

int status_of(const Error& error) {
  switch (error.code) {
    case Code::BadArgument: return 400;
    case Code::Denied: return 401;
    case Code::Limit: return 429;
    default: return 503;
  }
}

Result<std::string> log_on(Gate& gate, const rest::Login& login, std::string_view address,
                           bool repeated = false) {
  auto token = gate.doorman->log_on(login, std::string(address), repeated);
  // Who floods the door is not to fill the log, too.
  bool limited = !token && token.error().code == Code::Limit;
  log::write(limited ? log::Level::Debug : log::Level::Info, token ? "logged_on" : "log_on_refused",
             {{"user", rest::shown_name(login.user)}, {"address", rest::shown_name(address)}});
  return token;
}

// {"username":…,"password":…}
// `key`: under which name a key may come instead of a password; empty: it may not.
Result<rest::Login> login_in(const std::string& body, const std::string& key = "") {
  auto json = json_or_null<Json>(body);
  auto text = [&](const std::string& name) {
    auto found = json.is_object() ? json.find(name) : json.end();
    bool there = json.is_object() && found != json.end() && found->is_string();
    return there ? std::optional(found->get<std::string>()) : std::nullopt;
  };
  auto user = text("username"), secret = text("password");
  if (!secret && !key.empty()) secret = text(key);
  if (!user || !secret)
    return fail(Code::BadArgument,
                "username and password" + (key.empty() ? "" : " or " + key) + " are wanted");
  return rest::Login{*user, *secret};
}

std::string cookie(const std::string& token, std::int64_t life) {
  return std::string(rest::kTokenCookie) + "=" + token +
         "; Path=/; Max-Age=" + std::to_string(life) + "; Secure; HttpOnly; SameSite=Strict";
}

http::Reply json_reply(const Json& json) {
  return {
      200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}, to_text(json)};
}

/// @units seconds: an API key may end before a token would
std::int64_t life_of(const rest::Claims& claims) { return claims.expires - now_s(); }

// By Basic, for clients; by a JSON body, for pages, which keep the token in a cookie.
Result<http::Reply> logon(Gate& gate, http::Exchange& exchange) {
  const auto& head = exchange.head();
  auto address = head.field("x-wm-address");
  if (!head.field("authorization").empty()) {
    WM_TRY(auto login, rest::parse_basic(head.field("authorization")));
    WM_TRY(auto token, log_on(gate, login, address));
    WM_TRY(auto claims, check_token(gate, token));
    return json_reply(
        {{"accessToken", token}, {"username", login.user}, {"expiresIn", life_of(claims)}});
  }
  if (head.method != "POST") return fail(Code::Denied, "log on with Basic credentials");
  WM_TRY(auto body, http::read_body(exchange, kLongestLogOnBody));
  WM_TRY(auto login, login_in(body));
  bool from_page = !head.field("origin").empty();
  if (from_page && head.field("origin") != gate.origin)
    return fail(Code::Denied, "the request comes from another page's origin");
  WM_TRY(auto token, log_on(gate, login, address));
  WM_TRY(auto claims, check_token(gate, token));
  Json json{{"username", login.user}, {"expiresIn", life_of(claims)}};
  if (!from_page) json["accessToken"] = token;
  auto reply = json_reply(json);
  // A page has no use for the token itself, and is not to hold it.
  if (from_page) reply.fields.emplace_back("Set-Cookie", cookie(token, life_of(claims)));
  return reply;
}

// Cloud Pak's own log-on: {"username", "password" or "api_key"} → {"token"}. For programs: no page
// of ours sends it.
Result<http::Reply> authorize(Gate& gate, http::Exchange& exchange) {
  const auto& head = exchange.head();
  if (head.method != "POST") return text_reply(405, "POST is wanted");
  if (!head.field("origin").empty())
    return fail(Code::Denied, "the request comes from another page's origin");
  WM_TRY(auto body, http::read_body(exchange, kLongestLogOnBody));
  WM_TRY(auto login, login_in(body, "api_key"));
  WM_TRY(auto token, log_on(gate, login, head.field("x-wm-address")));
  return json_reply({{"_messageCode_", "200"}, {"message", "Success"}, {"token", token}});
}

rest::AuthFields fields_of(const http::Head& head) {
  rest::AuthFields fields;
  fields.authorization = head.field("authorization");
  fields.x_auth_token = head.field("x-auth-token");
  fields.cookie = head.field("cookie");
  fields.method = head.method;
  fields.origin = head.field("origin");
  fields.upgrade = head.field("upgrade");
  fields.stream = head.field("accept") == "text/event-stream";
  return fields;
}

Result<std::string> token_in(Gate& gate, const http::Head& head, const rest::AuthFields& fields,
                             bool repeated = true) {
  WM_TRY(auto credential, rest::credential_of(fields, gate.origin));
  if (!credential.login) return credential.token;
  return log_on(gate, *credential.login, head.field("x-wm-address"), repeated);
}

// The token that comes with it is good for nothing any more, here or wherever else it was kept. A
// cookie comes with what any page makes a browser ask: it is ended by the pages' own POST alone.
Result<http::Reply> logoff(Gate& gate, const http::Head& head) {
  auto fields = fields_of(head);
  bool brings_token = !fields.authorization.empty() || !fields.x_auth_token.empty();
  if (!brings_token && head.method != "POST") {
    auto reply = text_reply(405, "POST is wanted");
    reply.fields.emplace_back("Allow", "POST");
    return reply;
  }
  bool from_page = !fields.origin.empty();
  if (from_page && fields.origin != gate.origin)
    return fail(Code::Denied, "the request comes from another page's origin");
  auto credential = rest::credential_of(fields, gate.origin);
  if (credential && !credential->login) {
    WM_TRY(auto claims, check_token(gate, credential->token));
    auto kept = gate.revoked->add(claims.id, claims.expires);
    if (gate.revocations) gate.revocations->log_off(claims, credential->token);
    log::info("logged_off", {{"user", claims.user}});
    WM_TRY(std::move(kept));
  }
  auto reply = text_reply(200, "");
  if (from_page) reply.fields.emplace_back("Set-Cookie", cookie("", 0));
  return reply;
}

// POST /dlim/v1/auth/token, by name and password, and …/inference, by a token: what clients of
// inference ask for, in all the names that they read.
Result<http::Reply> service_logon(Gate& gate, const http::Head& head) {
  auto fields = fields_of(head);
  WM_TRY(auto token, token_in(gate, head, fields, false));
  WM_TRY(auto claims, check_token(gate, token));
  if (!rest::has_scope(claims.scopes, "inference"))
    return fail(Code::Denied, "the token does not hold inference");
  WM_TRY(auto service, gate.doorman->service_token(claims, token));
  return json_reply({{"access_token", token},
                     {"user_token", token},
                     {"service_token", service},
                     {"expiresIn", life_of(claims)}});
}

// nginx asks: 200 with the token and the socket to pass the request to, or 401.
Result<http::Reply> may_pass(Gate& gate, const http::Head& head) {
  auto fields = fields_of(head);
  fields.method = head.field("x-wm-method");
  WM_TRY(auto token, token_in(gate, head, fields));
  WM_TRY(auto claims, check_token(gate, token));
  WM_TRY(auto socket, gate.doorman->agent_of(claims, token));
  return http::Reply{200, {{"X-Agent", socket}, {"X-Token", token}}, ""};
}

Result<http::Reply> route(Gate& gate, http::Exchange& exchange) {
  const auto& head = exchange.head();
  WM_TRY(auto target, rest::parse_target(head.target));
  std::string path;
  for (const auto& segment : target.segments) path += "/" + segment;
  if (path == "/_auth") return may_pass(gate, head);
  if (path == "/_visit") return may_visit(gate, head);
  if (path == "/_open") return take_ticket(gate, exchange);
  if (path == "/auth/v1/app") return give_ticket(gate, exchange);
  if (path == "/auth/v1/logon" || path == "/v1/preauth/validateAuth" ||
      path == "/platform/rest/conductor/v1/auth/logon")
    return logon(gate, exchange);
  if (path == "/icp4d-api/v1/authorize") return authorize(gate, exchange);
  if (head.method == "POST" &&
      (path == "/dlim/v1/auth/token" || path == "/dlim/v1/auth/token/inference"))
    return service_logon(gate, head);
  if (path == "/auth/v1/logoff" || path == "/platform/rest/conductor/v1/auth/logoff")
    return logoff(gate, head);
  return text_reply(404, "no such address");
}

}  // namespace

Result<rest::Claims> check_token(Gate& gate, const std::string& token) {
  auto keys = gate.doorman->keys();
  WM_TRY(auto claims, gate.known.verify(token, keys, gate.cluster, now_s()));
  if (gate.revoked->has(claims)) return fail(Code::Denied, "the token was logged off");
  return claims;
}

Result<std::string> token_of(Gate& gate, const http::Head& head) {
  return token_in(gate, head, fields_of(head));
}

http::Reply refusal(const Error& error) {
  auto reply = text_reply(status_of(error), error.text);
  if (reply.status == 429) reply.fields.emplace_back("Retry-After", "60");
  if (reply.status == 503) reply.fields.emplace_back("Retry-After", "2");
  return reply;
}

http::Reply for_nginx(http::Reply reply, const std::string& why) {
  if (reply.status < 300) return reply;
  reply.fields.emplace_back("X-Refused", std::to_string(reply.status));
  auto line = why;
  std::ranges::replace_if(
      line, [](char c) { return c < ' ' || c == 127; }, '?');
  reply.fields.emplace_back("X-Why", line);
  reply.status = 401;
  return reply;
}

void answer(Gate& gate, http::Exchange& exchange) {
  auto reply = route(gate, exchange);
  if (!reply && reply.error().code == Code::System)
    log::warn("request_failed", {{"why", reply.error().text}});
  auto made = reply ? *reply : refusal(reply.error());
  const auto& target = exchange.head().target;
  bool asked_about = target == "/_auth" || target == "/_visit";
  (void)exchange.reply(asked_about && !reply ? for_nginx(made, reply.error().text) : made);
}

}  // namespace wm::gateway
