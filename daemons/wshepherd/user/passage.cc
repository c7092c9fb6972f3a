#include "daemons/wshepherd/user/passage.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "libwm/proc/rank_call.h"

namespace wm::shepherd {

Passage::Passage(const std::string& socket, TaskNumber task) {
  int ends[2];
  lost_ = ::pipe2(ends, O_CLOEXEC) != 0;
  if (lost_) return;
  held_.reset(ends[0]);
  proc::Fd hold(ends[1]);
  proc::RankStreams streams{{}, {}, hold.get()};
  auto answer = proc::call_for_rank(socket, {task, 0, true}, streams);
  lost_ = !answer;
  if (lost_) return;
  streams_ = {std::move(streams.out), std::move(streams.err)};
}

void Passage::write(std::uint32_t stream, std::string_view bytes) {
  const auto& pipe = streams_[stream == 2 ? 1 : 0];
  while (!lost_ && !bytes.empty()) {
    auto n = ::write(pipe.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    lost_ = n <= 0;
    if (!lost_) bytes.remove_prefix(static_cast<std::size_t>(n));
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
