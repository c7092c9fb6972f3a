#include "libwm/proc/spawn.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "libwm/files/own_folder.h"
#include "libwm/proc/cgroup.h"
#include "libwm/proc/output_file.h"
#include "libwm/proc/rank_call.h"

namespace wm::proc {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void reset_signals(bool hold_term) {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t held;
  ::sigemptyset(&held);
  if (hold_term) ::sigaddset(&held, SIGTERM);
  ::sigprocmask(SIG_SETMASK, &held, nullptr);
}

/// A limit above the host's hard limit is lowered to it: raising needs a capability that
/// root in a container does not have.
void limit_resources(const std::vector<launch::ResourceCap>& caps) {
  for (const auto& cap : caps) {
    rlimit limit{};
    auto which = static_cast<__rlimit_resource>(cap.resource);
    if (::getrlimit(which, &limit) != 0) continue;
    limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(cap.amount, limit.rlim_max);
    ::setrlimit(which, &limit);
  }
}

void bind_cpus(const std::vector<std::uint32_t>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (auto cpu : cpus) CPU_SET(cpu, &set);
  ::sched_setaffinity(0, sizeof(set), &set);
}

/// Kept over exec and fork. By the kernel's own call: programs that start tasks carry no library
/// for it. What the kernel cannot do, or the cgroup does not allow, is left: the task runs unbound.
/// @source Linux, set_mempolicy(2)
void bind_memory(const launch::MemoryBinding& memory) {
  constexpr std::uint32_t kBits = 64, kMost = 1024;
  std::array<std::uint64_t, kMost / kBits> mask{};
  for (auto node : memory.nodes)
    if (node < kMost) mask[node / kBits] |= std::uint64_t{1} << node % kBits;
  auto set = [&](int mode) { return ::syscall(SYS_set_mempolicy, mode, mask.data(), kMost) == 0; };
  auto policies = memory_policies(memory);
  (void)std::any_of(policies.begin(), policies.end(), set);
}

Result<void> enter_cwd(const Exec& exec) {
  if (::chdir(exec.cwd.c_str()) == 0) return {};
  if (errno == ENOENT && exec.make_cwd) {
    WM_TRY(make_folders(exec.cwd));
    if (::chdir(exec.cwd.c_str()) == 0) return {};
  }
  return system_error("working directory " + exec.cwd);
}

/// Made as the user, and refused unless nobody else can have put it there: what is read from it
/// later, a checkpoint say, runs as the user.
Result<void> make_own_folders(const std::string& results, const std::string& folder) {
  WM_TRY(make_folders(results));
  auto made = OwnFolder::make(results, folder, ::geteuid());
  return made ? Result<void>() : made.error();
}

Result<void> enter_files(const Exec& exec) {
  auto results = exec.outputs != nullptr ? exec.outputs->results : "";
  for (const auto& folder : exec.folders) {
    bool owned = !results.empty() && folder.starts_with(results + "/");
    WM_TRY(owned ? make_own_folders(results, folder) : make_folders(folder));
  }
  if (exec.outputs != nullptr) {
    WM_TRY(make_outputs(exec.outputs->out));
    WM_TRY(make_outputs(exec.outputs->err));
    if (exec.outputs->writer) WM_TRY(make_outputs(exec.outputs->asked_out));
    if (exec.outputs->writer) WM_TRY(make_outputs(exec.outputs->asked_err));
  }
  if (exec.in.empty()) return {};
  int in = ::open(exec.in.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return system_error("input file " + exec.in);
  ::dup2(in, 0);
  return {};
}

Result<void> connect_streams(const Exec& exec) {
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(null, 0);
  ::dup2(exec.out >= 0 ? exec.out : null, 1);
  ::dup2(exec.err >= 0 ? exec.err : null, 2);
  if (exec.ends) return enter_console(*exec.ends);
  if (exec.console) return call_console(*exec.console);
  return {};
}

/// The daemon may be spared by the kernel's memory killer; a job must not be.
void be_killable_for_memory() {
  Fd fd(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (fd) (void)!::write(fd.get(), "0", 1);
}

/// What has to happen as the privileged user, then as the job's, up to its folder.
Result<void> prepare(const Exec& exec) {
  ::setsid();
  reset_signals(exec.hold_term);
  be_killable_for_memory();
  WM_TRY(join_cgroups(exec.cgroups));
  limit_resources(exec.caps);
  if (exec.nice != 0) ::setpriority(PRIO_PROCESS, 0, exec.nice);  // below 0 root alone may
  bind_cpus(exec.cpus);
  if (exec.memory) bind_memory(*exec.memory);
  WM_TRY(become(exec.account));
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::umask(exec.umask);
  return {};
}

/// On the pipe the hindrance is the first byte, the text the rest.
[[noreturn]] void give_up(int trouble, Hindrance hindrance, const std::string& text, int status) {
  auto line = text + "\n";
  auto told = static_cast<char>(hindrance) + text;
  (void)!::write(trouble, told.data(), told.size());
  (void)!::write(2, line.data(), line.size());  // the user looks at stderr first
  ::_exit(status);
}

/// The variables of a rank: complete once its agent has spoken. An agent that has its output holds
/// our first one: when that one ends, the shepherd sees that all of it is written.
Result<std::vector<std::string>> environment_of_rank(const Exec& exec) {
  RankCall call{exec.rank->task, exec.rank->rank, exec.rank->tag};
  RankStreams streams;
  WM_TRY(auto answer, call_for_rank(exec.rank->rank_socket, call, streams));
  if (streams.out) ::dup2(streams.out.get(), 1);
  if (streams.err) ::dup2(streams.err.get(), 2);
  return with_answer(exec.env, answer);
}

/// What exec(2) takes. Made before the fork: a child that allocates copies page after page.
struct Words {
  std::vector<char*> argv, env;
};

[[noreturn]] void run_child(const Exec& exec, Words& words, int trouble, pid_t parent) {
  constexpr int kNotStarted = 2;
  auto need = [&](Hindrance hindrance, const Result<void>& done) {
    if (!done) give_up(trouble, hindrance, done.error().text, kNotStarted);
  };
  need(Hindrance::NotReady, prepare(exec));
  need(Hindrance::OwnFault, connect_streams(exec));
  need(Hindrance::NoFolder, enter_cwd(exec));
  need(Hindrance::OwnFault, enter_files(exec));
  std::vector<std::string> env_of_rank;
  if (exec.rank != nullptr) {
    auto told = environment_of_rank(exec);
    if (!told) give_up(trouble, Hindrance::OwnFault, told.error().text, kNotStarted);
    env_of_rank = std::move(*told);
    words.env = pointers_to(env_of_rank);
  }
  if (::getppid() != parent) ::_exit(1);  // the shepherd died before PDEATHSIG was set
  ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
  if (exec.keep >= 0) ::fcntl(exec.keep, F_SETFD, 0);
  ::environ = words.env.data();
  ::execvp(words.argv[0], words.argv.data());
  int status = errno == ENOENT ? 127 : 126;
  give_up(trouble, Hindrance::NoProgram, exec.argv[0] + ": " + std::strerror(errno), status);
}

}  // namespace

Trouble read_trouble(Fd& pipe) {
  char told[512];
  auto n = ::read(pipe.get(), told, sizeof told);
  pipe.reset();
  if (n <= 0) return {};
  return {static_cast<Hindrance>(told[0]), std::string(told + 1, static_cast<std::size_t>(n) - 1)};
}

std::vector<int> memory_policies(const launch::MemoryBinding& memory) {
  constexpr int kPreferred = 1, kBind = 2, kPreferredMany = 5;  // the last since Linux 5.15
  if (memory.nodes.empty()) return {};
  if (memory.only) return {kBind};
  return {kPreferredMany, kPreferred};  // kPreferred: the lowest of them
}

Result<Child> spawn(const Exec& exec) {
  if (exec.argv.empty()) return fail(Code::BadArgument, "task without a command");
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return system_error("pipe");
  Fd read_end(pipe[0]), write_end(pipe[1]);
  auto parent = ::getpid();
  Words words{pointers_to(exec.argv), pointers_to(exec.env)};
  // a signal sent to the child before it has default actions must wait, not be ignored
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  auto pid = ::fork();
  if (pid == 0) run_child(exec, words, write_end.get(), parent);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return system_error("fork");
  return Child{pid, std::move(read_end)};
}

Result<void> become(const launch::Account& account) {
  if (::geteuid() != 0) {
    if (account.uid == ::geteuid()) return {};
    return fail(Code::Denied, "not root: cannot run as uid " + std::to_string(account.uid));
  }
  std::vector<gid_t> groups(account.groups.begin(), account.groups.end());
  if (::setgroups(groups.size(), groups.data()) != 0) return system_error("setgroups");
  if (::setresgid(account.gid, account.gid, account.gid) != 0) return system_error("setgid");
  if (::setresuid(account.uid, account.uid, account.uid) != 0) return system_error("setuid");
  return {};
}

void close_all_but(const std::vector<int>& keep) {
  auto sorted = keep;
  std::sort(sorted.begin(), sorted.end());
  unsigned from = 3;
  for (int fd : sorted) {
    if (fd < static_cast<int>(from)) continue;
    if (static_cast<unsigned>(fd) > from) ::close_range(from, static_cast<unsigned>(fd) - 1, 0);
    from = static_cast<unsigned>(fd) + 1;
  }
  ::close_range(from, ~0u, 0);
}

Result<void> make_folders(const std::string& path) {
  for (std::size_t at = 1; at <= path.size(); ++at) {
    if (at < path.size() && path[at] != '/') continue;
    auto part = path.substr(0, at);
    if (::mkdir(part.c_str(), 0777) == 0 || errno == EEXIST) continue;
    struct stat there {};  // read-only parents say EROFS or EACCES even when they exist
    auto error = system_error("mkdir " + part);
    if (::stat(part.c_str(), &there) != 0) return error;
  }
  return {};
}

}  // namespace wm::proc
