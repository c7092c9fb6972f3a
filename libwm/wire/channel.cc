#include "libwm/wire/channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "libwm/wire/entropy.h"
#include "libwm/wire/peer_room.h"

namespace wm::wire {

namespace {

constexpr std::size_t kReadBytes = 64 << 10;
constexpr auto kLinger = std::chrono::seconds(2);

using boost::system::error_code;

Error gone(const std::string& address, const error_code& ec) {
  auto why = ec == boost::asio::error::eof ? std::string("closed the connection") : ec.message();
  return fail(Code::Unavailable, "peer " + address + ": " + why);
}

HelloSecrets secrets_with(std::shared_ptr<const KeptKey> kept) {
  auto secrets = fresh_secrets();
  secrets.kept = std::move(kept);
  return secrets;
}

}  // namespace

std::optional<LocalPeer> local_peer_of(Socket& socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  int domain = 0;
  socklen_t domain_length = sizeof domain;
  int fd = socket.native_handle();
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_length) != 0 || domain != AF_UNIX) {
    return {};
  }
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return {};
  return LocalPeer{peer.uid, peer.gid, peer.pid};
}

Channel::Channel(Socket socket, std::string address, LinkOptions options, Prover& prover,
                 std::shared_ptr<const KeptKey> kept)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      address_(std::move(address)),
      options_(std::move(options)),
      prover_(prover),
      session_(options_.session, secrets_with(std::move(kept))) {
  WM_CHECK(options_.credentials || options_.session.method == Method::Local);
}

void Channel::open(OnReady on_ready) {
  on_ready_ = std::move(on_ready);
  error_code ignored;
  socket_.non_blocking(true, ignored);
  timer_.expires_after(options_.hello_timeout);
  timer_.async_wait([self = shared_from_this()](const error_code& ec) {
    if (ec || self->stage_ != Stage::Hello) return;
    self->end(fail(Code::Timeout, "peer " + self->address_ + ": no session within " +
                                      format_duration(self->options_.hello_timeout)));
  });
  obey(session_.start());
  read();
}

void Channel::start(Link::OnFrame on_frame, Link::OnClosed on_closed) {
  handlers_ = std::make_shared<Handlers>(Handlers{std::move(on_frame), std::move(on_closed)});
  if (stage_ == Stage::Ready) stage_ = Stage::Started;
  // What came early is told from the loop, not inside this call.
  if (held_.empty() && !ended_by_) return read();
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->deliver_held();
    if (self->ended_by_) self->tell_closed(*self->ended_by_);
    self->read();
  });
}

Result<void> Channel::send(std::uint16_t type, std::string payload) {
  if (stage_ == Stage::Ended) return fail(Code::Unavailable, "peer " + address_ + " is gone");
  WM_TRY(auto bytes, session_.seal(type, std::move(payload)));
  if (outbound_bytes() + bytes.size() > options_.outbound_limit) {
    auto error = fail(Code::Limit, "peer " + address_ + " is too slow: more than " +
                                       std::to_string(options_.outbound_limit) + " bytes unsent");
    boost::asio::post(socket_.get_executor(), [self = shared_from_this(), error] {
      self->outbound_.clear();  // nobody would read it in time
      self->end(error);
    });
    return error;
  }
  outbound_ += bytes;
  flush();
  return {};
}

void Channel::pause(bool paused) {
  paused_ = paused;
  read();
}

void Channel::close() {
  handlers_.reset();
  on_ready_ = nullptr;
  if (stage_ == Stage::Ended) return;
  stage_ = Stage::Ended;
  shut_when_flushed();
}

void Channel::read() {
  bool heard = stage_ == Stage::Hello || stage_ == Stage::Started;
  if (!heard || paused_ || reading_ || !session_.wants_bytes()) return;
  reading_ = true;
  // Waiting, then reading into a buffer of the moment: an idle link holds no buffer.
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const error_code& ec) {
    self->reading_ = false;
    if (self->stage_ == Stage::Ended || self->paused_) return;
    if (ec) return self->end(gone(self->address_, ec));
    self->on_readable();
  });
}

