#include "libwm/frames/stream.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace wm::frames {
namespace {

constexpr std::size_t kMaxWaiting = 64u << 20;

std::uint32_t length_at(const std::string& bytes) {
  std::uint32_t n = 0;
  for (int i = 0; i < 4; ++i) n |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return n;
}

}  // namespace

/// Shared with the operations under way, which may outlive the owner.
struct Stream::State : std::enable_shared_from_this<Stream::State> {
  State(boost::asio::io_context& loop, int fd, std::uint32_t limit)
      : socket(loop, boost::asio::local::stream_protocol(), fd), frame_limit(limit) {}

  void read() {
    socket.async_read_some(boost::asio::buffer(part), [self = shared_from_this()](auto ec, auto n) {
      if (self->ended) return;
      if (ec) return self->close();
      self->in.append(self->part.data(), n);
      self->deliver();
      if (!self->ended) self->read();
    });
  }

  void deliver() {
    while (!ended && in.size() >= 4) {
      auto size = length_at(in);
      if (size > frame_limit) return close();
      if (in.size() - 4 < size) return;
      auto frame = in.substr(4, size);
      in.erase(0, size + 4);
      on_frame(std::move(frame));
    }
  }

  void send(std::string_view bytes) {
    if (ended) return;
    auto size = static_cast<std::uint32_t>(bytes.size());
    for (int i = 0; i < 4; ++i) out += static_cast<char>(size >> (8 * i));
    out += bytes;
    if (out.size() > kMaxWaiting) return close();
    if (writing.empty()) flush();
  }

  void flush() {
    writing.swap(out);
    boost::asio::async_write(socket, boost::asio::buffer(writing),
                             [self = shared_from_this()](auto ec, auto) {
                               self->writing.clear();
                               if (self->ended) return;
                               if (ec) return self->close();
                               if (!self->out.empty()) self->flush();
                             });
  }

  /// Tells the owner from the loop, never from inside its own call.
  void close() {
    if (std::exchange(ended, true)) return;
    boost::system::error_code ignored;
    socket.close(ignored);
    boost::asio::post(socket.get_executor(), [self = shared_from_this()] {
      if (auto told = std::exchange(self->on_closed, {})) told();
    });
  }

  boost::asio::local::stream_protocol::socket socket;
  std::uint32_t frame_limit;
  OnFrame on_frame;
  OnClosed on_closed;
  std::string in, out, writing;
  std::array<char, 65536> part{};
  bool ended = false;
};

Stream::Stream(boost::asio::io_context& loop, int fd, std::uint32_t frame_limit)
    : state_(std::make_shared<State>(loop, fd, frame_limit)) {}

Stream::~Stream() {
  state_->ended = true;
  state_->on_closed = {};
  boost::system::error_code ignored;
  state_->socket.close(ignored);
}

void Stream::start(OnFrame on_frame, OnClosed on_closed) {
  state_->on_frame = std::move(on_frame);
  state_->on_closed = std::move(on_closed);
  state_->read();
}

void Stream::send(std::string_view bytes) { state_->send(bytes); }

}  // namespace wm::frames
