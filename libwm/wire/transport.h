// Role: sessions over sockets for daemons: Transport listens and dials, a Link carries frames.
// Everything runs on the thread of the io_context given; only the identity service's blocking
// calls run elsewhere (prover.h). Commands use client/connection.h instead.
//
//   listen ─► accept ─► half-open ─(proof within 5 s)─► on_link(Link) ─► Link::start ─► frames
//   dial   ─► connect ─► half-open ─────────────────► on_dialled(Link) ─► Link::start ─► frames
//
// Invariants: handlers run from the loop, never inside a call of ours; after close() or the
// destruction of a Link, Listener or Dialing none of its handlers runs. No Asio in this header.
// Lifetime: io_context outlives Transport; Transport outlives what it made.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/wire/credentials.h"
#include "libwm/wire/endpoint.h"
#include "libwm/wire/session.h"

namespace boost::asio {
class io_context;
}

namespace wm::wire {

class Channel;
class PeerRoom;
class Prover;

/// An open session over a socket.
/// @thread the loop's   @owns the socket; destroying it is close()
class Link {
 public:
  /// A frame of the peer's, in order. May send on, close or destroy the link.
  using OnFrame = std::function<void(Frame)>;
  /// Called once when the peer or the network ends the link; nothing follows. Not called after
  /// our own close(). Code Unavailable: the peer closed or is gone; else as Session::on_bytes.
  using OnClosed = std::function<void(const Error&)>;

  explicit Link(std::shared_ptr<Channel> channel);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Begins delivery; frames that came before have waited (and the peer with them). Called
  /// again it replaces the handlers: a first frame may decide who takes the link over.
  void start(OnFrame on_frame, OnClosed on_closed);

  /// Queues one frame. Order is kept; a frame accepted here is lost only with the link.
  /// When more than outbound_limit bytes are unsent the peer is too slow to keep: the call
  /// fails, the link is given up and on_closed follows, so that nothing is dropped silently.
  /// @errors Limit: queue full (link lost), or payload above frame_limit (link stays);
  ///         Unavailable: already closed
  /// @cost encrypts at once; the write is batched with what is queued
  Result<void> send(std::uint16_t type, std::string payload);

  /// Reads no further requests until read_on(): the peer waits. A few that were received already
  /// may still come. @cost O(1)
  void read_no_more();
  void read_on();

  /// Sends what is queued (for at most 2 s), then closes. No handler runs any more.
  void close();

  /// Who the peer proved to be.
  const Identity& identity() const;

  /// What a dialling peer proved itself with, and what it signed besides.
  const PeerProof& proof() const;

  /// The peer's address for the log: "192.0.2.7:50122" or "unix:/run/wm/node.sock".
  const std::string& address() const;

  /// Bytes accepted by send() that the kernel has not taken yet. @units bytes, sealed
  std::size_t outbound_bytes() const;

 private:
  std::shared_ptr<Channel> channel_;
};

/// What both ends of a link need besides the address.
struct LinkOptions {
  /// Ours; side is set by listen() and dial(), local by the kernel.
  SessionOptions session;
  /// Signs and checks; unused with Method::Local.
  std::shared_ptr<Credentials> credentials;
  /// From accept, or from dial(), to the open session; then the attempt is dropped.
  Duration hello_timeout = std::chrono::seconds(5);
  /// @units bytes, sealed; see Link::send
  std::size_t outbound_limit = 64 << 20;
  /// Of a listener: what peers may hold, by account; null: whatever they want.
  std::shared_ptr<PeerRoom> room = {};
  /// Of a listener on TCP: a peer has gone once its host acknowledged nothing for so long; 0: as
  /// long as the system tries, which is minutes.
  Duration silence{};
};

/// How to listen.
struct ListenOptions {
  LinkOptions link;
  /// Sessions between accept and proof. When reached, a newcomer takes the place of the oldest:
  /// connections that say nothing hold nobody up.
  std::size_t half_open_limit = 256;
  /// Permission bits of a unix socket's file; its directory must guard it as well.
  unsigned socket_mode = 0600;
};

/// How to dial.
struct DialOptions {
  LinkOptions link;
  /// Numeric address to dial from (a host with several); empty: the kernel chooses.
  std::string source_address;
};

/// A listening socket. Destroying it stops accepting and drops half-open sessions; links given
/// out live on. A unix socket's file is removed.
class Listener {
 public:
  virtual ~Listener() = default;
  /// Where it really listens: the port when 0 was asked for.
  virtual Endpoint endpoint() const = 0;
  /// Sessions between accept and proof at this moment. @cost O(1)
  virtual std::size_t half_open() const = 0;
};

/// A dial under way. Destroying it gives up; its handler then never runs.
class Dialing {
 public:
  virtual ~Dialing() = default;
};

/// Makes links on one loop. Owns the threads for the identity service.
/// @thread the loop's
class Transport {
 public:
  /// A peer with a checked proof.
  using OnLink = std::function<void(std::unique_ptr<Link>)>;
  /// The link, or why there is none. Runs once; may destroy its Dialing.
  using OnDialled = std::function<void(Result<std::unique_ptr<Link>>)>;

  /// @shape prover_threads: concurrent calls of the identity service, 1 or more
  explicit Transport(boost::asio::io_context& loop, int prover_threads = 2);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// Listens at once. A stale socket file (nobody answers there) is replaced.
  /// @errors BadArgument: host is not a numeric address of this machine or empty;
  ///         Conflict: address in use; System: the kernel's words
  Result<std::unique_ptr<Listener>> listen(const Endpoint& at, ListenOptions options,
                                           OnLink on_link);

  /// Connects and opens a session; names are resolved off the loop. One try: retry, with
  /// back-off, is the caller's. Our side is open before the acceptor has checked our proof (its
  /// first request shares that flight): should it refuse us, OnClosed tells its reason.
  /// @errors (to on_dialled) NotFound: unknown name; Unavailable: nobody answers, or the peer
  ///         went away; Timeout: hello_timeout passed since dial(); Version, Denied: as Session
  [[nodiscard]] std::unique_ptr<Dialing> dial(const Endpoint& to, DialOptions options,
                                              OnDialled on_dialled);

 private:
  boost::asio::io_context& loop_;
  std::unique_ptr<Prover> prover_;
};

}  // namespace wm::wire
