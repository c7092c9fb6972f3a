#include "libwm/http/metrics_door.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>

#include "libwm/files/fd.h"
#include "libwm/http/server.h"

namespace wm::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr auto kPatience = std::chrono::seconds(5);

ServerOptions bounds() {
  ServerOptions options;
  options.connections = 16;
  options.head = 8192;
  options.bodies = Bytes{0};
  options.patience = kPatience;
  return options;
}

Reply plain(int status, const std::string& text) {
  return {status, {{"Content-Type", "text/plain"}}, text};
}

Reply metrics(bool open, const std::string& text) {
  return {200,
          {{"Content-Type", open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                 : "text/plain; version=0.0.4; charset=utf-8"}},
          text};
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

/// Requests are heard by threads of the server; what is answered is asked for on the loop.
class MetricsDoor::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& loop, Fd listening, Ask ask)
      : loop_(loop), listening_(std::move(listening)), ask_(std::move(ask)) {}

  void begin() {
    server_ = std::thread([self = shared_from_this()] {
      (void)serve(self->listening_.get(), bounds(), [self](Exchange& exchange) {
        (void)exchange.reply(self->answer(exchange.head()));
      });
    });
  }

  void end() {
    {
      std::lock_guard hold(mutex_);
      open_ = false;
    }
    ::shutdown(listening_.get(), SHUT_RDWR);
    server_.join();
  }

 private:
  using Told = std::promise<std::string>;

  Reply answer(const Head& head) {
    if (head.method != "GET") return plain(405, "GET\n");
    if (head.target != "/metrics") return plain(404, "there is /metrics\n");
    bool open = head.field("accept").find("application/openmetrics-text") != std::string_view::npos;
    auto told = std::make_shared<Told>();
    auto text = told->get_future();
    if (!post(open, std::move(told)) || text.wait_for(kPatience) != std::future_status::ready)
      return plain(503, "there is no answer now\n");
    return metrics(open, text.get());
  }

  // The loop may be gone as soon as the door is closed. Who drops `told` breaks its promise.
  bool post(bool open, std::shared_ptr<Told> told) {
    std::lock_guard hold(mutex_);
    if (open_)
      asio::post(loop_, [self = shared_from_this(), open, told = std::move(told)] {
        self->ask(open, told);
      });
    return open_;
  }

  void ask(bool open, const std::shared_ptr<Told>& told) {
    if (!open_) return;
    ask_(open, [told](const std::string& text) { told->set_value(text); });
  }

  asio::io_context& loop_;
  Fd listening_;
  Ask ask_;
  std::thread server_;
  std::mutex mutex_;
  bool open_ = true;  // guarded by mutex_; written on the loop
};

Result<std::unique_ptr<MetricsDoor>> MetricsDoor::open(asio::io_context& loop,
                                                       const std::string& place, Ask ask,
                                                       const std::string& own) {
  WM_TRY(auto endpoint, endpoint_of(place.starts_with(':') ? own + place : place));
  tcp::acceptor acceptor(loop);
  boost::system::error_code bad;
  acceptor.open(endpoint.protocol(), bad);
  if (!bad) acceptor.set_option(tcp::acceptor::reuse_address(true), bad);
  if (!bad) acceptor.bind(endpoint, bad);
  if (!bad) acceptor.listen(16, bad);
  if (!bad) endpoint = acceptor.local_endpoint(bad);
  if (!bad) ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  Fd listening(bad ? -1 : acceptor.release(bad));
  if (bad) return fail(Code::System, "metrics on " + place + ": " + bad.message());
  auto impl = std::make_shared<Impl>(loop, std::move(listening), std::move(ask));
  impl->begin();
  auto at = endpoint.address().to_string() + ":" + std::to_string(endpoint.port());
  return std::unique_ptr<MetricsDoor>(new MetricsDoor(std::move(impl), at));
}

MetricsDoor::~MetricsDoor() { impl_->end(); }

}  // namespace wm::http
