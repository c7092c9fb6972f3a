#include "libwm/proc/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>

#include "libwm/base/clock.h"
#include "libwm/launch/launcher.h"
#include "libwm/proc/channel.h"
#include "libwm/proc/proc_files.h"

namespace wm::proc {
namespace {

/// Entries of a /proc folder that are numbers.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> pids;
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr) return pids;
  while (const auto* entry = ::readdir(folder))
    if (int pid = std::atoi(entry->d_name); pid > 0) pids.push_back(pid);
  ::closedir(folder);
  return pids;
}

/// Through the pidfd; without one (gone, or too many open) by number.
void signal_held(int fd, pid_t pid, int signal) {
  if (fd >= 0) ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0);
  else ::kill(pid, signal);
}

/// Processes that were stopped, each held by a descriptor.
using Held = std::map<pid_t, Fd>;

/// Clock ticks since boot, as /proc counts start times.
std::uint64_t ticks_now() {
  auto rate = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return static_cast<std::uint64_t>(boot_now().time_since_epoch().count()) * rate / 1'000'000;
}

/// Stops one process, unless its number has been given to another since `listed`.
bool stop(pid_t pid, std::uint64_t listed, Held& held) {
  if (held.contains(pid)) return false;
  Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  ProcessStat stat;
  if (!read_stat(pid, stat) || stat.start > listed) return false;
  signal_held(fd.get(), pid, SIGSTOP);
  held.emplace(pid, std::move(fd));
  return true;
}

/// Stops a process before asking for its children, which then cannot become more.
void freeze(pid_t root, Held& held) {
  std::vector<pid_t> open{root};
  while (!open.empty()) {
    auto pid = open.back();
    open.pop_back();
    if (!stop(pid, ticks_now(), held)) continue;
    for (auto child : children_of(pid)) open.push_back(child);
  }
}

/// Is the signal in that mask of /proc/PID/status?
bool has_signal(const std::string& status, const std::string& mask, int signal) {
  auto field = "\n" + mask + ":\t";
  auto at = status.find(field);
  if (at == status.npos) return false;
  return (std::strtoull(status.c_str() + at + field.size(), nullptr, 16) >> (signal - 1) & 1) != 0;
}

/// Stopped, or will be as soon as the kernel lets it: in vfork a parent waits for its child, which
/// may have been stopped, and takes its own signal only then. What waits is looked at first: it
/// becomes a stop, never the other way round.
bool is_stopped(pid_t pid) {
  auto status = read_whole(proc_path(pid, "status"));
  if (has_signal(status, "ShdPnd", SIGSTOP) || has_signal(status, "SigPnd", SIGSTOP)) return true;
  ProcessStat stat;
  return read_stat(pid, stat) && stat.state == 'T';
}

bool is_live(pid_t pid) {
  ProcessStat stat;
  return read_stat(pid, stat) && stat.state != 'Z' && stat.state != 'X';
}

/// Each ends with a zero byte.
std::vector<std::string> strings_in(const std::string& bytes) {
  std::vector<std::string> strings;
  for (std::size_t at = 0; at < bytes.size();) {
    auto end = std::min(bytes.find('\0', at), bytes.size());
    strings.push_back(bytes.substr(at, end - at));
    at = end + 1;
  }
  return strings;
}

}  // namespace

bool read_stat(pid_t pid, ProcessStat& stat) {
  auto text = read_whole(proc_path(pid, "stat"));
  auto words = stat_words(text);
  if (words.empty()) return false;
  stat = {pid,
          static_cast<pid_t>(stat_number(words, 1)),
          static_cast<pid_t>(stat_number(words, 2)),
          static_cast<pid_t>(stat_number(words, 3)),
          words[0],
          stat_number(words, 19)};
  return true;
}

std::vector<pid_t> children_of(pid_t pid) {
  auto tasks = proc_path(pid, "task");
  std::vector<pid_t> pids;
  for (auto thread : numbers_in(tasks)) {
    auto text = read_whole(tasks + "/" + std::to_string(thread) + "/children");
    const char* at = text.c_str();
    char* end = nullptr;
    for (long n = 0; (n = std::strtol(at, &end, 10)) > 0; at = end)
      pids.push_back(static_cast<pid_t>(n));
  }
  return pids;
}

