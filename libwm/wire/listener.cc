#include "libwm/wire/listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <list>

#include "libwm/base/log.h"
#include "libwm/wire/address.h"
#include "libwm/wire/channel.h"
#include "libwm/wire/key_keeper.h"

namespace wm::wire {

namespace {

using boost::system::error_code;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);

Error refused(const Endpoint& at, const char* what, const error_code& ec) {
  auto code = ec == boost::asio::error::address_in_use ? Code::Conflict : Code::System;
  return fail(code, std::string(what) + " " + to_string(at) + ": " + ec.message());
}

// What is not acknowledged for so long ends the connection; where nothing is said the peer's system
// is asked. One that is stopped, or computes, acknowledges all the same.
void notice(int fd, Duration silence) {
  auto set = [fd](int level, int option, std::int64_t value) {
    auto v = static_cast<int>(std::max<std::int64_t>(1, value));
    ::setsockopt(fd, level, option, &v, sizeof v);
  };
  set(IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(IPPROTO_TCP, TCP_KEEPCNT, silence / std::chrono::seconds(1) - 1);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, silence / std::chrono::milliseconds(1));
}

// Does anybody answer on this socket file?
bool answers(const std::string& path, boost::asio::io_context& loop) {
  Socket probe(loop);
  error_code ec;
  Address address = *numeric_address({{}, 0, path});
  probe.open(address.protocol(), ec);
  if (!ec) probe.connect(address, ec);
  return !ec;
}

// Removes the file that a listener which died has left.
Result<void> clear_stale_file(const std::string& path, boost::asio::io_context& loop) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return {};
  if (!S_ISSOCK(found.st_mode)) return fail(Code::Conflict, path + " exists and is no socket");
  if (answers(path, loop)) return fail(Code::Conflict, "somebody listens on " + path + " already");
  ::unlink(path.c_str());
  return {};
}

// The part of a listener that its pending operations keep alive.
class Accepting : public std::enable_shared_from_this<Accepting> {
 public:
  Accepting(boost::asio::io_context& loop, Prover& prover, ListenOptions options,
            Transport::OnLink on_link)
      : acceptor_(loop),
        pause_(loop),
        prover_(prover),
        options_(std::move(options)),
        on_link_(std::move(on_link)) {
    options_.link.session.side = Side::Acceptor;
    if (options_.link.session.method != Method::Local)
      keys_ = std::make_unique<KeyKeeper>(loop, prover, options_.link);
  }

  Result<void> bind(const Endpoint& at);
  void accept();
  void stop();
  const Endpoint& endpoint() const { return at_; }
  std::size_t half_open() const { return half_open_.size(); }

 private:
  void admit(Socket socket, const Address& peer);
  void on_ready(const std::shared_ptr<Channel>& channel, Result<void> ready);
  void accept_later(const error_code& ec);
  void evict_oldest();

  Acceptor acceptor_;
  boost::asio::steady_timer pause_;
  Prover& prover_;
  ListenOptions options_;
  Transport::OnLink on_link_;
  Endpoint at_;
  Address peer_;  // of the accept under way
  std::unique_ptr<KeyKeeper> keys_;
  std::list<std::shared_ptr<Channel>> half_open_;  // oldest first
  bool accepting_ = false;
  bool stopped_ = false;
};

Result<void> Accepting::bind(const Endpoint& at) {
  WM_TRY(auto address, numeric_address(at));
  error_code ec;
  acceptor_.open(address.protocol(), ec);
  if (!ec && !at.is_local()) acceptor_.set_option(Acceptor::reuse_address(true), ec);
  if (!ec) acceptor_.bind(address, ec);
  if (ec) return refused(at, "cannot bind", ec);
  // Before listen() nobody can connect, so the mode is in force for everyone.
  if (at.is_local() && ::chmod(at.path.c_str(), options_.socket_mode) != 0) {
    return fail(Code::System, "cannot set the mode of " + at.path);
  }
  acceptor_.listen(boost::asio::socket_base::max_listen_connections, ec);
  if (ec) return refused(at, "cannot listen on", ec);
  at_ = at;
  if (!at.is_local()) at_ = endpoint_of(acceptor_.local_endpoint(ec));
  return {};
}

