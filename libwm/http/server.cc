#include "libwm/http/server.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <memory>

#include "libwm/base/clock.h"
#include "libwm/base/log.h"
#include "libwm/files/fd.h"
#include "libwm/http/beast_words.h"
#include "libwm/http/bounds.h"
#include "libwm/http/crew.h"

namespace wm::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using ErrorCode = beast::error_code;

constexpr Duration kBusyPatience = std::chrono::seconds(2);
constexpr std::size_t kDrained = 256
                                 << 20;   // of a body that nobody wanted: then the peer is cut off
constexpr std::size_t kUnread = 1 << 20;  // of a request that did not read
constexpr std::size_t kReadAtOnce = 64 << 10;  // of a body
constexpr std::int64_t kSlowest = 8 << 10;     // bytes a second that a peer gives or takes

/// A connected socket as Beast reads and writes one. All waits of one request share a patience,
/// which only what is given and taken renews: who does a byte a minute holds no thread for long.
class Stream {
 public:
  explicit Stream(int fd, Duration patience) : fd_(fd), patience_(patience), left_(patience) {}

  int descriptor() const { return fd_.get(); }
  void be_patient() { left_ = patience_; }
  void be_patient(Duration limit) { patience_ = left_ = std::min(patience_, limit); }

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, ErrorCode& ec) {
    return some(buffers, POLLIN, ec, [this](const asio::mutable_buffer& buffer) {
      return ::recv(descriptor(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    });
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, ErrorCode& ec) {
    return some(buffers, POLLOUT, ec, [this](const asio::const_buffer& buffer) {
      return ::send(descriptor(), buffer.data(), buffer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    });
  }

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    ErrorCode ec;
    auto n = read_some(buffers, ec);
    if (ec) throw beast::system_error(ec);
    return n;
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    ErrorCode ec;
    auto n = write_some(buffers, ec);
    if (ec) throw beast::system_error(ec);
    return n;
  }

 private:
  template <class Buffers>
  static auto buffer_list(const Buffers& buffers) {
    using Buffer = std::decay_t<decltype(*asio::buffer_sequence_begin(buffers))>;
    return std::vector<Buffer>(asio::buffer_sequence_begin(buffers),
                               asio::buffer_sequence_end(buffers));
  }
  static ErrorCode last_error() { return {errno, beast::system_category()}; }

  // Bytes of the first buffer that has any.
  template <class Buffers, class Act>
  std::size_t some(const Buffers& buffers, short events, ErrorCode& ec, Act act) {
    for (const auto& buffer : buffer_list(buffers)) {
      while (buffer.size() != 0 && wait(events, ec)) {
        auto n = act(buffer);
        if (n > 0) return earn(static_cast<std::size_t>(n));
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        ec = n == 0 ? ErrorCode(asio::error::eof) : last_error();
        return 0;
      }
      if (ec) return 0;
    }
    return 0;
  }

  std::size_t earn(std::size_t n) {
    auto earned = std::chrono::milliseconds(static_cast<std::int64_t>(n) * 1000 / kSlowest);
    left_ = std::min(patience_, left_ + Duration(earned));
    return n;
  }

  // Time counts only where it is waited for the peer.
  bool wait(short events, ErrorCode& ec) {
    auto began = steady_now();
    pollfd wanted{descriptor(), events, 0};
    auto limit = std::chrono::ceil<std::chrono::milliseconds>(std::max(left_, Duration{}));
    int ready = 0;
    do ready = ::poll(&wanted, 1, static_cast<int>(limit.count()));
    while (ready < 0 && errno == EINTR);
    left_ -= std::chrono::duration_cast<Duration>(steady_now() - began);
    if (ready > 0) return true;
    ec = ready == 0 ? ErrorCode(beast::error::timeout) : last_error();
    return false;
  }

  Fd fd_;
  Duration patience_, left_;
};

/// What the threads of a server share.
struct Serving {
  Serving(const ServerOptions& bounds, const std::function<void(Exchange&)>& answer)
      : options(bounds), handle(answer) {}

  ServerOptions options;
  std::function<void(Exchange&)> handle;
  BodyRoom room{options.bodies};
  Open open{options};
};

/// One request on a connection.
class BeastExchange : public Exchange {
 public:
  BeastExchange(Stream& stream, beast::flat_buffer& buffer, uid_t peer, Serving& serving)
      : stream_(stream), buffer_(buffer), peer_(peer), room_(serving.room) {
    parser_.header_limit(static_cast<std::uint32_t>(serving.options.head));
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max());  // the handler sets its own
  }

  BeastExchange(const BeastExchange&) = delete;
  BeastExchange& operator=(const BeastExchange&) = delete;
  ~BeastExchange() override { room_.give(reserved_); }

  /// Reads a head. An error: the connection is over.
  ErrorCode begin_request() {
    ErrorCode ec;
    stream_.be_patient();
    beast::http::read_header(stream_, buffer_, parser_, ec);
    bool quiet = !ec || ec == beast::http::error::end_of_stream || ec == beast::error::timeout;
    if (!quiet) log::info("request_not_read", {{"why", ec.message()}});
    if (ec) return ec;
    const auto& message = parser_.get();
    head_.method = std::string(message.method_string());
    head_.target = std::string(message.target());
    for (const auto& field : message)
      head_.fields.emplace_back(lowered(std::string(field.name_string())),
                                std::string(field.value()));
    stream_.be_patient();  // anew: it may have come late on a connection that was kept
    return {};
  }

  /// Leaves the connection ready for the next request. False: it has to be closed.
  bool end_request() {
    if (taken_over_) return false;
    if (!answered_) (void)reply({500, {}, ""});
    char block[1 << 16];
    std::size_t drained = 0;
    while (drained < kDrained) {
      auto n = read(block, sizeof block);
      if (!n) return false;
      if (*n == 0) return keep_ && parser_.get().keep_alive();
      drained += *n;
    }
    return false;
  }

  const Head& head() const override { return head_; }
  uid_t peer() const override { return peer_; }
  int descriptor() const override { return stream_.descriptor(); }

  Result<std::size_t> read(char* into, std::size_t room) override {
    if (parser_.is_done()) return std::size_t{0};
    auto& body = parser_.get().body();
    body.data = into;
    body.size = room;
    ErrorCode ec;
    // Beast reads as much as there is room for; without it 512 bytes at a time.
    if (buffer_.capacity() < kReadAtOnce) buffer_.reserve(kReadAtOnce);
    while (!parser_.is_done() && body.size == room) {
      beast::http::read_some(stream_, buffer_, parser_, ec);
      if (ec == beast::http::error::need_buffer) ec = {};
      if (ec) return lost(ec);
    }
    return room - body.size;
  }

  Result<void> reserve(std::size_t bytes) override {
    auto more = static_cast<std::int64_t>(bytes);
    if (!room_.take(more))
      return fail(Code::Unavailable,
                  "the requests under way fill the memory for bodies; try again in a moment");
    reserved_ += more;
    return {};
  }

  Result<void> reply(const Reply& reply) override {
    stream_.be_patient();
    beast::http::response<beast::http::string_body> message;
    fill(message, reply);
    message.body() = reply.body;
    message.prepare_payload();
    answered_ = true;
    ErrorCode ec;
    beast::http::write(stream_, message, ec);
    if (!ec) return {};
    keep_ = false;
    return lost(ec);
  }

  Result<void> begin(const Reply& above) override {
    stream_.be_patient();
    fill(pieces_, above);
    chunked_ = pieces_.find(beast::http::field::content_length) == pieces_.end();
    if (chunked_) pieces_.chunked(true);
    answered_ = true;
    pieces_.body().data = nullptr;
    pieces_.body().more = true;
    serializer_.emplace(pieces_);
    ErrorCode ec;
    beast::http::write_header(stream_, *serializer_, ec);
    if (ec) keep_ = false;
    return ec ? Result<void>(lost(ec)) : Result<void>();
  }

  Result<void> write(std::string_view piece) override {
    if (piece.empty()) return {};
    return send_piece(const_cast<char*>(piece.data()), piece.size(), true);
  }

  Result<void> finish() override { return send_piece(nullptr, 0, false); }

  /// Nothing of an answer has been sent.
  bool is_unanswered() const { return !answered_ && !taken_over_; }
  /// The connection ends with this answer.
  void keep_no_more() { keep_ = false; }

  Bare take_over() override {
    taken_over_ = true;
    auto early = beast::buffers_to_string(buffer_.data());
    buffer_.consume(buffer_.size());
    return {stream_.descriptor(), std::move(early)};
  }

 private:
  template <class Message>
  void fill(Message& message, const Reply& reply) {
    message.version(11);
    message.result(static_cast<unsigned>(reply.status));
    for (const auto& [name, value] : reply.fields) message.insert(name, value);
    bool comes_again = message.find(beast::http::field::retry_after) != message.end();
    if (reply.status == 503 && !comes_again) message.insert(beast::http::field::retry_after, "1");
    message.keep_alive(keep_ && parser_.get().keep_alive());
  }

  Result<void> send_piece(char* data, std::size_t size, bool more) {
    pieces_.body().data = data;
    pieces_.body().size = size;
    pieces_.body().more = more;
    ErrorCode ec;
    beast::http::write(stream_, *serializer_, ec);
    if (ec == beast::http::error::need_buffer) ec = {};
    if (!ec) return {};
    keep_ = false;
    return lost(ec);
  }

  Stream& stream_;
  beast::flat_buffer& buffer_;
  uid_t peer_;
  BodyRoom& room_;
  std::int64_t reserved_ = 0;
  beast::http::request_parser<beast::http::buffer_body> parser_;
  Head head_;
  beast::http::response<beast::http::buffer_body> pieces_;
  std::optional<beast::http::response_serializer<beast::http::buffer_body>> serializer_;
  bool answered_ = false, chunked_ = false, keep_ = true, taken_over_ = false;
};

