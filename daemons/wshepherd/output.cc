#include "daemons/wshepherd/output.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "libwm/proc/channel.h"
#include "libwm/proc/output_file.h"

namespace wm::shepherd {
namespace {

/// An output file, opened at its first byte; shared when stdout and stderr go to one path.
struct Sink {
  proc::OutputFile file;
  std::uint64_t room = 0;  ///< bytes still allowed
  proc::Fd fd;
  bool opened = false;
  bool lost = false;

  void open() {
    if (std::exchange(opened, true)) return;
    if (auto made = proc::open_output(file, false)) fd = *std::move(made);
  }

  void write(std::string_view bytes) {
    open();
    auto part = bytes.substr(0, room);
    room -= part.size();
    while (!part.empty() && fd) {
      auto n = ::write(fd.get(), part.data(), part.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      part.remove_prefix(static_cast<std::size_t>(n));
    }
    lost = lost || !part.empty();
  }
};

/// One pipe and the sinks its bytes go to.
struct Stream {
  int fd = -1;
  std::vector<Sink*> sinks;
};

class Copier {
 public:
  Copier(const proc::TaskSpec& task, int out, int err)
      : out_{out, sinks_of(task.out)}, err_{err, sinks_of(task.err)} {}

  int run() {
    std::array<pollfd, 2> fds{};
    while (out_.fd >= 0 || err_.fd >= 0) {
      fds = {pollfd{out_.fd, POLLIN, 0}, pollfd{err_.fd, POLLIN, 0}};
      if (::poll(fds.data(), fds.size(), -1) < 0) continue;
      if (fds[0].revents != 0) copy(out_);
      if (fds[1].revents != 0) copy(err_);
    }
    bool lost = false;
    for (const auto& [path, sink] : sinks_) lost = lost || sink.lost;
    return lost ? 1 : 0;
  }

 private:
  std::vector<Sink*> sinks_of(const std::vector<proc::OutputFile>& files) {
    std::vector<Sink*> sinks;
    for (const auto& file : files) sinks.push_back(&sink(file));
    return sinks;
  }

  Sink& sink(const proc::OutputFile& file) {
    auto [at, fresh] = sinks_.try_emplace(proc::resolved_path(file));
    if (!fresh) return at->second;
    at->second.file = file;
    at->second.room = file.limit_bytes != 0 ? file.limit_bytes : ~std::uint64_t{0};
    return at->second;
  }

  void copy(Stream& stream) {
    auto n = ::read(stream.fd, part_.data(), part_.size());
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) {
      stream.fd = -1;
      return;
    }
    for (auto* sink : stream.sinks) sink->write({part_.data(), static_cast<std::size_t>(n)});
  }

  std::map<std::string, Sink> sinks_;
  Stream out_, err_;
  std::array<char, 65536> part_{};
};

}  // namespace

int copy_output(const proc::TaskSpec& task, int out, int err) {
  return Copier(task, out, err).run();
}

}  // namespace wm::shepherd