void Accepting::accept() {
  if (stopped_ || accepting_) return;
  accepting_ = true;
  acceptor_.async_accept(peer_, [self = shared_from_this()](const error_code& ec, Socket socket) {
    self->accepting_ = false;
    if (self->stopped_) return;
    if (ec) return self->accept_later(ec);
    self->admit(std::move(socket), self->peer_);
    self->accept();
  });
}

// Out of descriptors, mostly: accepting at once again would spin.
void Accepting::accept_later(const error_code& ec) {
  log::warn("accept_failed", {{"address", to_string(at_)}, {"reason", ec.message()}});
  pause_.expires_after(kAcceptPause);
  pause_.async_wait([self = shared_from_this()](const error_code& cancelled) {
    if (!cancelled) self->accept();
  });
}

void Accepting::admit(Socket socket, const Address& peer) {
  auto link = options_.link;
  link.session.local = local_peer_of(socket);
  error_code ignored;
  if (!at_.is_local()) socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  if (!at_.is_local()) socket.set_option(Socket::keep_alive(true), ignored);
  if (!at_.is_local() && link.silence > Duration{}) notice(socket.native_handle(), link.silence);
  auto address = to_string(at_.is_local() ? at_ : endpoint_of(peer));
  auto channel = std::make_shared<Channel>(std::move(socket), address, std::move(link), prover_,
                                           keys_ ? keys_->take() : nullptr);
  if (half_open_.size() >= options_.half_open_limit) evict_oldest();
  half_open_.push_back(channel);
  std::weak_ptr<Channel> weak = channel;  // the channel holds this handler
  channel->open([self = shared_from_this(), weak](Result<void> ready) {
    if (auto opened = weak.lock()) self->on_ready(opened, std::move(ready));
  });
}

void Accepting::on_ready(const std::shared_ptr<Channel>& channel, Result<void> ready) {
  half_open_.remove(channel);
  auto self = shared_from_this();  // on_link_ may destroy the listener
  if (ready) {
    on_link_(std::make_unique<Link>(channel));
  } else {
    log::info("session_refused", {{"peer", channel->address()}, {"reason", ready.error().text}});
  }
}

// Half-open sessions finish in milliseconds: close the oldest to admit
// a newcomer.
void Accepting::evict_oldest() {
  auto oldest = half_open_.front();
  half_open_.pop_front();
  log::info("session_evicted", {{"peer", oldest->address()},
                                {"half_open_limit", std::to_string(options_.half_open_limit)}});
  oldest->close();
}

void Accepting::stop() {
  stopped_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  keys_.reset();
  if (at_.is_local()) ::unlink(at_.path.c_str());
  for (auto& channel : std::exchange(half_open_, {})) channel->close();
}

class ListenerHandle final : public Listener {
 public:
  explicit ListenerHandle(std::shared_ptr<Accepting> accepting)
      : accepting_(std::move(accepting)) {}
  ~ListenerHandle() override { accepting_->stop(); }
  Endpoint endpoint() const override { return accepting_->endpoint(); }
  std::size_t half_open() const override { return accepting_->half_open(); }

 private:
  std::shared_ptr<Accepting> accepting_;
};

}  // namespace

Result<std::unique_ptr<Listener>> open_listener(boost::asio::io_context& loop, Prover& prover,
                                                const Endpoint& at, ListenOptions options,
                                                Transport::OnLink on_link) {
  if (options.link.session.method == Method::Local && !at.is_local()) {
    return fail(Code::BadArgument,
                to_string(at) + ": peers are known by the kernel on unix " + "sockets only");
  }
  if (at.is_local()) WM_TRY(clear_stale_file(at.path, loop));
  auto accepting =
      std::make_shared<Accepting>(loop, prover, std::move(options), std::move(on_link));
  WM_TRY(accepting->bind(at));
  accepting->accept();
  return std::unique_ptr<Listener>(std::make_unique<ListenerHandle>(std::move(accepting)));
}

}  // namespace wm::wire
