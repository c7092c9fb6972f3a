// Role: a listening unix socket and its accept loop. When accepting fails, out of descriptors
// mostly, it waits a little: trying again at once would spin, since the caller stays in the
// queue.
//
//   open(fd) ─► accept ──socket──► on_socket      accept ──error──► pause ─► accept
//
// Invariant: nothing is called after it is gone. Called by wnoded and the agents.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

namespace wm::wire {

/// See the head of this file. @thread the loop's   @owns the listening socket
class LocalDoor {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;
  using OnSocket = std::function<void(Socket)>;

  LocalDoor(boost::asio::io_context& loop, OnSocket on_socket);

  /// Admits from now on all who connect to this listening socket. @owns listening_fd
  void open(int listening_fd);
  bool is_open() const { return acceptor_.is_open(); }

 private:
  void accept();
  void accept_later(const boost::system::error_code& error);

  OnSocket on_socket_;
  boost::asio::local::stream_protocol::acceptor acceptor_;
  boost::asio::steady_timer pause_;
};

}  // namespace wm::wire
