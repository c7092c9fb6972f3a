#include "libwm/http/client.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "libwm/base/clock.h"
#include "libwm/files/fd.h"
#include "libwm/http/beast_words.h"
#include "libwm/http/listen.h"

namespace wm::http {
namespace {

namespace beast = boost::beast;
using Local = boost::asio::local::stream_protocol;

using AnswerHead = beast::http::response_parser<beast::http::empty_body>;

constexpr std::uint64_t kLongestFile = std::uint64_t{64} << 30;

// A socket's path has 107 bytes; a folder's descriptor makes any path short.
Result<int> connected(const std::string& path, Duration limit) {
  std::filesystem::path whole(path);
  Fd dir(::open(whole.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!dir) return fail(Code::Refused, path + ": " + std::strerror(errno));
  auto brief = "/proc/self/fd/" + std::to_string(dir.get()) + "/" + whole.filename().string();
  auto fd = connect_to(brief, limit);
  if (fd) return *fd;
  bool absent = fd.error().code == Code::Unavailable;
  return fail(absent ? Code::Refused : fd.error().code, path + ": " + fd.error().text);
}

template <class Body>
beast::http::request<Body> request_of(std::string_view method, std::string_view target,
                                      const Fields& fields) {
  beast::http::request<Body> request;
  request.method_string({method.data(), method.size()});
  request.target({target.data(), target.size()});
  request.set(beast::http::field::host, "localhost");
  for (const auto& [name, value] : fields) request.set(name, value);
  return request;
}

template <class Answer>
Reply reply_of(Answer& answer, std::string body) {
  Reply reply{static_cast<int>(answer.result_int()), {}, std::move(body)};
  for (const auto& field : answer)
    reply.fields.emplace_back(lowered(std::string(field.name_string())),
                              std::string(field.value()));
  return reply;
}

}  // namespace

/// Beast's socket with what was read too much.
struct Client::Parts {
  boost::asio::io_context context;
  Local::socket socket{context};
  beast::flat_buffer buffer;
  ClientBounds bounds;
  std::chrono::steady_clock::time_point until;
  int asker = -1;

  void begin() { until = steady_now() + bounds.patience; }

  // Without a limit they block, which is quicker.
  template <class Message>
  beast::error_code write(Message& message) {
    beast::error_code ec;
    if (bounds.patience == Duration::zero()) beast::http::write(socket, message, ec);
    else ec = done([&](auto end) { beast::http::async_write(socket, message, end); });
    return ec;
  }
  template <class Parser>
  beast::error_code read(Parser& parser) {
    beast::error_code ec;
    if (bounds.patience == Duration::zero()) beast::http::read(socket, buffer, parser, ec);
    else ec = done([&](auto end) { beast::http::async_read(socket, buffer, parser, end); });
    return ec;
  }
  /// Alone, and not with what there is of the body: Boost 1.74 forgets then that it is too long.
  /// @param limit bytes of the body
  beast::error_code read_head(AnswerHead& parser, std::uint64_t limit) {
    parser.body_limit(limit);
    beast::error_code ec;
    if (bounds.patience == Duration::zero()) beast::http::read_header(socket, buffer, parser, ec);
    else ec = done([&](auto end) { beast::http::async_read_header(socket, buffer, parser, end); });
    return ec;
  }
  Result<Reply> answer() {
    AnswerHead head;
    if (asker >= 0 && !is_awaited()) return fail(Code::Unavailable, "who asked has left");
    if (auto ec = read_head(head, bounds.answer)) return lost(ec);
    return answer(std::move(head));
  }
  /// The rest of it, where its head was read already.
  Result<Reply> answer(AnswerHead&& head) {
    if (head.content_length().value_or(0) > bounds.answer)
      return lost(beast::http::error::body_limit);
    beast::http::response_parser<beast::http::string_body> parser(std::move(head));
    parser.body_limit(bounds.answer);
    if (auto ec = read(parser)) return lost(ec);
    auto whole = parser.release();
    auto body = std::move(whole.body());
    return reply_of(whole, std::move(body));
  }

 private:
  // False: the asker hung up before the answer began.
  bool is_awaited() {
    pollfd ends[2] = {{socket.native_handle(), POLLIN, 0}, {asker, POLLRDHUP, 0}};
    while (::poll(ends, 2, -1) < 0 && errno == EINTR) {
    }
    return ends[0].revents != 0 || ends[1].revents == 0;
  }
  // One that is late is given up, and the connection with it.
  template <class Start>
  beast::error_code done(Start start) {
    beast::error_code ec;
    bool over = false;
    start([&](beast::error_code how, std::size_t) {
      ec = how;
      over = true;
    });
    context.restart();
    context.run_until(until);
    if (over) return ec;
    socket.close(ec);
    context.run();
    return beast::error::timeout;
  }
};

Client::Client(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(const std::string& path, ClientBounds bounds) {
  // A request may take long; to be let in does not.
  bool brief = bounds.patience > Duration::zero() && bounds.patience < kConnectPatience;
  WM_TRY(auto fd, connected(path, brief ? bounds.patience : kConnectPatience));
  auto parts = std::make_unique<Parts>();
  parts->bounds = bounds;
  beast::error_code ec;
  parts->socket.assign(Local(), fd, ec);
  if (ec) return fail(Code::System, path + ": " + ec.message());
  return Client(std::move(parts));
}

void Client::wait_only_for(int asker) { parts_->asker = asker; }

bool Client::is_usable() const {
  pollfd state{parts_->socket.native_handle(), POLLIN | POLLRDHUP, 0};
  return ::poll(&state, 1, 0) == 0;
}

Result<Reply> Client::send(std::string_view method, std::string_view target, std::string body,
                           const Fields& fields) {
  auto request = request_of<beast::http::string_body>(method, target, fields);
  request.body() = std::move(body);
  request.prepare_payload();
  parts_->begin();
  if (auto ec = parts_->write(request)) return lost(ec);
  return parts_->answer();
}

Result<Reply> Client::send_file(std::string_view method, std::string_view target,
                                const std::string& path, const Fields& fields) {
  auto request = request_of<beast::http::file_body>(method, target, fields);
  beast::error_code ec;
  request.body().open(path.c_str(), beast::file_mode::scan, ec);
  if (ec) return fail(Code::NotFound, path + ": " + ec.message());
  request.prepare_payload();
  parts_->begin();
  if (ec = parts_->write(request); ec) return lost(ec);
  return parts_->answer();
}

Result<Reply> Client::fetch(std::string_view target, const std::string& into,
                            const Fields& fields) {
  auto request = request_of<beast::http::empty_body>("GET", target, fields);
  parts_->begin();
  if (auto ec = parts_->write(request)) return lost(ec);
  AnswerHead head;
  if (auto ec = parts_->read_head(head, kLongestFile)) return lost(ec);
  if (head.get().result_int() != 200) return parts_->answer(std::move(head));
  beast::http::response_parser<beast::http::file_body> file(std::move(head));
  file.body_limit(kLongestFile);
  beast::error_code ec;
  file.get().body().open(into.c_str(), beast::file_mode::write, ec);
  if (ec) return fail(Code::System, into + ": " + ec.message());
  if (ec = parts_->read(file); ec) return lost(ec);
  return reply_of(file.get(), "");
}

}  // namespace wm::http
