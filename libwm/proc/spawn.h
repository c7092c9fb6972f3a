// Role: fork and exec of one process of a job, and becoming the job's user. Runs only in the
// single-threaded shepherd, so any code may run between fork and exec.
// Invariants: the child has its own session, default signals, stdin /dev/null, only the
// descriptors named here, and dies with its shepherd (PR_SET_PDEATHSIG).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/launch/launcher.h"
#include "libwm/proc/channel.h"
#include "libwm/proc/console.h"

namespace wm::proc {

/// Everything one exec needs. References are borrowed for the call.
struct Exec {
  const launch::Account& account;
  const std::vector<std::string>& argv;
  const std::vector<std::string>& env;
  const std::string& cwd;
  bool make_cwd = false;
  std::uint32_t umask = 022;
  const std::vector<launch::ResourceCap>& caps;
  const std::vector<std::uint32_t>& cpus;
  const std::string& in;                    ///< empty: /dev/null
  const std::vector<std::string>& folders;  ///< made first
  int out = -1;                             ///< -1: /dev/null
  int err = -1;
  std::vector<std::string> cgroups;      ///< folders to join
  const ProcessEnds* ends = nullptr;     ///< instead of in, out and err
  const ConsoleCall* console = nullptr;  ///< the same, fetched from an agent as the user
  int keep = -1;                         ///< stays open under its number; -1: none
  const launch::MemoryBinding* memory = nullptr;
  const launch::TaskSpec* rank = nullptr;     ///< a rank of its job: asks its agent for the others
  const launch::TaskSpec* outputs = nullptr;  ///< its files and own folders are made first
  std::int32_t nice = 0;
  bool hold_term = false;  ///< SIGTERM is blocked: the program takes it once it is ready to
};

/// A child and where it writes what kept it from running: nothing once exec has succeeded.
struct Child {
  pid_t pid = 0;
  Fd trouble;  ///< for read_trouble, once the child has ended
};

/// What kept a child from running.
enum class Hindrance : char {
  None = 0,       ///< it ran
  NoFolder = 1,   ///< its working directory cannot be entered
  NotReady = 2,   ///< the host could not make it ready
  NoProgram = 3,  ///< exec(2) refused
  OwnFault = 4,   ///< a file of its user's cannot be made or read, or the user's agent fails
};
struct Trouble {
  Hindrance hindrance = Hindrance::None;
  std::string text;  ///< "working directory /x: No such file or directory"
};
/// Takes from Child::trouble what the child left there, and closes it.
Trouble read_trouble(Fd& pipe);

/// Forks and execs; does not wait for the exec. A program that is not found ends with 127,
/// one that is not executable with 126, as under a shell; a missing cwd with 2.
/// @errors System: fork or pipe failed   @thread single-threaded process only
Result<Child> spawn(const Exec& exec);

/// The policies of set_mempolicy(2) that give `memory`: the first that the kernel knows is taken.
/// Empty: none is wanted. @source Linux, linux/mempolicy.h
std::vector<int> memory_policies(const launch::MemoryBinding& memory);

/// Turns this process into `account` for good; a no-op without root when it is already that.
/// @errors System; Denied: not root and another account
Result<void> become(const launch::Account& account);

/// Closes every descriptor from 3 on except `keep`. @cost one system call a gap
void close_all_but(const std::vector<int>& keep);

/// mkdir -p with mode 0777 less umask. @errors System
Result<void> make_folders(const std::string& path);

}  // namespace wm::proc
