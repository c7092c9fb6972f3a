#include "libwm/trainer/link.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>

#include "libwm/base/clock.h"
#include "libwm/codec/codec.h"
#include "libwm/model/node/worker_key.h"

namespace wm::trainer {
namespace {

using namespace std::chrono_literals;

constexpr Duration kRetry = 100ms;  // between tries to connect (W-2)
constexpr Duration kReport = 1s;    // between reports of progress (W-11)
constexpr Duration kFarewell = 1s;  // for the last words
constexpr std::size_t kKey = 32;

std::string frame(const FromWorker& words) { return frames::frame(codec::encode(words)); }

bool is_key(const Result<WorkerKey>& given) { return given && given->key.size() == kKey; }

int open_socket(const std::string& path) {
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

// Held by threads of links while they do not sleep. A worker forks loaders and parameter servers,
// and a fork copies the C library's own locks as they are: one that such a thread held then (that
// of atexit, which the first use of a static takes) would stay taken in the child for ever. So a
// fork waits until they sleep. @source fork(2), pthread_atfork(3)
std::mutex awake;

void forks_wait() {
  static const int once =
      ::pthread_atfork([] { awake.lock(); }, [] { awake.unlock(); }, [] { awake.unlock(); });
  (void)once;
}

int poll_ms(Duration limit) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(limit).count());
}

}  // namespace

Result<std::unique_ptr<Link>> Link::open(std::string path, WorkerHello hello) {
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    return fail(Code::Limit, "elastic socket '" + path + "': longer than " +
                                 std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes");
  int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) return fail(Code::System, std::string("eventfd: ") + std::strerror(errno));
  return std::unique_ptr<Link>(new Link(std::move(path), hello, wake));
}

Link::Link(std::string path, WorkerHello hello, int wake)
    : path_(std::move(path)), wake_(wake), standing_(hello) {
  if (path_.empty()) return;
  forks_wait();
  thread_ = std::thread([this] { run(); });
}

Link::~Link() {
  closing_ = true;
  stop();
  wake();
  if (thread_.joinable()) thread_.join();
  disconnect();
  ::close(wake_);
}

void Link::say(FromWorker words) {
  if (path_.empty()) return;
  {
    std::lock_guard hold(lock_);
    if (standing_.is_reporter()) return;
    standing_.note(words);
    outbox_.push_back(std::move(words));
  }
  wake();
}

std::optional<ToWorker> Link::wait(Duration limit) {
  std::unique_lock hold(lock_);
  auto ready = [this] { return stopped_ || !events_.empty(); };
  if (limit < Duration::zero()) {
    heard_.wait(hold, ready);
  } else {
    heard_.wait_for(hold, limit, ready);
  }
  if (stopped_ || events_.empty()) return std::nullopt;
  ToWorker words = std::move(events_.front());
  events_.pop_front();
  return words;
}

std::optional<std::string> Link::key(Duration limit) {
  std::unique_lock hold(lock_);
  auto ready = [this] { return stopped_ || !key_.empty(); };
  if (limit < Duration::zero()) {
    heard_.wait(hold, ready);
  } else {
    heard_.wait_for(hold, limit, ready);
  }
  if (stopped_ || key_.empty()) return std::nullopt;
  return key_;
}

void Link::stop() {
  {
    std::lock_guard hold(lock_);
    stopped_ = true;
  }
  heard_.notify_all();
}

void Link::set_progress(WorkerProgress progress) {
  std::lock_guard hold(lock_);
  progress_ = progress;
  bool first = standing_.is_reporter() && reported_ == 0;
  if (first) wake();
}

void Link::wake() {
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(wake_, &one, sizeof one);  // full counter: already awake
}

void Link::run() {
  std::lock_guard hold(awake);
  TimePoint deadline{};
  while (true) {
    if (closing_ && deadline == TimePoint{}) deadline = steady_now() + kFarewell;
    if (socket_ < 0) connect();
    fill_output();
    write_output();
    bool said = output_.empty() && socket_ >= 0;
    if (closing_ && (said || steady_now() >= deadline)) return;
    report_progress(steady_now());
    exchange(socket_ < 0 ? kRetry : closing_ ? Duration(10ms) : kReport);
  }
}

void Link::connect() {
  socket_ = open_socket(path_);
  if (socket_ < 0) return;
  input_.clear();
  output_.clear();
  std::lock_guard hold(lock_);
  outbox_.clear();  // what still holds of it is repeated
  for (const auto& words : standing_.again()) output_ += frame(words);
}

void Link::disconnect() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

// Sleeps until there is something to read, to write or to say; reads what there is.
void Link::exchange(Duration limit) {
  std::array<pollfd, 2> fds{pollfd{wake_, POLLIN, 0}, pollfd{socket_, POLLIN, 0}};
  if (!output_.empty()) fds[1].events |= POLLOUT;
  awake.unlock();
  ::poll(fds.data(), socket_ < 0 ? 1 : 2, poll_ms(limit));
  awake.lock();
  std::uint64_t count = 0;
  [[maybe_unused]] auto n = ::read(wake_, &count, sizeof count);  // only to reset it
  if (socket_ >= 0 && (fds[1].revents & (POLLIN | POLLHUP | POLLERR))) read_frames();
}

void Link::read_frames() {
  std::array<char, 16384> chunk;
  auto n = ::recv(socket_, chunk.data(), chunk.size(), 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return disconnect();
  input_.add({chunk.data(), static_cast<std::size_t>(n)});
  while (take_frame()) {
  }
}

// Takes one whole frame off the input; a bad one ends the connection (F-1).
bool Link::take_frame() {
  auto piece = input_.next();
  if (piece && !*piece) return false;
  auto payload = piece ? (*piece)->payload : std::string_view();
  auto given = codec::decode<WorkerKey>(payload);
  auto words = codec::decode<ToWorker>(payload);
  if (!piece || (!words && !is_key(given))) {
    disconnect();
    input_.clear();
    return false;
  }
  if (is_key(given)) keep(std::move(given->key));
  else hear(*words);
  return words.has_value();
}

void Link::keep(std::string key) {
  {
    std::lock_guard hold(lock_);
    key_ = std::move(key);
  }
  heard_.notify_all();
}

void Link::hear(const ToWorker& words) {
  {
    std::lock_guard hold(lock_);
    if (!standing_.admits(words)) return;
    events_.push_back(words);
  }
  heard_.notify_all();
}

void Link::fill_output() {
  if (socket_ < 0) return;
  std::lock_guard hold(lock_);
  for (const auto& words : outbox_) output_ += frame(words);
  outbox_.clear();
}

void Link::write_output() {
  if (socket_ < 0 || output_.empty()) return;
  auto n = ::send(socket_, output_.data(), output_.size(), MSG_NOSIGNAL);
  if (n > 0) output_.erase(0, static_cast<std::size_t>(n));
  if (n < 0 && errno != EAGAIN && errno != EINTR) disconnect();
}

void Link::report_progress(TimePoint at) {
  if (socket_ < 0 || at < next_report_) return;
  std::lock_guard hold(lock_);
  // What a reporter says means that there were steps: the master measures by it how long there
  // were none around a new start.
  if (standing_.is_reporter() && progress_.step == reported_) return;
  next_report_ = at + kReport;
  WorkerProgress progress = progress_;
  reported_ = progress.step;
  progress.in_collective = in_collective_;
  output_ += frame(progress);
}

}  // namespace wm::trainer
