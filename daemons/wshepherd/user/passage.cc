#include "daemons/wshepherd/user/passage.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "libwm/base/clock.h"
#include "libwm/proc/rank_call.h"

namespace wm::shepherd {
namespace {

/// Where no agent listens at all a call takes 10 s, in which the task waits.
constexpr auto kPauseWithoutAgent = std::chrono::minutes(1);

}  // namespace

Passage::Passage(const std::string& socket, TaskNumber task, Duration pause)
    : socket_(socket), task_(task), pause_(pause) {
  if (!call()) lose(kPauseWithoutAgent);
}

bool Passage::call() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  held_.reset(ends[0]);
  Fd hold(ends[1]);
  proc::RankStreams streams{{}, {}, hold.get()};
  if (!proc::call_for_rank(socket_, {task_, 0, true}, streams)) return false;
  streams_ = {std::move(streams.out), std::move(streams.err)};
  return true;
}

void Passage::lose(Duration pause) {
  for (auto& stream : streams_) stream.reset();
  lost_ = true;
  again_ = steady_now() + pause;
}

void Passage::write(std::uint32_t stream, std::string_view bytes) {
  const auto& pipe = streams_[stream == 2 ? 1 : 0];
  if (!pipe && steady_now() >= again_ && !call()) lose(kPauseWithoutAgent);
  while (pipe && !bytes.empty()) {
    auto n = ::write(pipe.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return lose(pause_);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

bool Passage::finish() {
  for (auto& stream : streams_) stream.reset();
  char none = 0;
  ssize_t n = 0;
  do n = ::read(held_.get(), &none, 1);
  while (n < 0 && errno == EINTR);
  return !lost_;
}

}  // namespace wm::shepherd
