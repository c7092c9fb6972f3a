#include "libwm/client/tunnel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "libwm/codec/codec.h"

namespace wm::client {
namespace {

constexpr auto kAnswerPatience = std::chrono::seconds(10);

// All of it, however slow the reader is. False: the reader is gone.
bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    auto n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EAGAIN) {
      pollfd wanted{fd, POLLOUT, 0};
      ::poll(&wanted, 1, -1);
    } else if (n == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<Tunnel> Tunnel::open(const LaunchDoor& door, const std::string& application) {
  WM_TRY(auto options, agent_options(door));
  Tunnel tunnel(std::move(options));
  ToLaunch first = LaunchConnect{application};
  WM_TRY(auto frame, tunnel.connection_.call(kToLaunch, codec::encode(first), kAnswerPatience));
  WM_TRY(auto words, codec::decode<FromLaunch>(frame.payload));
  if (auto* ended = std::get_if<LaunchEnded>(&words)) return fail(Code::Refused, ended->text);
  return tunnel;
}

Result<void> Tunnel::say(const ToLaunch& words) {
  return connection_.send(kToLaunch, codec::encode(words));
}

Result<void> Tunnel::take(const wire::Frame& frame, int fd) {
  WM_TRY(auto words, codec::decode<FromLaunch>(frame.payload));
  if (auto* taken = std::get_if<LaunchTaken>(&words)) window_ += taken->bytes;
  if (std::holds_alternative<LaunchEnded>(words)) over_ = true;
  auto* output = std::get_if<LaunchOutput>(&words);
  if (output == nullptr) return {};
  over_ = !write_all(fd, output->bytes);
  return over_ ? Result<void>() : say(LaunchTaken{output->bytes.size()});
}

Result<void> Tunnel::take_frames(int fd) {
  while (!over_) {
    auto frame = connection_.next(Duration{});
    if (!frame && frame.error().code == Code::Timeout) return {};
    if (!frame) return frame.error();
    WM_TRY(take(*frame, fd));
  }
  return {};
}

// What is longer than the window waits for room: a head never is.
Result<void> Tunnel::send(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kLaunchChunk))) {
    auto piece = std::string(bytes.substr(0, kLaunchChunk));
    window_ -= std::min(window_, piece.size());
    WM_TRY(say(LaunchInput{std::move(piece)}));
  }
  return {};
}

Result<void> Tunnel::pass_on(int fd) {
  std::string bytes(std::min(window_, kLaunchChunk), '\0');
  auto n = ::recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  over_ = n <= 0;
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return send(bytes);
}

Result<void> Tunnel::wait(int fd) {
  // Without room for more only the end of the browser's side is of interest.
  short wanted = window_ > 0 ? POLLIN : POLLRDHUP;
  std::array<pollfd, 2> fds{pollfd{connection_.descriptor(), POLLIN, 0}, pollfd{fd, wanted, 0}};
  if (::poll(fds.data(), fds.size(), -1) < 0) return {};
  if (fds[0].revents != 0) WM_TRY(take_frames(fd));
  if (over_ || fds[1].revents == 0) return {};
  if (window_ > 0) return pass_on(fd);
  over_ = true;
  return {};
}

Result<void> Tunnel::carry(int fd, std::string_view first) {
  WM_TRY(send(first));
  Result<void> fine = take_frames(fd);
  while (fine && !over_) fine = wait(fd);
  connection_.disconnect();
  return fine;
}

}  // namespace wm::client
