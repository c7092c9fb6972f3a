#include "daemons/wlogind/agents.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>
#include <vector>

#include "libwm/base/log.h"
#include "libwm/files/own_folder.h"
#include "libwm/http/listen.h"

namespace wm::login {
namespace {

Error failed(const std::string& what) { return system_error(what); }

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

// systemd's journal, as a stream of the user's own: what is written there is told from what wlogind
// writes. Where there is none it goes nowhere.
int journal() {
  auto fd = http::connect_to("/run/systemd/journal/stdout");
  if (!fd) return ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  constexpr std::string_view kHead = "wuserd\n\n6\n1\n0\n0\n0\n";
  (void)write_all(*fd, kHead, "journal");
  return *fd;
}

// Opened while it is root: the folder is root's.
int log_file(const AgentPlan& plan, uid_t uid) {
  auto path = plan.logs + "/" + std::to_string(uid) + ".log";
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

// Nothing of wlogind's stays open in it: not its log, no question, no teller.
void take_descriptors(Handed handed) {
  for (int* fd : {&handed.listening, &handed.guests, &handed.lock})
    *fd = ::fcntl(*fd, F_DUPFD_CLOEXEC, kGuestsFd + 1);  // none is where another is to be
  ::dup2(handed.listening, kListenFd);
  ::dup2(handed.lock, kLockFd);  // open until it ends
  ::dup2(handed.guests, kGuestsFd);
  int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::close_range(kGuestsFd + 1, ~0U, CLOSE_RANGE_CLOEXEC);
}

void say_to(int log) {
  if (log < 0) log = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
}

// Where systemd runs the machine; elsewhere there are no scopes. Without one it goes on: the log
// says so.
void enter_scope(uid_t uid) {
  if (::access("/run/systemd/system", F_OK) != 0) return;
  auto words = scope_words(::getpid(), uid);
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  if (status != 0) log::warn("no_scope", {{"uid", uid}, {"status", status}});
}

[[noreturn]] void run_agent(const proc::Account& account, const AgentPlan& plan, Handed handed) {
  ::setsid();
  enter_scope(account.uid);
  // Where root may not, or users may themselves, its wuserd says what lacks.
  if (!plan.results.empty()) {
    (void)OwnFolder::give(plan.results, account.name, account.uid);
    (void)OwnFolder::give_open(plan.results, account.name, account.uid);
  }
  take_descriptors(handed);
  if (!plan.logs.empty()) say_to(log_file(plan, account.uid));
  if (!bind_down() || !proc::become(account) || ::chdir("/") != 0) ::_exit(1);
  if (plan.logs.empty()) say_to(journal());
  auto words = agent_words(plan), env = agent_environment(account, plan);
  std::vector<char*> argv, envp;
  for (auto& word : words) argv.push_back(word.data());
  for (auto& entry : env) envp.push_back(entry.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(1);
}

// Held by descriptor, never written: what lies in its place is no file of another's. A pipe there
// is not waited for.
Result<Fd> open_lock(const std::string& path) {
  Fd lock(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!lock) return failed(path);
  struct stat is {};
  bool own = ::fstat(lock.get(), &is) == 0 && S_ISREG(is.st_mode) && is.st_uid == ::geteuid();
  if (!own) return fail(Code::Denied, path + ": no file of our own");
  return lock;
}

}  // namespace

bool agent_runs(const proc::Account& account, const AgentPlan& plan) {
  auto lock = open_lock(plan.folder + "/" + std::to_string(account.uid) + ".lock");
  return lock && runs(lock->get());
}

Result<std::string> agent_of(const proc::Account& account, const AgentPlan& plan) {
  auto base = plan.folder + "/" + std::to_string(account.uid);
  auto socket_path = base + ".sock", lock_path = base + ".lock";
  WM_TRY(auto lock, open_lock(lock_path));
  if (runs(lock.get())) return socket_path;
  WM_TRY(auto made, listen_for(socket_path, plan.web_uid));
  Fd listening(made);
  // Open to all: the kernel says who asks, the user's spaces say what a guest may do.
  WM_TRY(auto open, http::listen_at(base + ".guests.sock", 0666));
  Fd guests(open);
  pid_t child = ::fork();
  if (child == 0) run_agent(account, plan, {listening.get(), guests.get(), lock.get()});
  if (child < 0) return failed("fork");
  return socket_path;
}

}  // namespace wm::login
