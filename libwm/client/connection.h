// Role: the blocking client of the daemons, for commands and the gateway: one session, requests
// and replies, streams of frames; waits and retries while the master is away. No Asio here.
//
//   call(): connect and hello if need be ─► request ─► reply
//             └─ nobody there, lost, too late ─► wait (RetryPlan), say so, again ─┘
//
// Invariants: a request may be sent more than once, so one that changes something carries a
// request key; a refusal (role, uid, version) is final and never retried.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libwm/client/retry.h"
#include "libwm/client/socket.h"
#include "libwm/wire/credentials.h"
#include "libwm/wire/endpoint.h"
#include "libwm/wire/session.h"

namespace wm::client {

/// Where to connect, as whom, and how patiently.
struct ConnectionOptions {
  wire::Endpoint to;
  wire::SessionOptions session;                         ///< side is set here, local by the kernel
  std::shared_ptr<wire::Credentials> credentials;       ///< unused with Method::Local
  Duration hello_timeout = std::chrono::seconds(5);     ///< connect and hello, one try
  Duration request_timeout = std::chrono::seconds(60);  ///< request to reply, one try
  RetryOptions retry;
  /// Where "batch system daemon not responding ... still trying (why)" goes; none: silent.
  std::function<void(std::string_view)> notice;
};

/// Prints a notice as LSF's commands do: a line on stderr.
void notice_on_stderr(std::string_view text);

/// One session with one daemon, made when first needed and again when lost.
/// @thread one at a time; calls block
class Connection {
 public:
  explicit Connection(ConnectionOptions options);

  /// Sends a request and returns the first frame that answers it. `timeout` replaces
  /// request_timeout for requests that rightly take long (bsub -K). A stream that was not read
  /// to its end must be left by disconnect() first: its frames would be taken for the answer.
  /// @errors Denied, Version: refused for good; NotFound: unknown host name; Limit: request too
  ///         large; System: own identity service; Refused, Unavailable, Timeout: gave up retrying
  Result<wire::Frame> call(std::uint16_t type, const std::string& payload,
                           std::optional<Duration> timeout = {});

  /// The next frame of an answer that has several. Never reconnects.
  /// @errors Unavailable: the stream broke off; Timeout: nothing came, the stream stays usable
  Result<wire::Frame> next(Duration timeout);

  /// Sends a frame into a stream without awaiting anything. Never reconnects.
  /// @errors Unavailable: no session, or lost; Limit: too large; Timeout
  Result<void> send(std::uint16_t type, std::string payload);

  /// Connects and greets, as far as that needs no answer: what the caller does until call() goes
  /// on while the daemon answers. What goes wrong here is tried again, and told, by call().
  void greet();

  /// Has the proof of the session to be made sign 32 more bytes. False when a session exists:
  /// its proof was made without them.
  bool also_sign(std::string bytes);

  /// Who answered; nothing while there is no session.
  const std::optional<wire::Identity>& peer() const { return peer_; }

  /// For poll(2) beside other descriptors, -1 without a session. Frames already received do not
  /// show there: call next() with timeout 0 until it says Timeout, then poll.
  int descriptor() const { return socket_ ? socket_->descriptor() : -1; }

  /// Ends the session; the next call() makes a new one.
  void disconnect();

 private:
  Result<wire::Frame> try_once(std::uint16_t type, const std::string& payload, Duration timeout);
  Result<void> begin(TimePoint deadline);
  Result<void> establish();
  Result<void> prove();
  Result<wire::Frame> receive(TimePoint deadline);
  Result<void> exchange(TimePoint deadline);
  Result<void> flush(TimePoint deadline);
  Result<void> obey(wire::SessionActions actions);
  Result<void> carry_out(wire::SessionAction& action);

  ConnectionOptions options_;
  std::optional<Socket> socket_;
  std::optional<wire::Session> session_;
  std::optional<wire::Identity> peer_;
  std::optional<std::string> to_prove_;  // what our proof signs, until it is made
  std::string also_sign_;
  std::string outbound_;  // proof and first request leave together
  std::deque<wire::Frame> received_;
};

}  // namespace wm::client
