// Role: a stream socket for blocking callers with deadlines: plain poll(2), no Asio, so that a
// command starts fast. Used by connection.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/wire/endpoint.h"
#include "libwm/wire/session.h"

namespace wm::client {

/// One connected socket. @owns its descriptor (close-on-exec)   @thread one at a time
class Socket {
 public:
  /// Connects, trying each address of the name in turn.
  /// @errors NotFound: unknown host; Refused: nothing listens there; Unavailable: no way there;
  ///         Timeout: deadline passed. Each names the endpoint.
  static Result<Socket> connect(const wire::Endpoint& to, TimePoint deadline);

  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  /// Sends all of `bytes`. @errors Unavailable: the peer is gone; Timeout
  Result<void> write(std::string_view bytes, TimePoint deadline);

  /// Some bytes, at least one. @errors Unavailable: the peer closed or is gone; Timeout
  Result<std::string> read(TimePoint deadline);

  /// What the kernel says of the peer of a unix socket.
  std::optional<wire::LocalPeer> local_peer() const;

  /// For poll(2) by callers that wait for something else as well.
  int descriptor() const { return fd_; }

 private:
  Socket(int fd, std::string peer) : fd_(fd), peer_(std::move(peer)) {}
  Result<void> await(short events, TimePoint deadline) const;
  int fd_ = -1;
  std::string peer_;  // "mhost:6885": stands in every error
};

}  // namespace wm::client
