// Role: the Asio end of local frames: what wnoded has with its shepherds and agents, and agents
// with workers and their wnoded. Local sockets only; who the peer is was checked before, or is
// asked (peer).
//
// Invariants: handlers run from the loop, none inside a call of ours except drain(), none after
// close() or destruction, not even for frames that have arrived; it may be destroyed inside its own
// handler. A peer that does not read is given up at a bound, so memory is bounded too.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <string>

#include "libwm/frames/cutter.h"

namespace wm::frames {

/// See the file comment. @thread the loop's   @owns the socket
class Stream {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;
  using OnFrame = std::function<void(std::string)>;
  using OnClosed = std::function<void()>;

  /// @units frame: longest frame taken; waiting: a peer that is further behind is given up
  struct Limits {
    std::size_t frame = kLongest, waiting = kLongest;
  };

  Stream(Socket socket, Limits limits);
  /// The same of a connected descriptor, which it takes over.
  Stream(boost::asio::io_context& loop, int fd, Limits limits);
  ~Stream();
  Stream(const Stream&) = delete;

  /// Begins delivery. `on_closed` runs once when the peer is gone or sends nonsense.
  void start(OnFrame on_frame, OnClosed on_closed);
  /// Queues one frame; dropped when the connection is closed.
  void send(std::string_view bytes);
  /// Delivers at once what the kernel already holds: for a peer that has just ended.
  void drain();
  /// No handler runs any more.
  void close();

  /// Process and user at the other end, as the kernel knows them; pid 0: unknown.
  struct Peer {
    int pid = 0;
    unsigned uid = ~0u;
  };
  Peer peer() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace wm::frames
