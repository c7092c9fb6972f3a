#include "daemons/wuserd/site/reply.h"

#include "libwm/rest/exec_json.h"

namespace wm::user {
namespace {

http::Reply text_or_problem(const std::string& target, int status, const std::string& text) {
  if (!target.starts_with("/api/"))
    return {status,
            {{"Content-Type", "text/plain; charset=utf-8"}},
            "Error " + std::to_string(status) + ": " + text + "\n"};
  return {status,
          {{"Content-Type", "application/problem+json"}},
          "{\"status\":" + std::to_string(status) + ",\"title\":" + rest::json_text(text) + "}"};
}

}  // namespace

Answer json_reply(std::string text, int status) {
  return http::Reply{status, {{"Content-Type", "application/json"}}, std::move(text)};
}

// Clients of WMLA read a line of text; our own interface has problem+json (RFC 7807).
http::Reply error_reply(const std::string& target, int status, const std::string& text) {
  auto reply = text_or_problem(target, status, text);
  if (status == 503) reply.fields.emplace_back("Retry-After", "1");  // it may be had soon
  return reply;
}

int status_of(const std::string& target, const Error& error) {
  // An id that nobody has is a bad argument to WMLA.
  bool wmla = !target.starts_with("/api/");
  if (wmla && error.code == Code::NotFound) return 400;
  return rest::http_status(error.code);
}

int status_for(const http::Head& head, const Error& error) {
  bool knew = error.code == Code::Stale && !head.field("if-match").empty();
  return knew ? 412 : status_of(head.target, error);
}

}  // namespace wm::user
