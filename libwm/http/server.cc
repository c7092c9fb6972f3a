#include "libwm/http/server.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "libwm/base/log.h"
#include "libwm/http/beast_words.h"

namespace wm::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using ErrorCode = beast::error_code;

constexpr std::size_t kLongestHead = 64 << 10;
constexpr std::size_t kBusyAnswers = 64;  // at a time, beyond what is taken
constexpr Duration kBusyPatience = std::chrono::seconds(2);
constexpr std::size_t kDrained = 256
                                 << 20;  // of a body that nobody wanted: then the peer is cut off

/// A connected socket as Beast reads and writes one. Every wait has a limit.
class Stream {
 public:
  explicit Stream(int fd, Duration patience) : fd_(fd), patience_(patience) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { ::close(fd_); }

  int descriptor() const { return fd_; }

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, ErrorCode& ec) {
    for (const asio::mutable_buffer& buffer : buffer_list(buffers)) {
      if (buffer.size() == 0) continue;
      if (!wait(POLLIN, ec)) return 0;
      auto n = ::recv(fd_, buffer.data(), buffer.size(), 0);
      if (n > 0) return static_cast<std::size_t>(n);
      ec = n == 0 ? ErrorCode(asio::error::eof) : last_error();
      return 0;
    }
    return 0;
  }

  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, ErrorCode& ec) {
    for (const asio::const_buffer& buffer : buffer_list(buffers)) {
      if (buffer.size() == 0) continue;
      if (!wait(POLLOUT, ec)) return 0;
      auto n = ::send(fd_, buffer.data(), buffer.size(), MSG_NOSIGNAL);
      if (n > 0) return static_cast<std::size_t>(n);
      ec = last_error();
      return 0;
    }
    return 0;
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

  bool wait(short events, ErrorCode& ec) const {
    pollfd wanted{fd_, events, 0};
    auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(patience_).count();
    int ready = 0;
    do ready = ::poll(&wanted, 1, static_cast<int>(limit));
    while (ready < 0 && errno == EINTR);
    if (ready > 0) return true;
    ec = ready == 0 ? ErrorCode(beast::error::timeout) : last_error();
    return false;
  }

  int fd_;
  Duration patience_;
};

/// One request on a connection.
class BeastExchange : public Exchange {
 public:
  BeastExchange(Stream& stream, beast::flat_buffer& buffer, uid_t peer)
      : stream_(stream), buffer_(buffer), peer_(peer) {
    parser_.header_limit(kLongestHead);
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max());  // the handler sets its own
  }

  /// Reads a head. False: the connection is over.
  bool begin_request() {
    ErrorCode ec;
    beast::http::read_header(stream_, buffer_, parser_, ec);
    bool quiet = !ec || ec == beast::http::error::end_of_stream || ec == beast::error::timeout;
    if (!quiet) log::info("request_not_read", {{"why", ec.message()}});
    if (ec) return false;
    const auto& message = parser_.get();
    head_.method = std::string(message.method_string());
    head_.target = std::string(message.target());
    for (const auto& field : message)
      head_.fields.emplace_back(lowered(std::string(field.name_string())),
                                std::string(field.value()));
    return true;
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
    while (!parser_.is_done() && body.size == room) {
      beast::http::read_some(stream_, buffer_, parser_, ec);
      if (ec == beast::http::error::need_buffer) ec = {};
      if (ec) return lost(ec);
    }
    return room - body.size;
  }

  Result<void> reply(const Reply& reply) override {
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
  if (options.failure) reply = options.failure(head, status, text);
  if (status == 503) reply.fields.emplace_back("Retry-After", "1");
  return reply;
}

// A handler's fault is one request's, not the process's.
bool handle_one(BeastExchange& exchange, const ServerOptions& options,
                const std::function<void(Exchange&)>& handle) {
  std::string why;
  try {
    handle(exchange);
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
    (void)exchange.reply(
        failure_reply(options, head, 500, "the request could not be answered; the log says why"));
  return false;
}

void answer_all(int fd, const ServerOptions& options, uid_t peer,
                const std::function<void(Exchange&)>& handle) {
  Stream stream(fd, options.patience);
  beast::flat_buffer buffer;
  for (bool more = true; more;) {
    BeastExchange exchange(stream, buffer, peer);
    if (!exchange.begin_request()) return;
    more = handle_one(exchange, options, handle) && exchange.end_request();
  }
}

// One request too many: heard, and asked to come again.
void answer_busy(int fd, const ServerOptions& options, uid_t peer) {
  Stream stream(fd, std::min(options.patience, kBusyPatience));
  beast::flat_buffer buffer;
  BeastExchange exchange(stream, buffer, peer);
  if (!exchange.begin_request()) return;
  exchange.keep_no_more();
  (void)exchange.reply(failure_reply(options, exchange.head(), 503,
                                     "too many requests are under way; try again in a moment"));
  (void)exchange.end_request();
}

/// Threads of connections. nginx makes a connection for each request to wuserd: a thread that has
/// ended one takes the next, for as long as these come.
class Crew : public std::enable_shared_from_this<Crew> {
 public:
  using Job = std::function<void()>;

  /// False: the system has no room for another thread.
  bool run(Job job) {
    std::unique_lock hold(lock_);
    if (idle_ > waiting_.size()) {
      waiting_.push_back(std::move(job));
      news_.notify_one();
      return true;
    }
    hold.unlock();
    try {
      std::thread([crew = shared_from_this(), job = std::move(job)]() mutable {
        do job();
        while (crew->take(job));
      }).detach();
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

 private:
  static constexpr auto kIdle = std::chrono::seconds(5);

  bool take(Job& job) {
    std::unique_lock hold(lock_);
    ++idle_;
    bool any = news_.wait_for(hold, kIdle, [this] { return !waiting_.empty(); });
    --idle_;
    if (!any) return false;
    job = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
  }

  std::mutex lock_;
  std::condition_variable news_;
  std::deque<Job> waiting_;
  std::size_t idle_ = 0;
};

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

Result<std::string> read_body(Exchange& exchange, std::size_t most) {
  std::string body;
  char block[1 << 14];
  for (;;) {
    WM_TRY(auto n, exchange.read(block, sizeof block));
    if (n == 0) return body;
    if (body.size() + n > most)
      return fail(Code::Limit, "the body is longer than " + std::to_string(most) + " bytes");
    body.append(block, n);
  }
}

Result<void> serve(int listening, const ServerOptions& options,
                   const std::function<void(Exchange&)>& handle) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;  // each connection is one
    (void)::setrlimit(RLIMIT_NOFILE, &files);
  }
  auto open = std::make_shared<std::atomic<std::size_t>>(0);
  auto crew = std::make_shared<Crew>();
  for (;;) {
    int fd = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
      ::poll(nullptr, 0, 100);  // until a connection ends
      continue;
    }
    if (fd < 0) return fail(Code::System, std::string("accept: ") + std::strerror(errno));
    auto peer = peer_of(fd);
    bool busy = *open >= options.connections;
    if (*open >= options.connections + kBusyAnswers || !options.admits(peer)) {
      log::warn("connection_refused", {{"uid", peer}, {"open", open->load()}});
      ::close(fd);
      continue;
    }
    ++*open;
    auto run = [fd, peer, open, busy, &options, &handle] {
      if (busy) answer_busy(fd, options, peer);
      else answer_all(fd, options, peer, handle);
      --*open;
    };
    if (!crew->run(run)) {
      log::warn("connection_refused", {{"uid", peer}, {"why", "no more threads"}});
      ::close(fd);
      --*open;
    }
  }
}

}  // namespace wm::http
