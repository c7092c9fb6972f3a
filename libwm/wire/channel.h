// Role: a session married to an Asio socket; half-open first, then behind a Link. Made by
// listener.cc and dial.cc. All on the loop thread.
//
//   open() ─► Hello ──(proof checked)──► Ready ──start()──► Started
//                │                         │                   │ failure, peer gone, close()
//                └────────► Ended ◄────────┴───────────────────┘   (refusals and queued frames
//                                                                    are still flushed, ≤ 2 s)
//
// Invariants: handlers are called from completions only; each ends with a check whether the
// owner has gone meanwhile. Reading stops while the session wants no bytes or nobody listens.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "libwm/wire/prover.h"
#include "libwm/wire/transport.h"

namespace wm::wire {

/// Any stream socket, TCP or unix.
using Socket = boost::asio::generic::stream_protocol::socket;

/// See the file comment. Shared by its owner and its pending operations.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  /// Told once whether the session opened.
  using OnReady = std::function<void(Result<void>)>;

  /// @shape kept: of an acceptor that has one; else nothing
  /// @owns the socket; `prover` is borrowed and outlives the channel
  Channel(Socket socket, std::string address, LinkOptions options, Prover& prover,
          std::shared_ptr<const KeptKey> kept = nullptr);

  /// Runs the hello within hello_timeout, then calls `on_ready` once. Called once.
  void open(OnReady on_ready);

  /// As Link::start.
  void start(Link::OnFrame on_frame, Link::OnClosed on_closed);
  /// As Link::send. @errors as there
  Result<void> send(std::uint16_t type, std::string payload);
  /// As Link::read_no_more and read_on.
  void pause(bool paused);
  /// As Link::close; also gives up a hello under way.
  void close();

  /// As the Link methods of these names.
  const Identity& identity() const { return peer_.identity; }
  const PeerProof& proof() const { return peer_.proof; }
  const std::string& address() const { return address_; }
  std::size_t outbound_bytes() const { return outbound_.size() + writing_.size(); }

 private:
  enum class Stage { Hello, Ready, Started, Ended };
  struct Handlers {
    Link::OnFrame on_frame;
    Link::OnClosed on_closed;
  };

  void read();
  void on_readable();
  bool count_held();
  void obey(SessionActions actions);
  void carry_out(SessionAction& action);
  void on_opened(Opened opened);
  void deliver(Frame frame);
  void deliver_held();
  void flush();
  void on_written(const boost::system::error_code& ec);
  void end(const Error& error);
  void tell_closed(Error error);
  void shut_when_flushed();
  void shut();

  Socket socket_;
  boost::asio::steady_timer timer_;  // hello time-out, later linger
  std::string address_;
  LinkOptions options_;
  Prover& prover_;
  Session session_;
  Opened peer_;
  Stage stage_ = Stage::Hello;
  OnReady on_ready_;
  std::shared_ptr<Handlers> handlers_;
  std::deque<Frame> held_;         // frames before start(); bounded by one read
  std::optional<Error> ended_by_;  // kept for a start() that comes after the end
  std::string outbound_;           // sealed, not yet given to the kernel
  std::string writing_;            // the write under way
  std::size_t counted_ = 0;        // bytes of a half frame that options_.room knows of
  bool entered_ = false;           // and that this session is there
  bool reading_ = false;
  bool paused_ = false;
};

/// What the kernel says of the peer of a unix socket; nothing for other sockets.
std::optional<LocalPeer> local_peer_of(Socket& socket);

}  // namespace wm::wire
