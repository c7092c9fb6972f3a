// Role: an Asio end of the local frames that shepherds and agents speak: 4-byte little-endian
// length, then the bytes. Local sockets only; who the peer is was checked before.
// Invariants: handlers run from the loop, none after destruction, not even for frames
// that have arrived; it may be destroyed inside its own handler. A peer that does not read is given
// up at a bound, so memory is bounded too.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <string>

namespace wm::frames {

/// See the file comment. @thread the loop's   @owns the socket
class Stream {
 public:
  using OnFrame = std::function<void(std::string)>;
  using OnClosed = std::function<void()>;

  /// @owns fd, a connected socket   @units frame_limit: bytes of the longest frame taken
  Stream(boost::asio::io_context& loop, int fd, std::uint32_t frame_limit);
  ~Stream();
  Stream(const Stream&) = delete;

  /// Begins delivery. `on_closed` runs once when the peer is gone or sends nonsense.
  void start(OnFrame on_frame, OnClosed on_closed);
  /// Queues one frame; a peer more than 64 MiB behind is closed.
  void send(std::string_view bytes);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace wm::frames
