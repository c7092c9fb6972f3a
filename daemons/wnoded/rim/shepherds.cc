#include "daemons/wnoded/rim/shepherds.h"

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>

#include "libwm/base/clock.h"
#include "libwm/base/log.h"
#include "libwm/frames/blocking.h"

namespace wm::node {
namespace {

namespace fs = std::filesystem;

/// From a sweep that failed, as no process was to be had, to the next.
constexpr std::chrono::seconds kSweepPause{2};
/// A reader that says nothing for so long reads from a file system that hangs.
constexpr std::chrono::seconds kReadLimit{10};

/// posix_spawn: safe whatever threads there are, unlike fork.
Result<void> spawn_zygote(const HostFolders& folders, int fd) {
  constexpr int kChildFd = 3;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, fd, kChildFd);  // clears close-on-exec there
  std::vector<std::string> words = {"wshepherd-of-" + folders.node,
                                    "--zygote",
                                    std::to_string(kChildFd),
                                    "--run",
                                    folders.run,
                                    "--exits",
                                    folders.exits,
                                    "--node",
                                    folders.node};
  if (!folders.cgroups.empty()) words.insert(words.end(), {"--cgroup", folders.cgroups});
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  int error = ::posix_spawn(&pid, folders.program.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return {};
  errno = error;
  return system_error("start " + folders.program);
}

/// "12-0.1.4711.sock" → the attempt. @errors BadArgument
Result<launch::AttemptKey> key_of(const fs::path& path) {
  auto name = path.stem().string();
  return launch::parse_attempt_key(name.substr(0, name.rfind('.')));
}

/// What wnoded's start waits for first words of shepherds that listen, busy or stopped.
constexpr std::chrono::seconds kGreetingLimit{2};
/// What has begun to speak comes to the end of its word at once.
constexpr timeval kWordLimit{2, 0};

/// Waits for the first byte, or the end of the connection.
bool speaks(int fd, std::chrono::steady_clock::time_point until) {
  using std::chrono::milliseconds;
  auto left = std::chrono::ceil<milliseconds>(until - steady_now());
  pollfd word{fd, POLLIN, 0};
  return ::poll(&word, 1, static_cast<int>(std::max(left, milliseconds(0)).count())) == 1;
}

/// The first word of a shepherd. @errors Timeout: it listens, and says nothing yet
Result<launch::ShepherdUp> greeting(int fd, std::chrono::steady_clock::time_point until) {
  if (!speaks(fd, until)) return fail(Code::Timeout, "it listens, and says nothing");
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kWordLimit, sizeof(kWordLimit));
  WM_TRY(auto bytes, frames::read_frame(fd));
  if (!bytes) return fail(Code::Unavailable, "closed");
  WM_TRY(auto word, launch::word_from_bytes(*bytes));
  auto* up = std::get_if<launch::ShepherdUp>(&word);
  if (up == nullptr || up->version != launch::kLauncherVersion)
    return fail(Code::Version, "a shepherd of another release");
  return *up;
}

}  // namespace

Shepherds::Shepherds(boost::asio::io_context& loop, HostFolders folders)
    : loop_(loop), folders_(std::move(folders)) {}

Result<void> Shepherds::start_zygote() {
  WM_TRY(auto pair, proc::socket_pair());
  WM_TRY(spawn_zygote(folders_, pair.second.get()));
  zygote_ = std::move(pair.first);
  return {};
}

/// All are connected before the first is waited for: they have the same time, together.
Result<Shepherds::Found> Shepherds::find_old() {
  Found found;
  std::vector<std::pair<launch::AttemptKey, Result<Fd>>> sockets;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folders_.run, ignored)) {
    if (entry.path().extension() != ".sock") continue;
    if (auto key = key_of(entry.path()))
      sockets.emplace_back(*key, proc::connect_unix(entry.path()));
  }
  auto until = steady_now() + kGreetingLimit;
  for (auto& [key, fd] : sockets) {
    if (!fd && fd.error().code != Code::Unavailable) return fd.error();
    auto up = fd ? greeting(fd->get(), until) : Result<launch::ShepherdUp>(fd.error());
    bool late = !up && up.error().code == Code::Timeout;
    if (!up && !late) {
      log::warn("shepherd_gone", {{"attempt", to_string(key)}, {"why", up.error().text}});
      found.lost.push_back(key);
      continue;
    }
    if (late) found.late.push_back(key);
    else found.living.push_back(*up);
    connections_[key] =
        std::make_unique<frames::Stream>(loop_, fd->release(), frames::Stream::Limits{});
  }
  return found;
}

void Shepherds::listen(OnWord on_word, OnLost on_lost) {
  on_word_ = std::move(on_word);
  on_lost_ = std::move(on_lost);
  for (const auto& [key, connection] : connections_) serve(key);
}

