#include "daemons/wshepherd/user/output.h"

#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemons/wshepherd/user/passage.h"
#include "libwm/base/whole_lines.h"
#include "libwm/proc/channel.h"
#include "libwm/proc/output_file.h"

namespace wm::shepherd {
namespace {

/// An output file, opened at its first byte; shared when stdout and stderr go to one path.
struct Sink {
  launch::OutputFile file;
  std::uint64_t room = 0;  ///< bytes still allowed
  Fd fd;
  bool opened = false;
  int lost = 0;  ///< errno of what failed first

  void open() {
    if (std::exchange(opened, true)) return;
    errno = 0;
    if (auto made = proc::open_output(file, false)) fd = *std::move(made);
    else lose();
  }

  void lose() {
    if (lost == 0) lost = errno != 0 ? errno : EIO;
  }

  // What a file system took without a disk may be refused by now.
  void close() {
    if (fd && ::close(fd.release()) != 0 && errno != EINTR) lose();
  }

  // Tasks of a job may share the file: the first to find it full turns it over, under its lock.
  void make_place(std::size_t size) {
    struct stat full {
    }, there{};
    if (!fd || ::fstat(fd.get(), &full) != 0) return;
    if (static_cast<std::uint64_t>(full.st_size) + size <= file.limit_bytes) return;
    auto path = proc::resolved_path(file);
    ::flock(fd.get(), LOCK_EX);
    bool ours = ::stat(path.c_str(), &there) == 0 && there.st_ino == full.st_ino;
    if (ours) (void)std::rename(path.c_str(), (path + ".1").c_str());
    ::flock(fd.get(), LOCK_UN);
    opened = false;
    close();
    open();
  }

  void write(std::string_view bytes) {
    open();
    if (file.newest) make_place(bytes.size());
    auto part = bytes.substr(0, room);
    room -= part.size();
    while (!part.empty() && fd) {
      auto n = ::write(fd.get(), part.data(), part.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return lose();
      part.remove_prefix(static_cast<std::size_t>(n));
    }
  }
};

/// One pipe and the sinks its bytes go to, the second ones only while it is the task's turn.
struct Stream {
  int fd = -1;
  std::vector<Sink*> sinks, asked;
  std::uint32_t number = 1;  ///< 1: stdout, 2: stderr
  WholeLines lines = {};
};

/// What was said while it was not the task's turn, not long ago.
class Recent {
 public:
  void keep(Stream& stream, std::string_view bytes) {
    kept_.push_back({now(), &stream, std::string(bytes)});
    size_ += bytes.size();
    while (size_ > kMost || kept_.front().at + kFor < now()) drop();
  }
  template <class Use>
  void take(Use use) {
    for (const auto& part : kept_)
      if (part.at + kFor >= now()) use(*part.stream, part.bytes);
    kept_.clear();
    size_ = 0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMost = 256 << 10;
  static constexpr std::chrono::seconds kFor{2};
  struct Part {
    Clock::time_point at;
    Stream* stream;
    std::string bytes;
  };
  static Clock::time_point now() { return Clock::now(); }
  void drop() {
    size_ -= kept_.front().bytes.size();
    kept_.pop_front();
  }
  std::deque<Part> kept_;
  std::size_t size_ = 0;
};

class Copier {
 public:
  Copier(const launch::TaskSpec& task, int out, int err, int turns)
      : out_{out, sinks_of(task.out), sinks_of(task.asked_out)},
        err_{err, sinks_of(task.err), sinks_of(task.asked_err), 2},
        turns_(turns),
        writes_(task.writer),
        whole_lines_(is_shared(task) && task.writer) {}

  /// What the task says goes there, too.
  void pass_on(Passage passage) { passage_ = std::move(passage); }

  int run() {
    std::array<pollfd, 3> fds{};
    while (out_.fd >= 0 || err_.fd >= 0) {
      fds = {pollfd{out_.fd, POLLIN, 0}, pollfd{err_.fd, POLLIN, 0}, pollfd{turns_, POLLIN, 0}};
      if (::poll(fds.data(), fds.size(), -1) < 0) continue;
      if (fds[2].revents != 0) take_turn();
      if (fds[0].revents != 0) copy(out_);
      if (fds[1].revents != 0) copy(err_);
    }
    int lost = 0;
    for (auto& [path, sink] : sinks_) {
      sink.close();
      if (lost == 0) lost = sink.lost;
    }
    if (passage_ && !passage_->finish() && lost == 0) lost = EPIPE;
    return lost;
  }

 private:
  std::vector<Sink*> sinks_of(const std::vector<launch::OutputFile>& files) {
    std::vector<Sink*> sinks;
    for (const auto& file : files) sinks.push_back(&sink(file));
    return sinks;
  }

  Sink& sink(const launch::OutputFile& file) {
    auto [at, fresh] = sinks_.try_emplace(proc::resolved_path(file));
    if (!fresh) return at->second;
    at->second.file = file;
    bool ends = file.limit_bytes != 0 && !file.newest;
    at->second.room = ends ? file.limit_bytes : ~std::uint64_t{0};
    return at->second;
  }

  void take_turn() {
    char turn = 0;
    auto n = ::read(turns_, &turn, 1);
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) {
      turns_ = -1;
      return;
    }
    writes_ = turn == '1';
    if (!writes_) return;
    recent_.take([](Stream& stream, const std::string& bytes) {
      for (auto* sink : stream.asked) sink->write(bytes);
    });
  }

  void copy(Stream& stream) {
    auto n = ::read(stream.fd, part_.data(), part_.size());
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) return end(stream);
    std::string_view bytes(part_.data(), static_cast<std::size_t>(n));
    if (passage_) passage_->write(stream.number, bytes);
    if (!whole_lines_) return deliver(stream, bytes);
    std::string lines;
    for (const auto& line : stream.lines.add(bytes)) lines += ended(line);
    if (!lines.empty()) deliver(stream, lines);
  }

  static std::string ended(const std::string& line) {
    return line.ends_with('\n') ? line : line + '\n';
  }

  void end(Stream& stream) {
    stream.fd = -1;
    if (auto rest = stream.lines.rest(); !rest.empty()) deliver(stream, ended(rest));
  }

  void deliver(Stream& stream, std::string_view bytes) {
    for (auto* sink : stream.sinks) sink->write(bytes);
    if (stream.asked.empty()) return;
    if (!writes_) return recent_.keep(stream, bytes);
    for (auto* sink : stream.asked) sink->write(bytes);
  }

  std::map<std::string, Sink> sinks_;
  Stream out_, err_;
  int turns_;
  bool writes_, whole_lines_;
  std::optional<Passage> passage_;
  Recent recent_;
  std::array<char, 65536> part_{};
};

}  // namespace

bool hands_over(const launch::TaskSpec& task) {
  return !task.asked_out.empty() || !task.asked_err.empty();
}

bool is_shared(const launch::TaskSpec& task) { return task.tag && task.rank_socket.empty(); }

int copy_output(const launch::TaskSpec& task, int out, int err, int turns,
                const std::string& agent) {
  Copier copier(task, out, err, turns);
  if (is_shared(task) && !task.writer) copier.pass_on(Passage(agent, task.task));
  return copier.run();
}

}  // namespace wm::shepherd
