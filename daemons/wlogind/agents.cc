#include "daemons/wlogind/agents.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "libwm/http/listen.h"

namespace wm::login {
namespace {

constexpr int kListenFd = 3, kLockFd = 4, kGuestsFd = 5;

Error failed(const std::string& what) {
  return fail(Code::System, what + ": " + std::strerror(errno));
}

// With no permissions but ours, then given to nginx's account alone.
Result<int> listen_for(const std::string& path, uid_t web) {
  WM_TRY(auto fd, http::listen_at(path, 0600));
  if (::chown(path.c_str(), web, static_cast<gid_t>(-1)) == 0) return fd;
  auto error = failed(path);
  ::close(fd);
  return error;
}

/// What a wuserd inherits: where nginx asks, where other users' wuserd do, and its lock.
struct Handed {
  int listening, guests, lock;
};

// Its lock is held by the wuserd itself, as an open file that it inherits, for as long as it lives.
bool runs(int lock) { return ::flock(lock, LOCK_EX | LOCK_NB) != 0; }

[[noreturn]] void run_agent(const proc::Account& account, const AgentPlan& plan, Handed handed) {
  ::setsid();
  // None of them is where another is to be.
  for (int* fd : {&handed.listening, &handed.guests, &handed.lock})
    *fd = ::fcntl(*fd, F_DUPFD_CLOEXEC, kGuestsFd + 1);
  ::dup2(handed.listening, kListenFd);
  ::dup2(handed.lock, kLockFd);  // open until it ends
  ::dup2(handed.guests, kGuestsFd);
  if (!proc::become(account) || ::chdir("/") != 0) ::_exit(1);
  std::vector<std::string> words{plan.program,
                                 "--listen-fd",
                                 std::to_string(kListenFd),
                                 "--guests-fd",
                                 std::to_string(kGuestsFd),
                                 "--conf",
                                 plan.conf,
                                 "--token-key",
                                 plan.folder + "/token.pub",
                                 "--web-user",
                                 plan.web_user};
  std::vector<std::string> env{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + account.home,
                               "USER=" + account.name, "LOGNAME=" + account.name, "LANG=C.UTF-8"};
  for (const char* name : {"WM_CLUSTER_DIR", "WM_NODE", "LD_PRELOAD", "NSS_WRAPPER_HOSTS"})
    if (const char* value = ::getenv(name)) env.push_back(std::string(name) + "=" + value);
  std::vector<char*> argv, envp;
  for (auto& word : words) argv.push_back(word.data());
  for (auto& entry : env) envp.push_back(entry.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(1);
}

}  // namespace

Result<std::string> agent_of(const proc::Account& account, const AgentPlan& plan) {
  auto base = plan.folder + "/" + std::to_string(account.uid);
  auto socket_path = base + ".sock", lock_path = base + ".lock";
  // Not closed on exec under its copy: see run_agent.
  int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return failed(lock_path);
  if (runs(lock)) {
    ::close(lock);
    return socket_path;
  }
  auto listening = listen_for(socket_path, plan.web_uid);
  // Open to all: the kernel says who asks, the user's spaces say what a guest may do.
  auto guests = http::listen_at(base + ".guests.sock", 0666);
  bool both = listening && guests;
  pid_t child = both ? ::fork() : -1;
  if (child == 0) run_agent(account, plan, {*listening, *guests, lock});
  auto error = both ? failed("fork") : listening ? guests.error() : listening.error();
  if (listening) ::close(*listening);
  if (guests) ::close(*guests);
  ::close(lock);
  if (child < 0) return error;
  return socket_path;
}

}  // namespace wm::login
