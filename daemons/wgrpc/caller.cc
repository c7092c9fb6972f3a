#include "daemons/wgrpc/caller.h"

#include <algorithm>

#include "libwm/base/clock.h"

namespace wm::grpc_door {
namespace {

std::string metadata(const grpc::ServerContext& context, const char* name) {
  auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end()) return "";
  return {found->second.data(), found->second.size()};
}

grpc::StatusCode code_of(int status) {
  switch (status) {
    case 400:
    case 413: return grpc::StatusCode::INVALID_ARGUMENT;
    case 401: return grpc::StatusCode::UNAUTHENTICATED;
    case 403: return grpc::StatusCode::PERMISSION_DENIED;
    case 404: return grpc::StatusCode::NOT_FOUND;
    case 429: return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case 503: return grpc::StatusCode::UNAVAILABLE;
    case 504: return grpc::StatusCode::DEADLINE_EXCEEDED;
    default: return grpc::StatusCode::INTERNAL;
  }
}

// A wuserd may be stopped: nobody is waited for without end.
Duration patience_until(std::chrono::system_clock::time_point deadline) {
  constexpr Duration kLongest = std::chrono::hours(1), kShortest = std::chrono::milliseconds(1);
  auto now = wall_now();
  if (deadline > now + kLongest) return kLongest;
  return std::max(kShortest, std::chrono::duration_cast<Duration>(deadline - now));
}

}  // namespace

Result<Caller> caller_of(const grpc::ServerContext& context) {
  Caller caller{metadata(context, "x-wm-agent"), metadata(context, "x-wm-token"),
                metadata(context, "x-wm-host"), context.deadline()};
  if (caller.socket.empty() || caller.token.empty()) return fail(Code::Denied, "log on first");
  return caller;
}

grpc::Status status_of(int status, const std::string& text) {
  return status == 200 ? grpc::Status::OK : grpc::Status(code_of(status), text);
}

grpc::Status status_of(const Error& error) {
  return status_of(error.code == Code::Denied ? 401 : 400, error.text);
}

grpc::Status too_many() {
  return status_of(429, "too many calls of yours are under way, come again in a moment");
}

Result<http::Reply> ServiceLink::try_to_send(const std::string& method, const std::string& target,
                                             std::string body, const http::Fields& fields) {
  if (client_ && !client_->is_usable()) client_.reset();
  if (!client_) {
    WM_TRY(auto fresh, http::Client::connect(caller_.socket, {patience_until(caller_.deadline)}));
    client_.emplace(std::move(fresh));
  }
  return client_->send(method, target, std::move(body), fields);
}

// Not tried again where it may have been acted on.
http::Reply ServiceLink::send(const std::string& method, const std::string& target,
                              std::string body, http::Fields fields) {
  fields.emplace_back("X-WM-Token", caller_.token);
  fields.emplace_back("X-WM-Host", caller_.host);
  auto reply = try_to_send(method, target, std::move(body), fields);
  if (reply) return std::move(*reply);
  client_.reset();
  return {reply.error().code == Code::Timeout ? 504 : 503, {}, reply.error().text};
}

}  // namespace wm::grpc_door
