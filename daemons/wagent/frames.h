// Role: frames over a local stream socket: 4-byte little-endian length, then that many bytes
// (PROTOCOL F-1). Used for workers and for wnoded.
//
// Invariants: handlers run from the loop, never inside a call of ours except drain(); after close()
// none runs. Queued bytes are bounded: a peer that does not read is given up.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace wm::wagent {

/// Longest frame either way. @units bytes
inline constexpr std::size_t kFrameLimit = 1 << 20;

/// One connection. @thread the loop's   @owns the socket; shared with its pending operations
class Frames : public std::enable_shared_from_this<Frames> {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;
  using OnFrame = std::function<void(std::string_view payload)>;
  using OnClosed = std::function<void()>;

  explicit Frames(Socket socket) : socket_(std::move(socket)) {}

  /// Begins delivery. `on_closed` runs once when the peer has gone or talks nonsense.
  void start(OnFrame on_frame, OnClosed on_closed);
  /// Queues one frame; dropped when the connection is closed.
  void send(std::string_view payload);
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
  void read();
  bool take(std::string_view bytes);
  void write();
  void give_up();

  Socket socket_;
  OnFrame on_frame_;
  OnClosed on_closed_;
  std::string input_;
  std::string outbound_;
  std::string writing_;
  bool open_ = true;
};

}  // namespace wm::wagent
