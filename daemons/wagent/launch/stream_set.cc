// A descriptor is waited for only while there is room; reads and writes themselves never block.
#include "daemons/wagent/launch/stream_set.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>

namespace wm::wagent {
namespace {

constexpr char kEndOfInput = 4;  ///< what ends input on a terminal in its usual mode

}  // namespace

StreamSet::StreamSet(boost::asio::io_context& loop, proc::ConsoleEnds ends)
    : out_(loop), err_(loop), in_(loop), terminal_(ends.terminal) {
  int in = terminal_ ? ::fcntl(ends.out.get(), F_DUPFD_CLOEXEC, 3) : ends.in.release();
  if (in >= 0) in_.assign(in);
  if (ends.out) open(out_, ends.out.release(), 1);
  if (ends.err) open(err_, ends.err.release(), 2);
}

void StreamSet::open(Source& source, int fd, std::uint32_t stream) {
  source.fd.assign(fd);
  source.stream = stream;
  source.open = true;
  ++open_;
}

void StreamSet::serve(Handlers handlers) {
  handlers_ = std::move(handlers);
  listening_ = true;
  window_ = kLaunchWindow;
  read(out_);
  read(err_);
  if (open_ > 0) return;
  boost::asio::post(in_.get_executor(), [self = shared_from_this()] {
    if (self->listening_) self->handlers_.on_end();
  });
}

void StreamSet::leave() {
  listening_ = false;
  handlers_ = {};
}

void StreamSet::read(Source& source) {
  if (!source.open || source.waiting || !listening_ || window_ == 0) return;
  source.waiting = true;
  source.fd.async_wait(Descriptor::wait_read,
                       [self = shared_from_this(), &source](const auto& error) {
                         source.waiting = false;
                         if (!error) self->on_readable(source);
                       });
}

void StreamSet::on_readable(Source& source) {
  if (!source.open || !listening_) return;
  char bytes[kLaunchChunk];
  auto most = std::min(window_, sizeof bytes);
  if (most == 0) return;
  auto n = ::read(source.fd.native_handle(), bytes, most);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return read(source);
  if (n <= 0) return end(source);  // a terminal that lost its last user says EIO
  window_ -= static_cast<std::size_t>(n);
  handlers_.on_output(source.stream, std::string(bytes, static_cast<std::size_t>(n)));
  read(source);
}

void StreamSet::end(Source& source) {
  boost::system::error_code ignored;
  source.fd.close(ignored);
  source.open = false;
  if (--open_ > 0) return;
  drop_input();
  auto on_end = handlers_.on_end;  // may leave
  if (on_end) on_end();
}

void StreamSet::taken(std::uint64_t bytes) {
  window_ = std::min<std::uint64_t>(kLaunchWindow, window_ + bytes);
  read(out_);
  read(err_);
}

void StreamSet::write(const std::string& bytes) {
  if (in_ends_) return;
  input_ += bytes;
  in_ends_ = bytes.empty();
  if (in_ends_ && terminal_) input_ += kEndOfInput;
  if (!in_.is_open()) return drop_input();
  if (!writing_) flush();
}

void StreamSet::flush() {
  if (input_.empty()) {
    boost::system::error_code ignored;
    if (in_ends_ && !terminal_) in_.close(ignored);
    return;
  }
  writing_ = true;
  in_.async_wait(Descriptor::wait_write, [self = shared_from_this()](const auto& error) {
    self->writing_ = false;
    if (error || !self->in_.is_open()) return;
    auto& input = self->input_;
    auto n = ::write(self->in_.native_handle(), input.data(), input.size());
    if (n < 0 && errno != EAGAIN && errno != EINTR) return self->drop_input();
    if (n > 0) {
      input.erase(0, static_cast<std::size_t>(n));
      if (self->listening_) self->handlers_.on_taken(static_cast<std::uint64_t>(n));
    }
    self->flush();
  });
}

/// The process reads no more: what comes is thrown away, and its sender told that it is gone.
void StreamSet::drop_input() {
  boost::system::error_code ignored;
  in_.close(ignored);
  auto size = input_.size();
  input_.clear();
  if (size > 0 && listening_) handlers_.on_taken(size);
}

void StreamSet::resize(const proc::TerminalSize& size) {
  if (terminal_ && out_.open) proc::resize_terminal(out_.fd.native_handle(), size);
}

void StreamSet::close() {
  leave();
  boost::system::error_code ignored;
  in_.close(ignored);
  for (auto* source : {&out_, &err_}) {
    source->fd.close(ignored);
    source->open = false;
  }
  open_ = 0;
}

}  // namespace wm::wagent
