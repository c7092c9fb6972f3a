// Role: parts of an AttemptSpec beside its tasks: where output and the report go, commands that
// run around them, what all of them together may use, how they end. Values only; written and read
// in launcher.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/units.h"

namespace wm::launch {

/// Whom a task runs as, already resolved. Ignored (all must be equal) when not root.
struct Account {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;
  bool operator==(const Account&) const = default;
};

/// One rlimit. Clamped to the hard limit the host allows. @units as setrlimit(2)
struct ResourceCap {
  std::int32_t resource = 0;  ///< RLIMIT_*
  std::uint64_t amount = 0;
  bool operator==(const ResourceCap&) const = default;
};

/// A file that output goes to, opened as the user at the first byte, or made before the task runs.
/// Relative to the cwd.
struct OutputFile {
  std::string path;  ///< a directory (or ending in '/'): `name` inside it
  std::string name;  ///< "12.out"
  bool overwrite = false;
  bool make_folders = false;
  std::uint64_t limit_bytes = 0;  ///< nothing is written beyond; 0: no limit
  bool newest = false;            ///< but it becomes PATH.1, and another one begins
  bool at_start = false;  ///< exists, empty if to be overwritten, before the task runs, or it fails
  bool operator==(const OutputFile&) const = default;
};

/// Below an attempt's folder: where copiers of tasks' output find the agent that passes it on.
inline constexpr const char* kOutputSocket = "/output";

/// What the report block at the end of the -o file says; see job_report.h.
struct ReportHead {
  OutputFile file;  ///< path empty: no report is written
  std::string product, cluster, admin, job_name, job_text, submit_host, user, queue, home, cwd;
  std::string err_path;            ///< of -e, named at the end; empty: none
  std::vector<std::string> hosts;  ///< "4*hostA"
  WallTime submitted{};
  std::uint64_t requested_mem_bytes = 0;
  std::string mail_to, sendmail;    ///< addresses, and what takes mail for them
  std::vector<std::string> mailed;  ///< files; their text follows the report
  bool mail_at_start = false, mail_at_end = false;
  std::string out_path;  ///< of -o, named in a mailed report; empty: none
  bool operator==(const ReportHead&) const = default;
};

/// A small file put into the attempt's own folder before the first task (script, host file).
struct SmallFile {
  std::string name;
  std::string text;
  bool executable = false;
  bool operator==(const SmallFile&) const = default;
};

/// A character device: the two numbers of its file. @source stat(2) st_rdev
struct CharDevice {
  std::uint32_t driver = 0, unit = 0;  ///< major and minor number
  auto operator<=>(const CharDevice&) const = default;
};

/// A process as long as it lives, whatever else gets its number later.
struct RunningProcess {
  std::int32_t pid = 0;
  std::uint64_t start = 0;  ///< clock ticks since boot, of /proc/PID/stat; 0: not known
  bool operator==(const RunningProcess&) const = default;
};

/// A command that is run besides the tasks: prolog, pre-execution command, notification …
struct SideCommand {
  std::string what;  ///< "prolog": for the words about its failure
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< complete
  bool privileged = false;       ///< as the shepherd's account, in /; else as the job's, in its cwd
  Duration time_limit{};         ///< killed and failed after it; 0: none
  std::string cwd = {};          ///< instead of the job's, which may not be there yet
  bool operator==(const SideCommand&) const = default;
};

/// What the attempt's processes on this host may use together. 0: no limit.
/// @units mem: resident bytes; swap: virtual memory in bytes
struct UseLimits {
  Duration cpu{};
  std::uint64_t mem = 0, swap = 0;
  std::uint32_t processes = 0, threads = 0;
  bool operator==(const UseLimits&) const = default;
};

/// Told to the tasks `lead` before the run limit: a signal, or a command when there is one.
struct Warning {
  Duration lead{};  ///< 0: none
  std::int32_t signal = 0;
  SideCommand command;
  bool operator==(const Warning&) const = default;
};

/// How the site has one thing done to a job: by a signal to its tasks, or by a command. Neither: as
/// usual.
struct JobAct {
  std::int32_t signal = 0;
  SideCommand command;
  bool usual() const { return signal == 0 && command.argv.empty(); }
  bool operator==(const JobAct&) const = default;
};

/// A checkpoint is written again and again: by a command, or (none) by tasks that have a handler
/// for SIGUSR1.
struct Checkpoints {
  Duration period{};  ///< in the job's time; 0: none is
  SideCommand command;
  bool operator==(const Checkpoints&) const = default;
};

/// What is done to a job that runs otherwise than as usual.
struct JobActs {
  JobAct suspend, resume, terminate;
  Checkpoints checkpoints;
  bool operator==(const JobActs&) const = default;
};

/// How something ended. Numbers are on disk: append-only.
enum class EndCause : std::uint8_t {
  Exited = 0,        ///< by itself, or by a signal nobody here sent
  Ordered = 1,       ///< EndTasks or Finish
  RunLimit = 2,      ///< TERM_RUNLIMIT
  StartFailed = 3,   ///< never ran; the text says why
  ShepherdLost = 4,  ///< its shepherd died; found and killed afterwards
  MemLimit = 5,
  CpuLimit = 6,
  ProcessLimit = 7,
  ThreadLimit = 8,
  SwapLimit = 9,
  PreExecFailed = 10,  ///< never ran
  PrologFailed = 11,   ///< never ran, and the host is not fit
  NoFolder = 12,       ///< never ran: its working directory cannot be entered
  OwnFault = 13,       ///< never ran: a file or the agent of its own user failed
  OutputLost = 14,     ///< it exited with 0, but not all that it wrote could be kept
  FolderLimit = 15,    ///< it wrote too much into its own folder on the host
};
/// The word for logs and for the master: "exited", "run_limit" … @cost O(1)
std::string_view end_cause_name(EndCause cause);

}  // namespace wm::launch
