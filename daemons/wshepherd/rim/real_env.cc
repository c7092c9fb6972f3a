#include "daemons/wshepherd/rim/real_env.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "daemons/wshepherd/user/log_file.h"
#include "libwm/base/clock.h"
#include "libwm/base/log_text.h"
#include "libwm/proc/exit_log.h"

namespace wm::shepherd {
namespace {

wm::Usage usage_of(const rusage& used) {
  auto time = [](const timeval& t) { return std::chrono::seconds(t.tv_sec) + Duration(t.tv_usec); };
  constexpr std::int64_t kBlock = 512;  // of ru_inblock and ru_oublock
  return {time(used.ru_utime) + time(used.ru_stime), Bytes{used.ru_maxrss * 1024L},
          Bytes{used.ru_inblock * kBlock}, Bytes{used.ru_oublock * kBlock}};
}

/// POLL… of a descriptor at this moment.
short events_of(const Fd& fd) {
  pollfd look{fd.get(), POLLIN, 0};
  ::poll(&look, 1, 0);
  return look.revents;
}

}  // namespace

TimePoint RealEnv::now() { return steady_now(); }

WallTime RealEnv::wall() { return wall_now(); }

std::vector<pid_t> RealEnv::descendants_of(pid_t root, const std::set<pid_t>& except) {
  return proc::descendants_of(root, except);
}

std::vector<pid_t> RealEnv::children_of(pid_t pid) { return proc::children_of(pid); }

std::optional<proc::ProcessStat> RealEnv::stat(pid_t pid) {
  proc::ProcessStat stat;
  return proc::read_stat(pid, stat) ? std::optional(stat) : std::nullopt;
}

std::string RealEnv::variable_of(pid_t pid, std::string_view name) {
  return proc::variable_of(pid, name);
}

std::vector<std::string> RealEnv::arguments_of(pid_t pid) { return proc::arguments_of(pid); }

std::vector<std::string> RealEnv::environment_of(pid_t pid) { return proc::environment_of(pid); }

std::string RealEnv::name_of(pid_t pid) { return proc::name_of(pid); }

bool RealEnv::handles(pid_t pid, int signal) { return proc::handles(pid, signal); }

proc::Use RealEnv::use_of(const std::vector<pid_t>& pids) { return proc::use_of(pids); }

Bytes RealEnv::fair_mem_of(const std::vector<pid_t>& pids) { return proc::fair_mem_of(pids); }

bool RealEnv::kill(pid_t pid, int signal) { return ::kill(pid, signal) == 0; }

void RealEnv::signal_tree(pid_t leader, int signal) { proc::signal_tree(leader, signal); }

void RealEnv::signal_handlers_of(pid_t leader, int signal) {
  proc::signal_handlers_of(leader, signal);
}

void RealEnv::continue_tree(pid_t leader) { proc::continue_stopped(proc::tree_of(leader)); }

void RealEnv::stop_all(const std::function<std::vector<pid_t>()>& list) { proc::stop_all(list); }

void RealEnv::kill_all(const std::function<std::vector<pid_t>()>& list) { proc::kill_all(list); }

pid_t RealEnv::self() { return ::getpid(); }

launch::Account RealEnv::own_account() { return {::geteuid(), ::getegid(), {}}; }

Result<proc::Child> RealEnv::spawn(const proc::Exec& exec) { return proc::spawn(exec); }

Result<pid_t> RealEnv::fork_as_user(const UserPart& part, const std::function<int()>& work) {
  return shepherd::fork_as_user(part, work);
}

proc::Trouble RealEnv::trouble_of(Fd& pipe) { return proc::read_trouble(pipe); }

std::optional<Exit> RealEnv::reap() {
  int status = 0;
  rusage used{};
  auto pid = ::wait4(-1, &status, WNOHANG, &used);
  if (pid <= 0) return std::nullopt;
  return Exit{pid, status, usage_of(used)};
}

bool RealEnv::childless() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

std::string RealEnv::make(const proc::CgroupCaps& caps) {
  std::string trouble;
  if (!place_.cgroups.empty())
    group_ = proc::Cgroup::make(place_.cgroups, group_name_, caps, trouble);
  return trouble;
}

Result<void> RealEnv::deny(const std::set<launch::CharDevice>& devices) {
  return guard_.deny(group_, devices);
}

Result<Pipe> RealEnv::pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return system_error("pipe");
  return Pipe{Fd(fds[0]), Fd(fds[1])};
}

Waiting RealEnv::look(const Fd& pipe) {
  auto events = events_of(pipe);
  if ((events & POLLIN) != 0) return Waiting::Bytes;
  return events != 0 ? Waiting::End : Waiting::Nothing;
}

std::string RealEnv::read_waiting(const Fd& pipe) {
  std::array<char, 4096> bytes{};
  auto n = events_of(pipe) != 0 ? ::read(pipe.get(), bytes.data(), bytes.size()) : 0;
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

void RealEnv::write(const Fd& pipe, std::string_view bytes) {
  (void)!::write(pipe.get(), bytes.data(), bytes.size());
}

void RealEnv::make_folder(const std::string& path, const launch::Account& owner) {
  ::mkdir(path.c_str(), 0700);
  if (::geteuid() == 0) (void)!::lchown(path.c_str(), owner.uid, owner.gid);
}

// A file that was cut short would be run, or read, as if it were whole.
Result<void> RealEnv::put_file(const std::string& folder, const launch::SmallFile& file,
                               const launch::Account& owner) {
  auto path = folder + "/" + file.name;
  ::unlink(path.c_str());
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
               file.executable ? 0700 : 0600));
  if (!fd) return system_error("make " + path);
  if (::geteuid() == 0) (void)!::fchown(fd.get(), owner.uid, owner.gid);
  auto written = write_all(fd.get(), file.text, path);
  if (written && ::close(fd.release()) != 0) written = system_error("close " + path);
  if (!written) ::unlink(path.c_str());
  return written;
}

Fd RealEnv::open_log(const std::string& path) { return shepherd::open_log(path); }

void RealEnv::remove_folder(const std::string& path, const launch::Account& owner) {
  auto pid = shepherd::fork_as_user({owner, "/", 022, {}}, [&path] {
    ::alarm(10);
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored))
      std::filesystem::remove_all(entry.path(), ignored);
    return 0;
  });
  if (pid) ::waitpid(*pid, nullptr, 0);
  ::rmdir(path.c_str());
}

Result<void> RealEnv::append_exits(const std::vector<launch::ExitRecord>& records) {
  return proc::append_exits(place_.exits, records);
}

void RealEnv::complain(const std::string& text) {
  std::fprintf(stderr, "wshepherd %s: %s\n", to_string(key_).c_str(), log::one_line(text).c_str());
}

}  // namespace wm::shepherd