std::vector<pid_t> descendants_of(pid_t root, const std::set<pid_t>& except) {
  std::vector<pid_t> found;
  std::vector<pid_t> open{root};
  while (!open.empty()) {
    auto pid = open.back();
    open.pop_back();
    for (auto child : children_of(pid)) {
      if (except.contains(child)) continue;
      found.push_back(child);
      open.push_back(child);
    }
  }
  return found;
}

std::vector<pid_t> tree_of(pid_t root) {
  auto pids = descendants_of(root, {});
  pids.push_back(root);
  return pids;
}

std::vector<std::string> environment_of(pid_t pid) {
  return strings_in(read_whole(proc_path(pid, "environ")));
}

std::vector<std::string> arguments_of(pid_t pid) {
  return strings_in(read_whole(proc_path(pid, "cmdline")));
}

std::string name_of(pid_t pid) {
  auto name = read_whole(proc_path(pid, "comm"));
  return name.substr(0, name.rfind('\n'));
}

std::string variable_of(pid_t pid, std::string_view name) {
  auto key = std::string(name) + "=";
  for (const auto& entry : environment_of(pid))
    if (entry.starts_with(key)) return entry.substr(key.size());
  return {};
}

std::vector<pid_t> marked(const std::string& marker, const std::vector<std::int32_t>& sessions) {
  std::set<pid_t> found;
  for (auto pid : numbers_in("/proc")) {
    ProcessStat stat;
    if (!read_stat(pid, stat) || stat.state == 'Z') continue;
    bool session = std::find(sessions.begin(), sessions.end(), stat.session) != sessions.end();
    if (!session && variable_of(pid, launch::kAttemptVariable) != marker) continue;
    found.insert(pid);
  }
  for (auto pid : std::vector(found.begin(), found.end()))
    for (auto below : descendants_of(pid, {}))
      if (is_live(below)) found.insert(below);
  found.erase(::getpid());
  return {found.begin(), found.end()};
}

bool handles(pid_t pid, int signal) {
  auto status = read_whole(proc_path(pid, "status"));
  return has_signal(status, "SigCgt", signal) || has_signal(status, "SigBlk", signal);
}

void signal_handlers_of(pid_t leader, int signal) {
  for (auto pid : tree_of(leader))
    if (handles(pid, signal)) ::kill(pid, signal);
}

void signal_tree(pid_t leader, int signal) {
  std::vector<pid_t> outside;
  for (auto pid : descendants_of(leader, {})) {
    ProcessStat stat;
    if (read_stat(pid, stat) && stat.group != leader) outside.push_back(pid);
  }
  if (::kill(-leader, signal) != 0) ::kill(leader, signal);  // forked, not yet a group of its own
  for (auto pid : outside) ::kill(pid, signal);
}

void stop_all(const std::function<std::vector<pid_t>()>& list) {
  auto runs = [](pid_t pid) {
    ProcessStat stat;
    return read_stat(pid, stat) && stat.state != 'T' && stat.state != 'Z' && stat.state != 'X';
  };
  bool any = true;
  for (int round = 0; any && round < 64; ++round) {
    any = false;
    for (auto pid : list()) {
      if (!runs(pid)) continue;
      any = true;
      ::kill(pid, SIGSTOP);
    }
    if (any) ::poll(nullptr, 0, 1);  // a process in a system call stops at its end
  }
}

void continue_stopped(const std::vector<pid_t>& pids) {
  for (auto pid : pids)
    if (is_stopped(pid)) ::kill(pid, SIGCONT);
}

void kill_all(const std::function<std::vector<pid_t>()>& list) {
  ::setpriority(PRIO_PROCESS, 0, -20);  // to be faster than a fork bomb; without root it is refused
  Held held;
  for (int round = 0; round < 64; ++round) {
    auto before = held.size();
    for (auto pid : list()) freeze(pid, held);
    if (held.size() == before) break;
  }
  for (auto& [pid, fd] : held) signal_held(fd.get(), pid, SIGKILL);
  ::setpriority(PRIO_PROCESS, 0, 0);
}

}  // namespace wm::proc
