// Role: requests over HTTP/1.1 to a unix socket, one after another on one connection: how wuserd
// passes on to what a user's job serves. Boost.Beast is in client.cc alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "libwm/http/server.h"

namespace wm::http {

/// One connection. @thread one
class Client {
 public:
  /// @errors Refused: nobody listens there; System   @cost a connect
  static Result<Client> connect(const std::string& path);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  /// The peer has not hung up meanwhile. @cost a system call
  bool is_usable() const;

  /// Sends a request and waits for the whole answer, as long as it takes; field names of the
  /// answer are in lower case. @errors Unavailable: the peer is gone, whether it has acted or not
  Result<Reply> send(std::string_view method, std::string_view target, std::string body,
                     const Fields& fields = {});

 private:
  struct Parts;
  explicit Client(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace wm::http