void Channel::on_readable() {
  std::array<char, kReadBytes> chunk;
  auto most =
      stage_ == Stage::Hello ? std::min(options_.session.hello_limit, kReadBytes) : kReadBytes;
  error_code ec;
  auto n = socket_.read_some(boost::asio::buffer(chunk, most), ec);
  if (ec && ec != boost::asio::error::would_block) return end(gone(address_, ec));
  if (!ec) obey(session_.on_bytes({chunk.data(), n}));
  if (count_held()) read();
}

/// Tells the room what is held of a half frame. False: too much, the session is over.
bool Channel::count_held() {
  if (!entered_) return true;
  auto now = session_.buffered();
  auto held = options_.room->hold(peer_.identity, std::exchange(counted_, now), now);
  if (!held) end(held.error());
  return held.has_value();
}

void Channel::obey(SessionActions actions) {
  for (auto& action : actions) {
    if (stage_ == Stage::Ended) return;  // a handler closed us
    carry_out(action);
  }
}

void Channel::carry_out(SessionAction& action) {
  auto self = shared_from_this();
  if (auto* write = std::get_if<Write>(&action)) {
    outbound_ += write->bytes;
    flush();
  } else if (auto* make = std::get_if<MakeProof>(&action)) {
    prover_.encode(options_.credentials, std::move(make->payload), kProofTtl,
                   [self](auto credential) {
                     self->obey(self->session_.on_proof_made(std::move(credential)));
                     self->read();
                   });
  } else if (auto* check = std::get_if<CheckProof>(&action)) {
    prover_.check(options_.credentials, std::move(*check), [self](auto proof) {
      self->obey(self->session_.on_proof_checked(std::move(proof)));
      self->read();
    });
  } else if (auto* opened = std::get_if<Opened>(&action)) {
    on_opened(std::move(*opened));
  } else if (auto* frame = std::get_if<Deliver>(&action)) {
    deliver(std::move(frame->frame));
  } else if (auto* failed = std::get_if<Failed>(&action)) {
    end(failed->error);
  }
}

void Channel::on_opened(Opened opened) {
  peer_ = std::move(opened);
  if (options_.room) {
    auto entered = options_.room->enter(peer_.identity);
    if (!entered) return end(entered.error());
    entered_ = true;
  }
  stage_ = Stage::Ready;
  timer_.cancel();
  if (auto ready = std::exchange(on_ready_, nullptr)) ready({});
}

void Channel::deliver(Frame frame) {
  if (stage_ != Stage::Started || !held_.empty()) return held_.push_back(std::move(frame));
  auto handlers = handlers_;  // survives a handler that destroys the link
  handlers->on_frame(std::move(frame));
}

void Channel::deliver_held() {
  auto handlers = handlers_;
  while (!held_.empty() && handlers_) {
    auto frame = std::move(held_.front());
    held_.pop_front();
    handlers->on_frame(std::move(frame));
  }
}

void Channel::flush() {
  if (!writing_.empty() || outbound_.empty() || !socket_.is_open()) return;
  std::swap(writing_, outbound_);
  boost::asio::async_write(
      socket_, boost::asio::buffer(writing_),
      [self = shared_from_this()](const error_code& ec, std::size_t) { self->on_written(ec); });
}

void Channel::on_written(const error_code& ec) {
  writing_.clear();
  if (ec) {
    outbound_.clear();
    return stage_ == Stage::Ended ? shut() : end(gone(address_, ec));
  }
  flush();
  if (stage_ == Stage::Ended && writing_.empty()) shut();
}

void Channel::end(const Error& error) {
  if (stage_ == Stage::Ended) return;
  stage_ = Stage::Ended;
  shut_when_flushed();
  if (auto ready = std::exchange(on_ready_, nullptr)) return ready(error);
  if (handlers_ && held_.empty()) return tell_closed(error);
  ended_by_ = error;  // start(), or what it posted, tells it after the frames held
}

// By value: ended_by_ may go with the handler.
void Channel::tell_closed(Error error) {
  if (auto handlers = std::exchange(handlers_, nullptr)) handlers->on_closed(error);
}

void Channel::shut_when_flushed() {
  timer_.cancel();
  if (outbound_bytes() == 0) return shut();
  timer_.expires_after(kLinger);
  timer_.async_wait([self = shared_from_this()](const error_code& ec) {
    if (!ec) self->shut();
  });
}

void Channel::shut() {
  if (std::exchange(entered_, false)) options_.room->leave(peer_.identity, counted_);
  error_code ignored;
  timer_.cancel();
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
}

}  // namespace wm::wire
