#include "daemons/wgatewayd/agents.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "libwm/base/log.h"
#include "libwm/http/listen.h"

extern char** environ;

namespace wm::gateway {
namespace {

constexpr int kLooks = 500;
constexpr auto kBetweenLooks = std::chrono::milliseconds(10);

}  // namespace

Agent::~Agent() {
  if (is_alive()) ::kill(pid_, SIGTERM);
}

bool Agent::is_alive() {
  if (pid_ == 0) return false;
  if (::waitpid(pid_, nullptr, WNOHANG) == 0) return true;
  pid_ = 0;
  return false;
}

Result<std::string> Agent::socket() {
  std::lock_guard lock(mutex_);
  if (!is_alive() && !http::is_answered(socket_)) WM_TRY(start());
  return socket_;
}

Result<void> Agent::start() {
  ::unlink(socket_.c_str());
  std::vector<char*> argv;
  for (auto& word : command_) argv.push_back(word.data());
  argv.push_back(nullptr);
  int error = ::posix_spawn(&pid_, argv[0], nullptr, nullptr, argv.data(), environ);
  if (error != 0) {
    pid_ = 0;
    return fail(Code::System, command_[0] + ": " + std::strerror(error));
  }
  log::info("wuserd_started", {{"pid", pid_}});
  for (int i = 0; i < kLooks; ++i) {
    if (http::is_answered(socket_)) return {};
    if (!is_alive()) return fail(Code::System, "wuserd ended as soon as it was started");
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return fail(Code::System, "wuserd does not listen");
}

}  // namespace wm::gateway
