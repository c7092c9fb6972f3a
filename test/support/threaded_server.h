// Role: a daemon's side of the wire on a thread of its own, for tests and benchmarks of
// blocking clients. Stopped and joined when destroyed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <list>
#include <memory>
#include <thread>

#include "libwm/wire/transport.h"

namespace wm::test {

/// Listens on loopback and gives every frame to `answer`, on its thread.
class ThreadedServer {
 public:
  /// May send on the link or close it.
  using Answer = std::function<void(wire::Link&, wire::Frame)>;

  /// @shape port: 0 for any free one
  ThreadedServer(wire::ListenOptions options, Answer answer, std::uint16_t port = 0);
  /// @shape at: a unix socket's path
  ThreadedServer(wire::ListenOptions options, Answer answer, const wire::Endpoint& at);
  ~ThreadedServer();

  wire::Endpoint endpoint() const { return endpoint_; }

 private:
  void take(std::unique_ptr<wire::Link> link);

  boost::asio::io_context loop_;
  wire::Transport wires_{loop_};
  Answer answer_;
  std::list<std::unique_ptr<wire::Link>> links_;
  std::unique_ptr<wire::Listener> listener_;
  wire::Endpoint endpoint_;
  std::thread thread_;
};

}  // namespace wm::test
