// Role: HTTP/1.1 on a unix socket, behind nginx: what wgatewayd and wuserd answer requests with. A
// thread per connection, blocking: there are few, nginx keeps the slow ones. Boost.Beast, which is
// costly to compile, is in server.cc alone.
//
//   serve(listen_at(path, mode), options, [](Exchange& x) { x.reply({200, {…}, "…"}); })
//
// Invariants: a body is read only by the handler, piece by piece; those that are held as a whole
// have one bound together. A peer that is slower than a few KiB a second loses its connection.
#pragma once

#include <sys/types.h>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::http {

/// Names and values, in order.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// A request without its body.
struct Head {
  std::string method, target;
  Fields fields;  ///< names in lower case

  /// The first value of that name, given in lower case; empty: none. @cost O(fields)
  std::string_view field(std::string_view name) const;
};

/// A request's head as it goes over a connection. @cost O(fields)
std::string text_of(const Head& head);

/// An answer, or what stands above one.
struct Reply {
  int status = 200;
  Fields fields;
  std::string body;
};

/// A connection without HTTP.
struct Bare {
  int fd = -1;
  std::string early;  ///< what was read already of what comes next
};

/// One request and its answer. @thread one
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// What it asks for.
  virtual const Head& head() const = 0;
  /// Account of the process at the other end, which is nginx's.
  virtual uid_t peer() const = 0;
  /// The connection's, to be shut down from elsewhere while the handler runs; -1: none.
  virtual int descriptor() const { return -1; }

  /// Next bytes of the body, at most `room`; 0: that was all. @errors Unavailable, Timeout
  virtual Result<std::size_t> read(char* into, std::size_t room) = 0;

  /// Holds so many more bytes of the body in memory until this request is over. @errors
  /// Unavailable: those under way hold all that there is for bodies
  virtual Result<void> reserve(std::size_t) { return {}; }

  /// The whole answer; 503 without Retry-After gets one. @errors Unavailable, Timeout: nobody takes
  /// it
  virtual Result<void> reply(const Reply& reply) = 0;

  /// An answer that comes in pieces: begin, write…, finish. With a Content-Length among the fields
  /// they are sent as they are, else chunked. @errors as reply
  virtual Result<void> begin(const Reply& above) = 0;
  virtual Result<void> write(std::string_view piece) = 0;
  virtual Result<void> finish() = 0;

  /// For an answer that is another server's, and for what goes on both ways after one: the
  /// connection as it is behind the request's head. Nothing else may be called from then on.
  /// @owns the descriptor stays the server's, which closes it after the handler
  virtual Bare take_over() = 0;
};

/// The whole body, if it is no longer than `most`. @errors Limit; Unavailable: too many are under
/// way, it may be sent again; as Exchange::read
Result<std::string> read_body(Exchange& exchange, std::size_t most);

/// Bounds of a server.
struct ServerOptions {
  /// At a time. Those beyond are answered 503 with Retry-After, a few at a time; the rest closed.
  std::size_t connections = 512;
  /// Of these by one account; what it opens beyond is closed.
  std::size_t of_one_account = std::numeric_limits<std::size_t>::max();
  std::size_t head = 64 << 10;                   ///< bytes; a longer one is answered 431
  Bytes bodies{256 << 20};                       ///< held in memory, of all connections together
  Duration patience = std::chrono::seconds(75);  ///< for a peer that gives or takes nothing
  std::function<bool(uid_t)> admits = [](uid_t) { return true; };  ///< who may connect
  /// What is answered where a handler throws, or there are too many; none: a line of text.
  std::function<Reply(const Head&, int status, const std::string& text)> failure = nullptr;
};

/// Answers until the process ends, or the socket is shut down; each connection has a thread, which
/// `handle` runs in. What it throws is in the log; the client is answered 500, or cut off in the
/// middle of an answer. What does not read is answered 400.
/// @thread any, blocks @errors System: the socket is gone
Result<void> serve(int listening, const ServerOptions& options,
                   const std::function<void(Exchange&)>& handle);

}  // namespace wm::http