Reply failure_reply(const ServerOptions& options, const Head& head, int status,
                    const std::string& text) {
  Reply reply{status,
              {{"Content-Type", "text/plain; charset=utf-8"}},
              "Error " + std::to_string(status) + ": " + text + "\n"};
  return options.failure ? options.failure(head, status, text) : reply;
}

// A handler's fault is one request's, not the process's.
bool handle_one(BeastExchange& exchange, const Serving& serving) {
  std::string why;
  try {
    serving.handle(exchange);
    return true;
  } catch (const std::exception& problem) {
    why = problem.what();
  } catch (...) {
    why = "no exception of C++";
  }
  const auto& head = exchange.head();
  log::error("handler_threw",
             {{"method", head.method}, {"target", head.target.substr(0, 200)}, {"why", why}});
  exchange.keep_no_more();
  if (exchange.is_unanswered())
    (void)exchange.reply(failure_reply(serving.options, head, 500,
                                       "the request could not be answered; the log says why"));
  return false;
}

/// What is said to a head that does not read; none: its sender is gone.
std::optional<std::pair<int, std::string>> refusal(const ErrorCode& ec, std::size_t longest) {
  using beast::http::error;
  if (ec == error::header_limit)
    return std::pair(431, "the head of the request is longer than " + std::to_string(longest) +
                              " bytes: long values go into its body");
  bool spoiled = ec.category() == beast::http::make_error_code(error::bad_method).category() &&
                 ec.value() >= static_cast<int>(error::bad_line_ending);
  if (spoiled) return std::pair(400, "the request does not read: " + ec.message());
  return std::nullopt;
}

