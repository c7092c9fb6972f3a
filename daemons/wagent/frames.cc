// One read and one write under way at a time; writes that come meanwhile go out together.
#include "daemons/wagent/frames.h"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

namespace wm::wagent {
namespace {

constexpr std::size_t kOutboundLimit = 8 * kFrameLimit;
constexpr std::size_t kHeader = 4;

std::uint32_t length_at(const std::string& bytes, std::size_t at) {
  std::uint32_t length = 0;
  for (std::size_t i = kHeader; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return length;
}

}  // namespace

void Frames::start(OnFrame on_frame, OnClosed on_closed) {
  on_frame_ = std::move(on_frame);
  on_closed_ = std::move(on_closed);
  read();
}

void Frames::read() {
  if (!open_) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const auto& error) {
    if (!self->open_) return;
    if (error) return self->give_up();
    self->drain();
    self->read();
  });
}

void Frames::drain() {
  char bytes[16 << 10];
  while (open_) {
    ssize_t n = ::recv(socket_.native_handle(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0 || !take({bytes, static_cast<std::size_t>(n)})) return give_up();
  }
}

bool Frames::take(std::string_view bytes) {
  input_.append(bytes);
  std::size_t at = 0;
  while (open_ && input_.size() - at >= kHeader) {
    std::uint32_t length = length_at(input_, at);
    if (length > kFrameLimit) return false;
    if (input_.size() - at - kHeader < length) break;
    std::string payload = input_.substr(at + kHeader, length);  // handlers may close us
    at += kHeader + length;
    auto on_frame = on_frame_;
    on_frame(payload);
  }
  input_.erase(0, at);
  return true;
}

void Frames::send(std::string_view payload) {
  if (!open_) return;
  if (outbound_.size() > kOutboundLimit) return give_up();
  for (std::size_t i = 0; i < kHeader; ++i) {
    outbound_.push_back(static_cast<char>(payload.size() >> (8 * i)));
  }
  outbound_.append(payload);
  write();
}

void Frames::write() {
  if (!writing_.empty() || outbound_.empty()) return;
  writing_.swap(outbound_);
  boost::asio::async_write(socket_, boost::asio::buffer(writing_),
                           [self = shared_from_this()](const auto& error, std::size_t) {
                             self->writing_.clear();
                             if (!self->open_) return;
                             if (error) return self->give_up();
                             self->write();
                           });
}

void Frames::give_up() {
  if (!open_) return;
  auto on_closed = std::move(on_closed_);
  close();
  if (on_closed) boost::asio::post(socket_.get_executor(), on_closed);
}

void Frames::close() {
  open_ = false;
  on_closed_ = nullptr;
  boost::system::error_code ignored;
  socket_.close(ignored);
}

Frames::Peer Frames::peer() const {
  ucred who{};
  socklen_t size = sizeof who;
  int fd = const_cast<Socket&>(socket_).native_handle();
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return {};
  return {who.pid, who.uid};
}

}  // namespace wm::wagent
