// Role: requests over HTTP/1.1 to a unix socket, one after another on one connection: how wuserd
// passes on to what a user's job serves. Boost.Beast is in client.cc alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "libwm/http/server.h"

namespace wm::http {

/// What is taken of a peer that is not one's own.
struct ClientBounds {
  /// For the connection, and for each request and its answer; 0: as long as it takes.
  Duration patience{};
  std::size_t answer = 256 << 20;  ///< bytes, of a file 64 GiB
};

/// One connection. @thread one
class Client {
 public:
  /// @errors Refused: nobody listens there; Timeout: who listens accepts nothing; System
  /// @cost a connect, 2 s at most
  static Result<Client> connect(const std::string& path, ClientBounds bounds = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  /// The peer has not hung up meanwhile. @cost a system call
  bool is_usable() const;
  /// From now on an answer is waited for only as long as the peer of this socket is there: who
  /// asked has left, so nobody wants it. -1: nobody's. With `bounds.patience` it is not looked at.
  /// @owns the descriptor stays the caller's
  void wait_only_for(int asker);

  /// Sends a request and waits for the whole answer; field names of the answer are in lower case.
  /// @errors Unavailable: the peer is gone, whether it has acted or not, or who asked is; Timeout
  Result<Reply> send(std::string_view method, std::string_view target, std::string body,
                     const Fields& fields = {});
  /// The same with a file for a body. @errors NotFound: it cannot be read; as send
  Result<Reply> send_file(std::string_view method, std::string_view target, const std::string& path,
                          const Fields& fields = {});
  /// A GET. An answer of 200 becomes the file `into`; any other keeps its body.
  /// @errors System: it cannot be written; as send
  Result<Reply> fetch(std::string_view target, const std::string& into, const Fields& fields = {});

 private:
  struct Parts;
  explicit Client(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace wm::http
