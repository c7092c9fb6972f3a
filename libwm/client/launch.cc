#include "libwm/client/launch.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "libwm/codec/codec.h"
#include "libwm/wire/munge.h"

namespace wm::client {
namespace {

constexpr std::size_t kFrameLimit = 16 << 20;

/// All of it, however slow the reader is. A reader that has gone ends us by SIGPIPE.
void write_out(int fd, const std::string& bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    auto n = ::write(fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EAGAIN) {
      pollfd wanted{fd, POLLOUT, 0};
      ::poll(&wanted, 1, -1);
    } else if (n < 0 && errno != EINTR) {
      return;
    } else if (n > 0) {
      at += static_cast<std::size_t>(n);
    }
  }
}

}  // namespace

Result<ConnectionOptions> agent_options(const LaunchDoor& door) {
  ConnectionOptions options;
  WM_TRY(options.to, wire::parse_endpoint(door.address));
  options.session.role = wire::Role::Client;
  options.session.peers = {{wire::Role::Agent, ::geteuid()}};
  options.session.frame_limit = kFrameLimit;
  options.retry.first_delay = std::chrono::milliseconds(5);
  options.retry.longest_delay = std::chrono::milliseconds(200);
  options.retry.give_up_after = door.patience;
  if (options.to.is_local()) options.session.method = wire::Method::Local;
  else options.credentials = wire::munge_credentials(door.munge_socket);
  return options;
}

Result<std::vector<std::string>> slots_of_group(const LaunchDoor& door, const std::string& group) {
  WM_TRY(auto options, agent_options(door));
  Connection connection(std::move(options));
  WM_TRY(auto frame, connection.call(kToLaunch, codec::encode(ToLaunch{LaunchAsk{group}}),
                                     std::chrono::minutes(1)));
  WM_TRY(auto words, codec::decode<FromLaunch>(frame.payload));
  if (auto* places = std::get_if<LaunchPlaces>(&words)) return std::move(places->slots);
  auto* ended = std::get_if<LaunchEnded>(&words);
  return fail(Code::Unavailable, ended ? ended->text : "the agent does not know of groups");
}

LaunchResize size_of_terminal(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_row, size.ws_col};
}

Result<Launch> Launch::open(const LaunchDoor& door, const ToLaunch& first) {
  WM_TRY(auto options, agent_options(door));
  Launch launch(std::move(options));
  // The first answer comes when the command runs, on a host that may be starting its part.
  WM_TRY(auto frame,
         launch.connection_.call(kToLaunch, codec::encode(first), std::chrono::minutes(1)));
  WM_TRY(launch.take(frame));
  return launch;
}

Result<void> Launch::say(const ToLaunch& words) {
  return connection_.send(kToLaunch, codec::encode(words));
}

Result<void> Launch::take(const wire::Frame& frame) {
  if (frame.type != kFromLaunch) return {};
  WM_TRY(auto words, codec::decode<FromLaunch>(frame.payload));
  if (auto* up = std::get_if<LaunchUp>(&words)) pid_ = up->pid;
  else if (auto* taken = std::get_if<LaunchTaken>(&words)) window_ += taken->bytes;
  else if (auto* ended = std::get_if<LaunchEnded>(&words)) ended_ = std::move(*ended);
  auto* output = std::get_if<LaunchOutput>(&words);
  if (output == nullptr) return {};
  write_out(output->stream == 2 ? STDERR_FILENO : STDOUT_FILENO, output->bytes);
  return ended_ ? Result<void>() : say(LaunchTaken{output->bytes.size()});
}

Result<void> Launch::take_frames() {
  while (!ended_) {
    auto frame = connection_.next(Duration{});
    if (!frame && frame.error().code == Code::Timeout) return {};
    if (!frame) return frame.error();
    auto taken = take(*frame);
    if (!taken && !ended_) return taken;
  }
  return {};
}

Result<void> Launch::read_input() {
  std::string bytes(std::min(window_, kLaunchChunk), '\0');
  auto n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  input_open_ = !bytes.empty();
  window_ -= bytes.size();
  return say(LaunchInput{std::move(bytes)});
}

Result<void> Launch::pass_on(Signals& signals, const LaunchCarry& carry) {
  while (auto number = signals.next()) {
    if (*number != SIGWINCH) WM_TRY(say(LaunchSignal{*number}));
    else if (carry.terminal) WM_TRY(say(size_of_terminal(STDIN_FILENO)));
  }
  return {};
}

Result<void> Launch::wait(Signals& signals, const LaunchCarry& carry) {
  int input = input_open_ && window_ > 0 ? STDIN_FILENO : -1;
  std::array<pollfd, 3> fds{pollfd{connection_.descriptor(), POLLIN, 0}, pollfd{input, POLLIN, 0},
                            pollfd{signals.descriptor(), POLLIN, 0}};
  if (::poll(fds.data(), fds.size(), -1) < 0) return {};
  if (fds[0].revents != 0) WM_TRY(take_frames());
  if (fds[1].revents != 0 && !ended_) WM_TRY(read_input());
  if (fds[2].revents != 0 && !ended_) WM_TRY(pass_on(signals, carry));
  return {};
}

Result<LaunchEnded> Launch::run(const LaunchCarry& carry) {
  Signals signals;
  input_open_ = carry.input;
  // Once more, for a window that changed before its changes were heard; no change is none there.
  Result<void> fine = carry.terminal ? say(size_of_terminal(STDIN_FILENO)) : Result<void>();
  if (fine) fine = take_frames();
  while (fine && !ended_) fine = wait(signals, carry);
  if (!ended_) return fine.error();
  return *ended_;
}

}  // namespace wm::client
