#include "libwm/http/metrics_door.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <cctype>
#include <charconv>
#include <chrono>
#include <istream>
#include <iterator>

namespace wm::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t kMostRequest = 8192, kMostAtOnce = 16;
constexpr auto kPatience = std::chrono::seconds(5);

std::string response(const char* status, const std::string& type, const std::string& body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
         body;
}

Result<tcp::endpoint> endpoint_of(const std::string& place) {
  auto colon = place.rfind(':');
  auto host = place.substr(0, colon);
  if (host.size() > 1 && host.front() == '[') host = host.substr(1, host.size() - 2);
  unsigned port = 0;
  auto digits = colon == place.npos ? "" : place.substr(colon + 1);
  auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  boost::system::error_code bad;
  auto address = asio::ip::make_address(host, bad);
  bool whole = !digits.empty() && read.ptr == digits.data() + digits.size() && port <= 65535;
  if (bad || !whole)
    return fail(Code::BadArgument, "'" + place + "' is no place such as 127.0.0.1:6887");
  return tcp::endpoint(address, static_cast<std::uint16_t>(port));
}

}  // namespace

class MetricsDoor::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& loop, Ask ask) : acceptor(loop), ask_(std::move(ask)) {}

  void accept() {
    acceptor.async_accept(
        [self = shared_from_this()](boost::system::error_code bad, tcp::socket socket) {
          if (!self->acceptor.is_open()) return;
          if (!bad && self->at_once_ < kMostAtOnce) self->serve(std::move(socket));
          self->accept();
        });
  }

  tcp::acceptor acceptor;

 private:
  struct Guest {
    explicit Guest(tcp::socket s)
        : socket(std::move(s)), timer(socket.get_executor()), in(kMostRequest) {}
    tcp::socket socket;
    asio::steady_timer timer;
    asio::streambuf in;
    std::string out;
  };

  void serve(tcp::socket socket) {
    ++at_once_;
    std::shared_ptr<Guest> guest(new Guest(std::move(socket)),
                                 [self = shared_from_this()](Guest* g) {
                                   --self->at_once_;
                                   delete g;
                                 });
    guest->timer.expires_after(kPatience);
    guest->timer.async_wait([weak = std::weak_ptr<Guest>(guest)](boost::system::error_code bad) {
      auto late = weak.lock();
      boost::system::error_code ignored;
      if (!bad && late) late->socket.close(ignored);
    });
    asio::async_read_until(
        guest->socket, guest->in, "\r\n\r\n",
        [self = shared_from_this(), guest](boost::system::error_code bad, std::size_t) {
          if (!bad) self->answer(guest);
        });
  }

  void answer(const std::shared_ptr<Guest>& guest) {
    std::istream in(&guest->in);
    std::string head(std::istreambuf_iterator<char>(in), {});
    auto line = head.substr(0, head.find("\r\n"));
    if (!line.starts_with("GET "))
      return say(guest, response("405 Method Not Allowed", "text/plain", "GET\n"));
    auto path = line.substr(4, line.find(' ', 4) - 4);
    if (path != "/metrics")
      return say(guest, response("404 Not Found", "text/plain", "there is /metrics\n"));
    std::transform(head.begin(), head.end(), head.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    bool open = head.find("application/openmetrics-text") != head.npos;
    ask_(open, [self = shared_from_this(), guest, open](const std::string& text) {
      say(guest, response("200 OK",
                          open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                               : "text/plain; version=0.0.4; charset=utf-8",
                          text));
    });
  }

  static void say(const std::shared_ptr<Guest>& guest, std::string text) {
    guest->out = std::move(text);
    asio::async_write(guest->socket, asio::buffer(guest->out),
                      [guest](boost::system::error_code, std::size_t) {
                        boost::system::error_code ignored;
                        guest->socket.shutdown(tcp::socket::shutdown_both, ignored);
                        guest->timer.cancel();
                      });
  }

  Ask ask_;
  std::size_t at_once_ = 0;
};

Result<std::unique_ptr<MetricsDoor>> MetricsDoor::open(asio::io_context& loop,
                                                       const std::string& place, Ask ask,
                                                       const std::string& own) {
  WM_TRY(auto endpoint, endpoint_of(place.starts_with(':') ? own + place : place));
  auto impl = std::make_shared<Impl>(loop, std::move(ask));
  boost::system::error_code bad;
  impl->acceptor.open(endpoint.protocol(), bad);
  if (!bad) impl->acceptor.set_option(tcp::acceptor::reuse_address(true), bad);
  if (!bad) impl->acceptor.bind(endpoint, bad);
  if (!bad) impl->acceptor.listen(16, bad);
  if (bad) return fail(Code::System, "metrics on " + place + ": " + bad.message());
  impl->accept();
  return std::unique_ptr<MetricsDoor>(new MetricsDoor(std::move(impl)));
}

MetricsDoor::~MetricsDoor() {
  boost::system::error_code ignored;
  impl_->acceptor.close(ignored);
}

std::string MetricsDoor::place() const {
  boost::system::error_code bad;
  auto at = impl_->acceptor.local_endpoint(bad);
  return at.address().to_string() + ":" + std::to_string(at.port());
}

}  // namespace wm::http
