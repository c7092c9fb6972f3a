// One read and one write under way at a time; frames that come meanwhile go out together.
#include "libwm/frames/stream.h"

#include <sys/socket.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <utility>

namespace wm::frames {

/// Shared with the operations under way, which may outlive the owner.
struct Stream::State : std::enable_shared_from_this<Stream::State> {
  State(Socket given, Limits bounds)
      : socket(std::move(given)), limits(bounds), cutter(bounds.frame) {}

  // A part at a time, so that one who says much does not keep the others waiting.
  void read() {
    socket.async_wait(Socket::wait_read, [self = shared_from_this()](const auto& error) {
      if (self->ended) return;
      if (error) return self->give_up();
      self->receive();
      if (!self->ended) self->read();
    });
  }

  // False: there is no more for now, or it is over.
  bool receive() {
    std::array<char, 65536> part;
    ssize_t n = ::recv(socket.native_handle(), part.data(), part.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (n <= 0) return give_up(), false;
    cutter.add({part.data(), static_cast<std::size_t>(n)});
    deliver();
    return !ended;
  }

  // Handlers may close, destroy, or drain us.
  void deliver() {
    while (!ended) {
      auto piece = cutter.next();
      if (!piece) return give_up();
      if (!*piece) return;
      on_frame(std::string((*piece)->payload));
    }
  }

  void send(std::string_view bytes) {
    if (ended) return;
    append_frame(out, bytes);
    if (out.size() > limits.waiting) return give_up();
    if (writing.empty()) flush();
  }

  void flush() {
    writing.swap(out);
    boost::asio::async_write(socket, boost::asio::buffer(writing),
                             [self = shared_from_this()](const auto& error, std::size_t) {
                               self->writing.clear();
                               if (self->ended) return;
                               if (error) return self->give_up();
                               if (!self->out.empty()) self->flush();
                             });
  }

  /// Tells the owner from the loop, never from inside its own call.
  void give_up() {
    if (ended) return;
    end();
    boost::asio::post(socket.get_executor(), [self = shared_from_this()] {
      if (auto told = std::exchange(self->on_closed, {})) told();
    });
  }

  void close() {
    end();
    on_closed = {};
  }

  void end() {
    if (std::exchange(ended, true)) return;
    boost::system::error_code ignored;
    socket.close(ignored);
    // It may hold its owner, and us; and it may be running.
    boost::asio::post(socket.get_executor(), [self = shared_from_this()] { self->on_frame = {}; });
  }

  Socket socket;
  Limits limits;
  Cutter cutter;
  OnFrame on_frame;
  OnClosed on_closed;
  std::string out, writing;
  bool ended = false;
};

Stream::Stream(Socket socket, Limits limits)
    : state_(std::make_shared<State>(std::move(socket), limits)) {}

Stream::Stream(boost::asio::io_context& loop, int fd, Limits limits)
    : Stream(Socket(loop, boost::asio::local::stream_protocol(), fd), limits) {}

Stream::~Stream() { state_->close(); }

void Stream::start(OnFrame on_frame, OnClosed on_closed) {
  state_->on_frame = std::move(on_frame);
  state_->on_closed = std::move(on_closed);
  state_->read();
}

void Stream::send(std::string_view bytes) { state_->send(bytes); }

void Stream::drain() {
  auto state = state_;  // a handler may destroy us
  while (!state->ended && state->receive()) {
  }
}

void Stream::close() { state_->close(); }

Stream::Peer Stream::peer() const {
  ucred who{};
  socklen_t size = sizeof who;
  int fd = state_->socket.native_handle();
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return {};
  return {who.pid, who.uid};
}

}  // namespace wm::frames
