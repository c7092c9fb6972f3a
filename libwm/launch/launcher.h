// Role: everything wnoded's root acts consist of, as values: start a shepherd for an attempt,
// start tasks in it, signal and end them, ask, clean up after a lost shepherd, read a user's
// file. Values only, so that the acts can live in a process without network.
//
//   wnoded ──(one byte + a socket)──► zygote ──fork──► shepherd | sweeper | reader
//      └───────────── ShepherdOrder / ShepherdWord over that socket ────────┘
//
// The zygote (sbin/wshepherd, started before wnoded does anything else) is single-threaded
// and small; what it forks reads its first ShepherdOrder from the socket. A shepherd also
// listens on `<run>/<job>-<index>.<attempt>.<pid>.sock`, where a restarted wnoded finds it.
// Invariant: a word that tells of an end is sent after its ExitRecord is on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/launch/affinity.h"
#include "libwm/launch/launch_parts.h"
#include "libwm/model/attempt_use.h"
#include "libwm/model/job.h"

namespace wm::launch {

/// Version of the words below; a shepherd of another version is ended, not spoken to.
inline constexpr std::uint32_t kLauncherVersion = 10;

/// One try to run one job: what a shepherd is responsible for on its host.
struct AttemptKey {
  JobId job;
  Attempt attempt;
  auto operator<=>(const AttemptKey&) const = default;
};
/// "12-0.1" (job 12, no array index, attempt 1): file names and log lines. @cost O(1)
std::string to_string(const AttemptKey& key);
/// Reads what to_string wrote. @errors BadArgument: anything else
Result<AttemptKey> parse_attempt_key(std::string_view text);
/// Value of the environment variable WM_ATTEMPT of every process of an attempt:
/// "<cluster>@<node>:<job>.<attempt>": a machine may carry hosts of several clusters. @cost O(1)
std::string attempt_marker(std::string_view cluster, std::string_view node, const AttemptKey& key);
inline constexpr std::string_view kAttemptVariable = "WM_ATTEMPT";
inline constexpr std::string_view kTaskVariable = "WM_TASK";

/// A task: one process (and its tree) of the attempt.
struct TaskSpec {
  TaskNumber task;
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< complete, exactly as given
  std::vector<OutputFile> out;
  std::vector<OutputFile> err;
  bool merge_err = false;           ///< stderr joins stdout's files in order
  std::vector<std::uint32_t> cpus;  ///< physical; empty: not bound
  MemoryBinding memory;
  std::string in;                    ///< stdin, opened as the user; empty: /dev/null
  std::vector<std::string> folders;  ///< made as the user before the start
  std::string results;               ///< those below it must be the user's own (own_folder.h)
  std::string console;               ///< socket of the agent with its streams; empty: files
  bool terminal = false;             ///< its streams are one terminal, else three pipes
  std::uint32_t rows = 0, columns = 0;
  std::string rank_socket;  ///< of the agent that tells it of the other ranks; empty: none does
  std::uint32_t rank = 0;
  bool tag = false;  ///< that agent gets its output, too; without rank_socket: plan_shared_output
  std::vector<CharDevice> devices;  ///< of the attempt's guarded ones, those that it may open
  std::vector<OutputFile> asked_out, asked_err;  ///< written, too, while it is the writer
  bool writer = false;
  /// Where the end of its stderr goes if it fails and is not the writer.
  std::vector<OutputFile> last_words;
  bool says_why = false;               ///< the record of its failure says how its stderr ended
  std::vector<std::string> report_by;  ///< says, as the user, what a trial has to report at its end
  bool operator==(const TaskSpec&) const = default;
};

/// What a shepherd is made for.
struct AttemptSpec {
  std::uint32_t version = kLauncherVersion;
  std::string cluster;
  AttemptKey key;
  Account account;
  std::uint32_t umask = 022;
  std::string cwd;
  bool make_cwd = false;
  std::vector<ResourceCap> caps;
  std::int32_t nice = 0;     ///< of the tasks
  Duration run_limit{};      ///< 0: none; at it SIGUSR2, then the kill sequence
  Duration kill_interval{};  ///< between SIGINT, SIGTERM and SIGKILL
  Duration kill_grace{};     ///< after SIGKILL, before what is left is called stuck
  std::vector<SmallFile> files;
  std::vector<std::string> agent_argv;  ///< empty: no agent; started as the user
  std::vector<std::string> agent_env;
  std::vector<OutputFile> out, err;  ///< of what the agent writes; empty: only its log is kept
  bool merge_err = false;
  ReportHead report;
  bool ends_with_last_task = true;  ///< false: lives on without tasks until Finish
  std::string memo;                 ///< wnoded's own bytes, given back on re-adoption
  std::vector<TaskSpec> tasks;
  UseLimits limits;
  std::vector<SideCommand> before;  ///< one after the other; the tasks start when all are well
  std::vector<SideCommand> copies;  ///< of files, when all tasks have ended: the end waits for them
  Duration copy_limit{};            ///< of them together
  std::vector<SideCommand> after;   ///< when that is told
  Duration before_limit{}, after_limit{};  ///< of all of the user's there together; 0: none
  Warning warning;
  JobActs acts;
  bool suspended = false;           ///< what starts is stopped at once
  std::uint32_t cpu_weight = 0;     ///< of the cgroup, 100 a CPU; 0: not set
  std::vector<std::uint32_t> cpus;  ///< of the cgroup's CPU set; empty: not set
  std::vector<CharDevice> guarded;  ///< may be opened while a task runs that has them
  Duration usage_interval{};        ///< between two words Used; 0: a minute
  Duration stray_grace{};         ///< what a task leaves running when it ends by itself has so long
  bool lost_output_fails = true;  ///< a task of which not all output was written has failed
  Bytes folder_limit{0};          ///< of what lies in its own folder, a task; 0: none
  Bytes folder_spool{0};          ///< of its spooled output, which may lie there besides, a task
  bool operator==(const AttemptSpec&) const = default;
};

// ---- exit records --------------------------------------------------------------------

/// A durable fact: a task has ended and nothing it started is left, or (task 0) that is so of
/// the whole attempt on this host.
struct ExitRecord {
  AttemptKey key;
  TaskNumber task;
  std::int32_t pid = 0;     ///< of the task; of the shepherd, if `task` is 0
  std::int32_t status = 0;  ///< as wait(2) gives it
  EndCause cause = EndCause::Exited;
  std::string text;
  WallTime started{};
  WallTime ended{};
  wm::Usage usage;
  std::string report;  ///< of a trial, all that it had to say when it ended
  bool operator==(const ExitRecord&) const = default;
};

// ---- wnoded → what the zygote forked ----------------------------------------------------

/// Start these besides what runs. A task number already known is ignored.
struct StartTasks {
  std::vector<TaskSpec> tasks;
  std::string memo;  ///< replaces the spec's unless empty
  UseLimits limits;  ///< from now on: more tasks may use more
  bool operator==(const StartTasks&) const = default;
};
/// SIGINT, SIGTERM, SIGKILL a kill_interval apart, or SIGKILL at once; with all they started.
struct EndTasks {
  std::vector<TaskNumber> tasks;  ///< empty: all
  bool at_once = false;
  std::int32_t first_signal = 0;  ///< 0: SIGINT; SIGQUIT: the task says where it hangs
  std::string text;               ///< why; goes into the exit records
  bool operator==(const EndTasks&) const = default;
};
/// A signal to the tasks' process groups; SIGSTOP, SIGCONT and SIGKILL to all descendants.
struct SignalTasks {
  std::vector<TaskNumber> tasks;
  std::int32_t signal = 0;
  bool operator==(const SignalTasks&) const = default;
};
/// Stops every process of the tasks, or lets them go on. Holds for tasks that start later.
struct Suspend {
  bool on = false;
  bool operator==(const Suspend&) const = default;
};
/// Another run limit: so much is left of it from now on, while nothing is stopped. 0: none.
struct LimitRun {
  Duration left{};
  bool operator==(const LimitRun&) const = default;
};
/// The output of this task, and of no other, goes to the files that were asked for from now on.
struct WriteAsked {
  TaskNumber task;  ///< may be another host's
  bool operator==(const WriteAsked&) const = default;
};
/// A process that makes room for another of the same job.
struct Replacement {
  TaskNumber old;
  TaskSpec spec;
  bool operator==(const Replacement&) const = default;
};
/// SIGTERM, after `grace` SIGKILL; then the new one starts; no end of the old one is told, unless
/// it was before. Without tasks: SIGTERM to the MPI ranks that another host's task started here.
struct RestartTasks {
  std::vector<Replacement> tasks;
  std::vector<SmallFile> files;  ///< put in place of those of the same name
  Duration grace{};
  std::string memo;
  UseLimits limits;
  bool operator==(const RestartTasks&) const = default;
};
/// Runs the job's notification command; answered by Noticed with the same number.
struct Notice {
  std::uint32_t number = 0;
  SideCommand command;
  bool operator==(const Notice&) const = default;
};
/// No more tasks will come: end what runs, prove it gone, say AttemptEnded, exit.
struct Finish {
  std::string text;
  bool operator==(const Finish&) const = default;
};
/// Find and kill all of an attempt that lost its shepherd; answered by AttemptEnded.
struct Sweep {
  std::string cluster;
  AttemptKey key;
  std::vector<RunningProcess> tasks;  ///< known to have run, for those that hid their marker
  Duration kill_grace{};
  bool operator==(const Sweep&) const = default;
};
/// Read part of a file, out[0] of a task's spec, as this user; answered by FileRead. `offset`
/// beyond the end gives no bytes; negative counts from the end.
struct ReadFile {
  Account account;
  std::string cwd;
  OutputFile file;
  std::int64_t offset = 0;
  std::uint32_t limit_bytes = 0;
  bool operator==(const ReadFile&) const = default;
};
/// Start an agent as the user if there is none, and again when it ends.
struct StartAgent {
  std::vector<std::string> argv, env;
  bool operator==(const StartAgent&) const = default;
};
/// Hold a process of the user's ready that has imported what the tasks will import and forks
/// tasks that have `command` as argv (libwm/launch/warm.h). Where it fails, tasks are started cold.
struct KeepWarm {
  std::vector<std::string> command, argv, env;  ///< argv, env: of the warm parent
  Duration after{};  ///< from now: a job that ends soon never grows; 0: at once, and it stays
  bool operator==(const KeepWarm&) const = default;
};
using ShepherdOrder =
    std::variant<AttemptSpec, StartTasks, EndTasks, SignalTasks, Finish, Sweep, ReadFile,
                 StartAgent, KeepWarm, Suspend, RestartTasks, Notice, LimitRun, WriteAsked>;
// ---- shepherd → wnoded -----------------------------------------------------------------

/// A task as the shepherd sees it.
struct RunningTask {
  TaskNumber task;
  std::int32_t pid = 0;  ///< 0: could not be started
  WallTime started{};
  bool ended = false;
  std::uint64_t start = 0;  ///< as RunningProcess has it
  bool operator==(const RunningTask&) const = default;
};
/// First word on every connection: who this shepherd is and what it knows.
struct ShepherdUp {
  std::uint32_t version = kLauncherVersion;
  AttemptKey key;
  std::int32_t pid = 0;
  std::string memo;
  std::vector<RunningTask> tasks;
  bool delivers = false;  ///< of one that was told with TaskEnded::delivers: Delivered follows
  bool operator==(const ShepherdUp&) const = default;
};
struct TaskStarted {
  RunningTask task;
  bool operator==(const TaskStarted&) const = default;
};
/// The record is on disk.
struct TaskEnded {
  ExitRecord record;
  bool delivers = false;  ///< copies and report are not written yet: Delivered follows
  bool operator==(const TaskEnded&) const = default;
};
/// What the job leaves here is written, or will not be: its end may be told.
struct Delivered {
  std::string text;  ///< what is not written, for people; empty: all is
  bool operator==(const Delivered&) const = default;
};
/// Nothing of the attempt is left on this host; the record (task 0) is on disk.
struct AttemptEnded {
  ExitRecord record;
  bool operator==(const AttemptEnded&) const = default;
};
/// Processes survive SIGKILL and kill_grace; AttemptEnded follows if they ever go.
struct AttemptStuck {
  std::vector<std::int32_t> pids;
  bool operator==(const AttemptStuck&) const = default;
};
/// A notification command has ended.
struct Noticed {
  std::uint32_t number = 0;
  std::int32_t status = 0;  ///< as wait(2) gives it
  bool operator==(const Noticed&) const = default;
};
/// The site's prolog or epilog failed.
struct ScriptFailed {
  std::string why;
  bool operator==(const ScriptFailed&) const = default;
};
struct FileRead {
  std::string bytes;
  std::uint64_t size = 0;  ///< of the file now
  std::string trouble;     ///< why there are no bytes, when that is an error
  bool operator==(const FileRead&) const = default;
};
/// What an attempt used here in the time `seen`, since this was said last; the peak is of it all.
/// The rest is of now, and what `use` says of all the time; older shepherds do not say it.
struct Used {
  Duration cpu{}, seen{};
  Bytes mem_peak{0};
  bool now = false;  ///< what follows was said
  AttemptUse use;    ///< its job and attempt are not
  bool operator==(const Used&) const = default;
};
using ShepherdWord = std::variant<ShepherdUp, TaskStarted, TaskEnded, AttemptEnded, AttemptStuck,
                                  FileRead, Noticed, ScriptFailed, Used, Delivered>;
/// Bytes of an order, word or record and back.
/// @errors Damaged: cut short, or not written by this release   @cost O(bytes)
std::string to_bytes(const ShepherdOrder& order);
std::string to_bytes(const ShepherdWord& word);
std::string to_bytes(const ExitRecord& record);
Result<ShepherdOrder> order_from_bytes(std::string_view bytes);
Result<ShepherdWord> word_from_bytes(std::string_view bytes);
Result<ExitRecord> record_from_bytes(std::string_view bytes);

/// The acts themselves. The real one talks to the zygote (daemons/wnoded/rim/shepherds.h). Words
/// come back through the launcher's maker, later, in order per attempt, never from inside a call.
/// @thread the loop thread
class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Makes a shepherd. Answered by ShepherdUp and one TaskStarted or TaskEnded per task; by
  /// AttemptEnded (StartFailed) when no shepherd could be made.
  virtual void start(const AttemptSpec& spec) = 0;
  /// To the attempt's shepherd; without one (it just ended) nothing happens.
  virtual void tell(const AttemptKey& key, const ShepherdOrder& order) = 0;
  /// Answered by AttemptEnded (ShepherdLost) once that is recorded; begun again where it fails.
  virtual void sweep(const Sweep& sweep) = 0;
  /// Calls `done` once, with an error when the reader could not be made.
  virtual void read(const ReadFile& file, std::function<void(Result<FileRead>)> done) = 0;
};

}  // namespace wm::launch
