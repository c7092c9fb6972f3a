#include "libwm/http/client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace wm::http {
namespace {

namespace beast = boost::beast;
using Local = boost::asio::local::stream_protocol;

constexpr std::size_t kLongestAnswer = 256 << 20;

// A socket's path has 107 bytes; a folder's descriptor makes any path short.
Result<int> connected(const std::string& path) {
  std::filesystem::path whole(path);
  int dir = ::open(whole.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return fail(Code::Refused, path + ": " + std::strerror(errno));
  auto close_dir = [dir] { ::close(dir); };
  auto brief = "/proc/self/fd/" + std::to_string(dir) + "/" + whole.filename().string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || brief.size() >= sizeof address.sun_path) {
    close_dir();
    return fail(Code::System, path + ": no socket");
  }
  std::memcpy(address.sun_path, brief.data(), brief.size());
  bool there = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  auto why = path + ": " + std::strerror(errno);
  close_dir();
  if (there) return fd;
  ::close(fd);
  return fail(Code::Refused, why);
}

std::string lowered(beast::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

Error lost(const beast::error_code& ec) {
  return fail(Code::Unavailable, "the peer: " + ec.message());
}

}  // namespace

/// Beast's socket with what was read too much.
struct Client::Parts {
  boost::asio::io_context context;
  Local::socket socket{context};
  beast::flat_buffer buffer;
};

Client::Client(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(const std::string& path) {
  WM_TRY(auto fd, connected(path));
  auto parts = std::make_unique<Parts>();
  beast::error_code ec;
  parts->socket.assign(Local(), fd, ec);
  if (ec) return fail(Code::System, path + ": " + ec.message());
  return Client(std::move(parts));
}

bool Client::is_usable() const {
  pollfd state{parts_->socket.native_handle(), POLLIN | POLLRDHUP, 0};
  return ::poll(&state, 1, 0) == 0;
}

Result<Reply> Client::send(std::string_view method, std::string_view target, std::string body,
                           const Fields& fields) {
  beast::http::request<beast::http::string_body> request;
  request.method_string({method.data(), method.size()});
  request.target({target.data(), target.size()});
  request.set(beast::http::field::host, "localhost");
  for (const auto& [name, value] : fields) request.set(name, value);
  request.body() = std::move(body);
  request.prepare_payload();
  beast::error_code ec;
  beast::http::write(parts_->socket, request, ec);
  if (ec) return lost(ec);
  beast::http::response_parser<beast::http::string_body> parser;
  parser.body_limit(kLongestAnswer);
  beast::http::read(parts_->socket, parts_->buffer, parser, ec);
  if (ec) return lost(ec);
  auto answer = parser.release();
  Reply reply{static_cast<int>(answer.result_int()), {}, std::move(answer.body())};
  for (const auto& field : answer)
    reply.fields.emplace_back(lowered(field.name_string()), std::string(field.value()));
  return reply;
}

}  // namespace wm::http
