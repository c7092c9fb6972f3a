// Role: finding and ending every process of an attempt through /proc. A shepherd is a child
// subreaper, so whatever its tasks start stays below it, however often it forks and calls
// setsid; only after the shepherd itself died is the environment marker needed.
// Invariant: kill_all signals through pidfds and checks the start time after opening them, so a
// reused pid is not hit.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace wm::proc {

/// What /proc/PID/stat says. `start` counts clock ticks since boot: with pid an identity.
struct ProcessStat {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';  ///< 'Z' zombie …
  std::uint64_t start = 0;
};
/// False: no such process. @cost one read of /proc
bool read_stat(pid_t pid, ProcessStat& stat);

/// Direct children, of all its threads. @cost one read a thread
std::vector<pid_t> children_of(pid_t pid);
/// Children of `root`, their children …, without what is below (and in) `except`.
/// @cost one read of /proc a process
std::vector<pid_t> descendants_of(pid_t root, const std::set<pid_t>& except);

/// `root` and its descendants. @cost as descendants_of
std::vector<pid_t> tree_of(pid_t root);

/// Value of an environment variable of a process as it was at exec; empty: not set or not
/// readable. @cost one read
std::string variable_of(pid_t pid, std::string_view name);
/// The whole environment of a process as it was at exec, "A=1" each; empty: not readable.
std::vector<std::string> environment_of(pid_t pid);
/// Its words as they are now; empty: not readable, or a kernel's own. @cost one read
std::vector<std::string> arguments_of(pid_t pid);
/// What the kernel calls it: its program's file or what it has renamed itself to, cut to 15 bytes.
/// Empty: it is gone. @cost one read, of nothing in its memory
std::string name_of(pid_t pid);

/// All processes with WM_ATTEMPT=`marker` in their environment, those in a session led by one of
/// `sessions`, and everything below them. @cost reads all of /proc
std::vector<pid_t> marked(const std::string& marker, const std::vector<std::int32_t>& sessions);

/// Sends `signal` to the process group of `leader` and to all its descendants outside it.
/// @cost one read of /proc a process
void signal_tree(pid_t leader, int signal);

/// Does the process take `signal` itself, by a handler, or by sigwait or signalfd, for which it is
/// blocked? @cost one read of /proc   @source proc(5): SigCgt, SigBlk, masks in hexadecimal
bool handles(pid_t pid, int signal);

/// Sends `signal` to those of `leader` and its descendants that handle it: it would end the others.
/// @cost two reads of /proc a process
void signal_handlers_of(pid_t leader, int signal);

/// Stops all that `list` gives, again until nobody new runs: a process may fork before it is
/// stopped. @cost a few listings; bounded by 64 rounds
void stop_all(const std::function<std::vector<pid_t>()>& list);
/// SIGCONT to those of `pids` that are stopped or about to be; to others it would be one more
/// signal to handle: mpirun's wait between SIGTERM and SIGKILL of its ranks ends with the next it
/// gets.
/// @cost two reads of /proc a process
void continue_stopped(const std::vector<pid_t>& pids);

/// Ends all that `list` gives and everything below: stops each before asking for its children,
/// until no new one appears (a fork bomb outruns plain killing), then SIGKILL to each.
/// @cost a few listings; bounded by 64 rounds
void kill_all(const std::function<std::vector<pid_t>()>& list);

}  // namespace wm::proc
