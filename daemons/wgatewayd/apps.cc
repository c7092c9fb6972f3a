// The origin of applications: a page's ticket becomes a cookie that is good for one job, and every
// request with it goes to the wuserd of whom the ticket was for.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "daemons/wgatewayd/gate.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/base/log.h"
#include "libwm/login/api_keys.h"
#include "libwm/login/credential.h"
#include "libwm/rest/url.h"

namespace wm::gateway {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kTicketLife = 60;
constexpr std::size_t kLongestTicketBody = 16 << 10;
constexpr std::string_view kTicketField = "ticket=";

std::string seal(const Gate& gate, const rest::AppPass& pass) {
  rest::AppNonce nonce{};
  std::ranges::copy(random_bytes(nonce.size()), nonce.begin());
  return rest::seal_pass(pass, gate.app_key, nonce);
}

std::string text_in(const Json& json, const char* name) {
  bool there = json.is_object() && json.contains(name) && json[name].is_string();
  return there ? json[name].get<std::string>() : std::string();
}

Result<std::string> job_in(const Json& json) {
  auto job = text_in(json, "job");
  if (job.empty() || rest::app_job("/" + job) != job)
    return fail(Code::BadArgument, "job: the number of a job is wanted");
  return job;
}

// Another's application could use a guest's own ones where it has no origin of its own.
Result<std::string> owner_in(const Gate& gate, const Json& json, const rest::Claims& claims) {
  auto owner = text_in(json, "owner");
  if (owner == claims.user) owner.clear();
  if (!owner.empty() && gate.apps_origin.find('*') == std::string::npos)
    return fail(Code::BadArgument,
                "another's application is opened only where each has a host name of its own "
                "(wgatewayd --apps-origin 'https://*.…')");
  return owner;
}

Result<void> need_apps(const Gate& gate) {
  if (gate.apps_origin.empty())
    return fail(Code::NotFound, "this door shows no applications: wgatewayd has no --apps-origin");
  return {};
}

// Of what a page of the application sends, and of nothing that another's sends.
bool is_from_elsewhere(const std::string& own_origin, const http::Head& head) {
  auto origin = head.field("origin");
  return !origin.empty() && origin != own_origin;
}

// Where each job has a host name of its own, no other's is answered for it.
bool is_addressed(const std::string& origin, const http::Head& head) {
  return origin == "https://" + std::string(head.field("host"));
}

}  // namespace

std::string app_origin(const Gate& gate, std::string_view job) {
  auto origin = gate.apps_origin;
  auto star = origin.find('*');
  if (star == origin.npos) return origin;
  std::string label(job);
  std::ranges::replace(label, '.', '-');
  return origin.replace(star, 1, label);
}

bool Tickets::use(const std::string& ticket, std::int64_t until, std::int64_t now) {
  std::lock_guard hold(mutex_);
  std::erase_if(used_, [now](const auto& one) { return one.second <= now; });
  return used_.emplace(ticket, until).second;
}

Result<http::Reply> give_ticket(Gate& gate, http::Exchange& exchange) {
  WM_TRY(need_apps(gate));
  if (exchange.head().method != "POST") return fail(Code::BadArgument, "POST is wanted");
  WM_TRY(auto token, token_of(gate, exchange.head()));
  WM_TRY(auto claims, check_token(gate, token));
  WM_TRY(auto body, http::read_body(exchange, kLongestTicketBody));
  auto asked = json_or_null<Json>(body);
  WM_TRY(auto job, job_in(asked));
  WM_TRY(auto owner, owner_in(gate, asked, claims));
  rest::AppPass pass{rest::PassKind::Ticket, job, token, owner, now_s() + kTicketLife};
  Json json{{"action", app_origin(gate, job) + "/_open"}, {"ticket", seal(gate, pass)}};
  return http::Reply{
      200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}, to_text(json)};
}

// A browser says which page a form comes from. A stranger's page could else make it open the
// stranger's own notebook, on the origin where its user's are.
Result<http::Reply> take_ticket(Gate& gate, http::Exchange& exchange) {
  WM_TRY(need_apps(gate));
  const auto& head = exchange.head();
  if (head.method != "POST" || head.field("origin") != gate.origin)
    return fail(Code::Denied, "applications are opened from the pages at " + gate.origin);
  WM_TRY(auto body, http::read_body(exchange, kLongestTicketBody));
  if (!body.starts_with(kTicketField)) return fail(Code::Denied, "a ticket is wanted");
  auto ticket = rest::unescaped(std::string_view(body).substr(kTicketField.size()), true);
  auto now = now_s();
  WM_TRY(auto pass, rest::open_pass(ticket, gate.app_key, rest::PassKind::Ticket, now));
  if (!is_addressed(app_origin(gate, pass.job), head))
    return fail(Code::Denied, "the ticket is for another address");
  WM_TRY(auto claims, check_token(gate, pass.token));
  if (!gate.tickets.use(ticket, pass.until, now))
    return fail(Code::Denied, "the ticket was used already");
  auto cookie =
      seal(gate, {rest::PassKind::Cookie, pass.job, pass.token, pass.owner, claims.expires});
  log::info("application_opened", {{"user", claims.user}, {"job", pass.job}});
  return http::Reply{
      303,
      {{"Location", "/" + pass.job + "/"},
       {"Cache-Control", "no-store"},
       {"Set-Cookie", rest::app_cookie_name(pass.job) + "=" + cookie +
                          "; Path=/; Max-Age=" + std::to_string(claims.expires - now) +
                          "; Secure; HttpOnly; SameSite=Lax"}},
      ""};
}

Result<http::Reply> may_visit(Gate& gate, const http::Head& head) {
  auto job = rest::app_job(head.field("x-wm-target"));
  auto cookie = rest::cookie_value(head.field("cookie"), rest::app_cookie_name(job));
  if (job.empty() || cookie.empty()) return fail(Code::Denied, "open it from the pages");
  auto origin = app_origin(gate, job);
  if (is_from_elsewhere(origin, head) || !is_addressed(origin, head))
    return fail(Code::Denied, "the request comes from another page's origin");
  WM_TRY(auto pass, rest::open_pass(cookie, gate.app_key, rest::PassKind::Cookie, now_s()));
  if (pass.job != job) return fail(Code::Denied, "open it from the pages");
  WM_TRY(auto claims, check_token(gate, pass.token));
  // A guest's token would let the owner, whose process that is, act as the guest.
  bool own = pass.owner.empty();
  if (!own && !rest::has_scope(claims.scopes, "submit"))
    return fail(Code::Denied, "the key's scopes do not hold this");
  auto whose =
      own ? gate.doorman->agent_of(claims, pass.token) : gate.doorman->running_agent(pass.owner);
  WM_TRY(auto socket, std::move(whose));
  return http::Reply{200,
                     {{"X-Agent", socket},
                      {"X-Token", own ? pass.token : ""},
                      {"X-Guest", own ? "" : claims.user},
                      {"X-App", pass.job}},
                     ""};
}

}  // namespace wm::gateway