// Answered, and heard to its end for a while: who is cut off while it sends reads no answer.
void refuse(BeastExchange& exchange, Stream& stream, const ServerOptions& options,
            const ErrorCode& why) {
  auto said = refusal(why, options.head);
  if (!said) return;
  exchange.keep_no_more();
  (void)exchange.reply(failure_reply(options, exchange.head(), said->first, said->second));
  ::shutdown(stream.descriptor(), SHUT_WR);
  stream.be_patient(kBusyPatience);
  std::array<char, 1 << 14> block;
  ErrorCode ec;
  for (std::size_t heard = 0; !ec && heard < kUnread;)
    heard += stream.read_some(asio::buffer(block), ec);
}

void answer_all(int fd, uid_t peer, Serving& serving) {
  Stream stream(fd, serving.options.patience);
  beast::flat_buffer buffer;
  for (bool more = true; more;) {
    BeastExchange exchange(stream, buffer, peer, serving);
    if (auto ec = exchange.begin_request()) return refuse(exchange, stream, serving.options, ec);
    more = handle_one(exchange, serving) && exchange.end_request();
  }
}

// One request too many: heard, and asked to come again.
void answer_busy(int fd, uid_t peer, Serving& serving) {
  Stream stream(fd, std::min(serving.options.patience, kBusyPatience));
  beast::flat_buffer buffer;
  BeastExchange exchange(stream, buffer, peer, serving);
  if (exchange.begin_request()) return;
  exchange.keep_no_more();
  (void)exchange.reply(failure_reply(serving.options, exchange.head(), 503,
                                     "too many requests are under way; try again in a moment"));
  (void)exchange.end_request();
}

