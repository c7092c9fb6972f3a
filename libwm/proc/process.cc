#include "libwm/proc/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>

#include "libwm/base/clock.h"
#include "libwm/base/exit_status.h"

extern char** environ;

namespace wm::proc {
namespace {

constexpr std::size_t kMostVerdict = 64 << 10;  // the end of it is kept
constexpr std::size_t kMostLine = 400;
constexpr int kBlocksAtOnce = 64;  // a megabyte: what a pipe may hold when its writer has ended

using Moment = std::chrono::steady_clock::time_point;

/// What posix_spawn is to do, freed with it.
struct Orders {
  Orders() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  Orders(const Orders&) = delete;
  Orders& operator=(const Orders&) = delete;
  ~Orders() {
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
  }
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

// Own group, default signals, none blocked.
void set_manner(posix_spawnattr_t* attributes) {
  sigset_t all, none;
  ::sigfillset(&all);
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(attributes, &all);
  ::posix_spawnattr_setsigmask(attributes, &none);
  ::posix_spawnattr_setpgroup(attributes, 0);
  ::posix_spawnattr_setflags(
      attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

// `input` or /dev/null, what was given, and nothing else: also not what others of this process have
// opened without close-on-exec.
void set_descriptors(posix_spawn_file_actions_t* files, const Start& start, int input) {
  int last = STDERR_FILENO;
  if (input >= 0) ::posix_spawn_file_actions_adddup2(files, input, STDIN_FILENO);
  else ::posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (auto [ours, there] : start.descriptors) {
    ::posix_spawn_file_actions_adddup2(files, ours, there);
    last = std::max(last, there);
  }
  ::posix_spawn_file_actions_addclosefrom_np(files, last + 1);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const auto& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

Error not_started(const Start& start, int error) {
  auto code = error == ENOENT ? Code::NotFound : Code::System;
  return fail(code, start.words[0] + ": cannot be started: " + std::strerror(error));
}

// A file in memory, read from its beginning: a program need not read all of it, or any.
Result<Fd> file_of(const std::string& input) {
  if (input.empty()) return Fd();
  Fd fd(::memfd_create("input", MFD_CLOEXEC));
  if (!fd) return system_error("its input");
  WM_TRY(write_all(fd.get(), input, "its input"));
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

int milliseconds_until(Moment end) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

/// One stream of a program: what it has written so far.
struct Stream {
  Fd from;
  std::string text = {};
};

/// What run() and run_command() do with more than there is room for.
enum class More { Refuse, KeepEnd };

// What there is to read now, of one that never pauses a part; false: too much. The stream is closed
// where nobody holds the other end.
bool drain(Stream& stream, std::size_t most, More more) {
  std::array<char, 16 << 10> block;
  for (int i = 0; i < kBlocksAtOnce && stream.from; ++i) {
    auto n = ::read(stream.from.get(), block.data(), block.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n <= 0) stream.from.reset();
    else stream.text.append(block.data(), static_cast<std::size_t>(n));
    if (stream.text.size() <= most) continue;
    if (more == More::Refuse) return false;
    stream.text.erase(0, stream.text.size() - most / 2);
  }
  return true;
}

/// The end of a pipe that a program is to write to.
Result<Fd> end_for(Stream& stream) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("no pipe");
  stream.from.reset(ends[0]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Fd(ends[1]);
}

Error too_much(const Start& start, std::size_t most) {
  return fail(Code::Limit, start.words[0] + " was killed: it wrote more than " +
                               format_bytes(Bytes{static_cast<std::int64_t>(most)}));
}

// Takes what comes until the process itself has ended: what it leaves behind may hold a pipe for
// long. Its wait status.
Result<int> hear(const Start& start, Process& process, std::array<Stream, 2>& streams,
                 Duration limit, std::size_t most, More more) {
  auto until = steady_now() + limit;
  for (bool runs = true; runs;) {
    std::array<pollfd, 3> fds{{{process.descriptor(), POLLIN, 0},
                               {streams[0].from.get(), POLLIN, 0},
                               {streams[1].from.get(), POLLIN, 0}}};
    int left = milliseconds_until(until);
    ::poll(fds.data(), fds.size(), left);
    runs = fds[0].revents == 0;
    for (auto& stream : streams)
      if (!drain(stream, most, more)) return too_much(start, most);
    if (runs && left == 0)
      return fail(Code::Timeout, start.words[0] + " was killed after " + format_duration(limit));
  }
  return process.wait(Duration{});
}

std::string ended_how(int status) {
  if (WIFEXITED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
  return "was ended by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

Result<Process> Process::start(const Start& start) {
  if (start.words.empty()) return fail(Code::BadArgument, "no program to run");
  auto input = file_of(start.input);
  if (!input) return fail(input.error().code, start.words[0] + ": " + input.error().text);
  Orders orders;
  set_manner(&orders.attributes);
  set_descriptors(&orders.files, start, input->get());
  auto argv = pointers(start.words);
  auto variables = start.environment ? pointers(*start.environment) : std::vector<char*>{};
  char** envp = start.environment ? variables.data() : environ;
  pid_t pid = 0;
  int error = ::posix_spawnp(&pid, argv[0], &orders.files, &orders.attributes, argv.data(), envp);
  if (error != 0) return not_started(start, error);
  Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  error = errno;
  bool known = static_cast<bool>(ended);
  Process process(pid, std::move(ended));
  if (known) return process;
  process.reap();
  return not_started(start, error);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), status_(other.status_), ended_(std::move(other.ended_)) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this == &other) return *this;
  end(Duration{});
  pid_ = std::exchange(other.pid_, 0);
  status_ = other.status_;
  ended_ = std::move(other.ended_);
  return *this;
}

// As long as it is not reaped its number, and its group's, are nobody else's.
void Process::reap() {
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) continue;
  ended_.reset();
}

Result<int> Process::wait(Duration limit) {
  auto until = steady_now() + limit;
  while (ended_) {
    pollfd end{ended_.get(), POLLIN, 0};
    int left = milliseconds_until(until);
    if (::poll(&end, 1, left) > 0) reap();
    else if (left == 0) return fail(Code::Timeout, "process " + std::to_string(pid_) + " runs on");
  }
  return status_;
}

void Process::end(Duration patience) {
  if (!ended_) return;
  if (patience > Duration{}) ::kill(-pid_, SIGTERM);
  if (!wait(patience)) reap();
}

Result<Ended> run(const Start& start, Duration limit, Bytes most_output) {
  std::array<Stream, 2> streams;
  WM_TRY(auto out, end_for(streams[0]));
  WM_TRY(auto err, end_for(streams[1]));
  auto with_ends = start;
  with_ends.descriptors.insert(with_ends.descriptors.end(), {{out.get(), 1}, {err.get(), 2}});
  WM_TRY(auto process, Process::start(with_ends));
  out.reset();
  err.reset();
  auto most = static_cast<std::size_t>(most_output.value);
  WM_TRY(int status, hear(start, process, streams, limit, most, More::Refuse));
  return Ended{shell_status(status), std::move(streams[0].text), std::move(streams[1].text)};
}

Result<std::string> run_command(const std::vector<std::string>& words, Duration limit,
                                const std::string& input) {
  std::array<Stream, 2> streams;
  WM_TRY(auto to, end_for(streams[0]));
  Start start{words, input, {}, {{to.get(), 1}, {to.get(), 2}}};
  WM_TRY(auto process, Process::start(start));
  to.reset();
  WM_TRY(int status, hear(start, process, streams, limit, kMostVerdict, More::KeepEnd));
  auto& text = streams[0].text;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::move(text);
  auto said = last_line(text);
  return fail(Code::System, words[0] + " " + ended_how(status) + (said.empty() ? "" : ": " + said));
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  auto begin = text.rfind('\n');
  return std::string(text.substr(begin == text.npos ? 0 : begin + 1).substr(0, kMostLine));
}

}  // namespace wm::proc