void Shepherds::serve(const launch::AttemptKey& key) {
  connections_.at(key)->start([this, key](std::string bytes) { on_frame(key, bytes); },
                              [this, key] { on_closed(key); });
}

void Shepherds::on_frame(const launch::AttemptKey& key, const std::string& bytes) {
  auto word = launch::word_from_bytes(bytes);
  if (!word) return log::warn("word_damaged", {{"attempt", to_string(key)}});
  // the key is free before the core hears of it: it may start the attempt's next shepherd
  if (std::holds_alternative<launch::AttemptEnded>(*word)) {
    connections_.erase(key);
    sweeps_.erase(key);
  }
  on_word_(key, *word);
}

void Shepherds::on_closed(const launch::AttemptKey& key) {
  connections_.erase(key);
  if (sweeps_.contains(key)) return sweep_later(key, "the sweeper ended before it was done");
  on_lost_(key);
}

Result<std::unique_ptr<frames::Stream>> Shepherds::fork_with(const launch::ShepherdOrder& order) {
  WM_TRY(auto pair, proc::socket_pair());
  if (!proc::send_fd(zygote_.get(), pair.second.get())) {
    log::warn("zygote_lost", {{"remedy", "another is started"}});
    WM_TRY(start_zygote());
    WM_TRY(proc::send_fd(zygote_.get(), pair.second.get()));
  }
  auto socket =
      std::make_unique<frames::Stream>(loop_, pair.first.release(), frames::Stream::Limits{});
  socket->send(to_bytes(order));
  return socket;
}

void Shepherds::start(const launch::AttemptSpec& spec) {
  auto socket = fork_with(spec);
  if (!socket) return fail_later(spec.key, socket.error());
  connections_[spec.key] = *std::move(socket);
  serve(spec.key);
}

void Shepherds::fail_later(const launch::AttemptKey& key, const Error& error) {
  launch::ExitRecord record;
  record.key = key;
  record.cause = launch::EndCause::StartFailed;
  record.text = "no shepherd could be started: " + error.text;
  boost::asio::post(loop_, [this, record] { on_word_(record.key, launch::AttemptEnded{record}); });
}

void Shepherds::tell(const launch::AttemptKey& key, const launch::ShepherdOrder& order) {
  auto at = connections_.find(key);
  if (at != connections_.end()) at->second->send(to_bytes(order));
}

void Shepherds::sweep(const launch::Sweep& sweep) {
  sweeps_[sweep.key] = sweep;
  begin_sweep(sweep.key);
}

void Shepherds::begin_sweep(const launch::AttemptKey& key) {
  auto socket = fork_with(sweeps_.at(key));
  if (!socket) return sweep_later(key, socket.error().text);
  connections_[key] = *std::move(socket);
  serve(key);
}

/// No end may be told before it is proven that nothing is left.
void Shepherds::sweep_later(const launch::AttemptKey& key, const std::string& why) {
  log::warn("sweep_failed",
            {{"attempt", to_string(key)}, {"why", why}, {"remedy", "it is begun again"}});
  auto timer = std::make_shared<boost::asio::steady_timer>(loop_, kSweepPause);
  timer->async_wait([this, timer, key = key](auto ec) {
    if (!ec && sweeps_.contains(key)) begin_sweep(key);
  });
}

void Shepherds::read(const launch::ReadFile& file,
                     std::function<void(Result<launch::FileRead>)> done) {
  auto socket = fork_with(file);
  if (!socket) {
    boost::asio::post(loop_, [done, error = socket.error()] { done(error); });
    return;
  }
  auto id = next_reader_++;
  auto answered = std::make_shared<bool>(false);
  auto timer = std::make_shared<boost::asio::steady_timer>(loop_, kReadLimit);
  auto answer = [this, id, done, answered, timer](Result<launch::FileRead> read) {
    if (std::exchange(*answered, true)) return;
    timer->cancel();
    auto old = std::shared_ptr<frames::Stream>(std::move(readers_[id]));
    readers_.erase(id);
    boost::asio::post(loop_, [old] {});
    done(std::move(read));
  };
  auto& reader = readers_[id] = *std::move(socket);
  reader->start(
      [answer](const std::string& bytes) {
        auto word = launch::word_from_bytes(bytes);
        auto* read = word ? std::get_if<launch::FileRead>(&*word) : nullptr;
        answer(read ? Result(*read) : fail(Code::Damaged, "damaged answer of a reader"));
      },
      [answer] { answer(fail(Code::System, "the reader ended without an answer")); });
  timer->async_wait([answer, path = file.file.path](auto ec) {
    if (!ec) answer(fail(Code::Timeout, "reading " + path + " took longer than 10 s"));
  });
}

}  // namespace wm::node