uid_t peer_of(int fd) {
  ucred who{};
  socklen_t length = sizeof who;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length) == 0 ? who.uid
                                                                       : static_cast<uid_t>(-1);
}

}  // namespace

Error lost(const ErrorCode& ec) {
  bool late = ec == beast::error::timeout;
  return fail(late ? Code::Timeout : Code::Unavailable, "the peer: " + ec.message());
}

std::string_view Head::field(std::string_view name) const {
  auto found = std::find_if(fields.begin(), fields.end(),
                            [&](const auto& field) { return field.first == name; });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string text_of(const Head& head) {
  auto text = head.method + " " + head.target + " HTTP/1.1\r\n";
  for (const auto& [name, value] : head.fields) text += name + ": " + value + "\r\n";
  return text + "\r\n";
}

Result<std::string> read_body(Exchange& exchange, std::size_t most) {
  std::string body;
  char block[1 << 14];
  for (;;) {
    WM_TRY(auto n, exchange.read(block, sizeof block));
    if (n == 0) return body;
    if (body.size() + n > most)
      return fail(Code::Limit, "the body is longer than " + std::to_string(most) + " bytes");
    WM_TRY(exchange.reserve(n));
    body.append(block, n);
  }
}

namespace {

// Each connection is a descriptor, and as many again are what it is answered from.
void make_room_for(std::size_t connections) {
  rlimit files{};
  bool known = ::getrlimit(RLIMIT_NOFILE, &files) == 0;
  if (!known || files.rlim_cur >= std::min<rlim_t>(files.rlim_max, 2 * connections + 256)) return;
  files.rlim_cur = files.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &files);
}

// Answers a connection on a thread of the crew, if there is room for it.
void take_in(int fd, const std::shared_ptr<Serving>& serving, Crew& crew, Refusals& refusals) {
  auto peer = peer_of(fd);
  auto busy = serving->options.admits(peer) ? serving->open.enter(peer) : std::nullopt;
  if (!busy) {
    refusals.tell(peer, serving->open.all());
    ::close(fd);
    return;
  }
  auto run = [fd, peer, busy = *busy, serving] {
    if (busy) answer_busy(fd, peer, *serving);
    else answer_all(fd, peer, *serving);
    serving->open.leave(peer);
  };
  if (crew.run(run)) return;
  log::warn("connection_refused", {{"uid", peer}, {"why", "no more threads"}});
  ::close(fd);
  serving->open.leave(peer);
}

}  // namespace

Result<void> serve(int listening, const ServerOptions& options,
                   const std::function<void(Exchange&)>& handle) {
  make_room_for(options.connections);
  auto serving = std::make_shared<Serving>(options, handle);
  auto crew = std::make_shared<Crew>();
  Refusals refusals;
  for (;;) {
    int fd = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) {
      take_in(fd, serving, *crew, refusals);
    } else if (errno == EMFILE || errno == ENFILE) {
      ::poll(nullptr, 0, 100);  // until a connection ends
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return fail(Code::System, std::string("accept: ") + std::strerror(errno));
    }
  }
}

}  // namespace wm::http
