#include "libwm/wire/dial.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <deque>

#include "libwm/wire/address.h"
#include "libwm/wire/channel.h"

namespace wm::wire {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// The part of a dial that its pending operations keep alive.
class Attempting : public std::enable_shared_from_this<Attempting> {
 public:
  Attempting(boost::asio::io_context& loop, Prover& prover, const Endpoint& to, DialOptions options,
             Transport::OnDialled on_dialled)
      : loop_(loop),
        prover_(prover),
        to_(to),
        options_(std::move(options)),
        on_dialled_(std::move(on_dialled)),
        resolver_(loop),
        socket_(loop),
        deadline_(loop) {
    options_.link.session.side = Side::Initiator;
  }

  void start();
  void give_up();

 private:
  void resolve();
  void connect_next();
  Result<void> prepare(const Address& to);
  void on_connected();
  void on_ready(Result<void> ready);
  void finish(Result<std::unique_ptr<Link>> outcome);

  boost::asio::io_context& loop_;
  Prover& prover_;
  Endpoint to_;
  DialOptions options_;
  Transport::OnDialled on_dialled_;  // empty once told or given up
  tcp::resolver resolver_;
  Socket socket_;
  boost::asio::steady_timer deadline_;
  std::deque<Address> addresses_;  // still to be tried
  Error last_;                     // why the one before failed
  std::shared_ptr<Channel> channel_;
};

void Attempting::start() {
  deadline_.expires_after(options_.link.hello_timeout);
  deadline_.async_wait([self = shared_from_this()](const error_code& ec) {
    if (ec) return;
    self->finish(fail(Code::Timeout, to_string(self->to_) + ": no session within " +
                                         format_duration(self->options_.link.hello_timeout)));
  });
  // Never inside dial(): the caller does not hold its Dialing yet.
  boost::asio::post(loop_, [self = shared_from_this()] { self->resolve(); });
}

void Attempting::resolve() {
  if (!on_dialled_) return;
  if (options_.link.session.method == Method::Local && !to_.is_local()) {
    return finish(fail(Code::BadArgument, to_string(to_) + " is not a unix socket"));
  }
  if (auto address = numeric_address(to_)) {
    addresses_ = {*address};
    return connect_next();
  }
  resolver_.async_resolve(to_.host, std::to_string(to_.port),
                          [self = shared_from_this()](const error_code& ec, auto found) {
                            if (!self->on_dialled_) return;
                            if (ec) {
                              return self->finish(fail(Code::NotFound, "host '" + self->to_.host +
                                                                           "': " + ec.message()));
                            }
                            for (const auto& entry : found) {
                              self->addresses_.emplace_back(entry.endpoint());
                            }
                            self->connect_next();
                          });
}

void Attempting::connect_next() {
  if (!on_dialled_) return;
  if (addresses_.empty()) return finish(last_);
  auto address = addresses_.front();
  addresses_.pop_front();
  if (auto ready = prepare(address); !ready) {
    last_ = ready.error();
    return connect_next();  // depth: the addresses of one name
  }
  socket_.async_connect(address, [self = shared_from_this()](const error_code& ec) {
    if (!self->on_dialled_) return;
    if (!ec) return self->on_connected();
    bool refused = ec == boost::asio::error::connection_refused;
    self->last_ = fail(refused ? Code::Refused : Code::Unavailable,
                       to_string(self->to_) + ": " + ec.message());
    self->connect_next();
  });
}

Result<void> Attempting::prepare(const Address& to) {
  error_code ec;
  socket_.close(ec);
  socket_.open(to.protocol(), ec);
  if (ec) return fail(Code::System, "cannot make a socket: " + ec.message());
  if (to_.is_local() || options_.source_address.empty()) return {};
  WM_TRY(auto source, numeric_address({options_.source_address, 0, {}}));
  socket_.bind(source, ec);
  if (ec)
    return fail(Code::System, "cannot dial from " + options_.source_address + ": " + ec.message());
  return {};
}

void Attempting::on_connected() {
  error_code ignored;
  if (!to_.is_local()) socket_.set_option(tcp::no_delay(true), ignored);
  if (!to_.is_local()) socket_.set_option(Socket::keep_alive(true), ignored);
  auto link = options_.link;
  link.session.local = local_peer_of(socket_);
  channel_ =
      std::make_shared<Channel>(std::move(socket_), to_string(to_), std::move(link), prover_);
  channel_->open([self = shared_from_this()](Result<void> ready) { self->on_ready(ready); });
}

void Attempting::on_ready(Result<void> ready) {
  auto channel = std::exchange(channel_, nullptr);
  if (!on_dialled_) return;
  if (!ready) return finish(ready.error());
  finish(std::make_unique<Link>(std::move(channel)));
}

void Attempting::finish(Result<std::unique_ptr<Link>> outcome) {
  auto told = std::exchange(on_dialled_, nullptr);
  give_up();
  if (told) told(std::move(outcome));
}

void Attempting::give_up() {
  on_dialled_ = nullptr;
  error_code ignored;
  deadline_.cancel();
  resolver_.cancel();
  socket_.close(ignored);
  if (auto channel = std::exchange(channel_, nullptr)) channel->close();
}

class DialingHandle final : public Dialing {
 public:
  explicit DialingHandle(std::shared_ptr<Attempting> attempt) : attempt_(std::move(attempt)) {}
  ~DialingHandle() override { attempt_->give_up(); }

 private:
  std::shared_ptr<Attempting> attempt_;
};

}  // namespace

std::unique_ptr<Dialing> start_dial(boost::asio::io_context& loop, Prover& prover,
                                    const Endpoint& to, DialOptions options,
                                    Transport::OnDialled on_dialled) {
  auto attempt =
      std::make_shared<Attempting>(loop, prover, to, std::move(options), std::move(on_dialled));
  attempt->start();
  return std::make_unique<DialingHandle>(std::move(attempt));
}

}  // namespace wm::wire
