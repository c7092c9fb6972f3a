// Role: who calls over gRPC, as nginx and wgatewayd have found out, and requests to the caller's
// own wuserd, which checks the token again. Of this folder only.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <optional>
#include <string>

#include "daemons/wgrpc/shares.h"
#include "libwm/http/client.h"

namespace wm::grpc_door {

/// From the call's metadata.
struct Caller {
  std::string socket;  ///< of the wuserd
  std::string token;
  std::string host;  ///< of the web door, as the client wrote it
  std::chrono::system_clock::time_point deadline = std::chrono::system_clock::time_point::max();
};

/// @errors Denied: nobody has found out
Result<Caller> caller_of(const grpc::ServerContext& context);

/// What went wrong in gRPC's words; `status` is HTTP's.
grpc::Status status_of(int status, const std::string& text);
grpc::Status status_of(const Error& error);
/// One user has too many calls under way.
grpc::Status too_many();

/// A connection to a wuserd, made when it is wanted and again when it was lost. @thread one
class ServiceLink {
 public:
  explicit ServiceLink(Caller caller) : caller_(std::move(caller)) {}
  /// An answer whatever happens: 503 where nobody gives one, 504 where it is not in time: before
  /// the call's deadline, and within an hour.
  http::Reply send(const std::string& method, const std::string& target, std::string body,
                   http::Fields fields = {});

 private:
  Result<http::Reply> try_to_send(const std::string& method, const std::string& target,
                                  std::string body, const http::Fields& fields);

  Caller caller_;
  std::optional<http::Client> client_;
};

}  // namespace wm::grpc_door
