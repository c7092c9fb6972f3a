// Role: one task as its shepherd sees it, from fork to "nothing of it is left".
//
//   running ──wait()──► exited ──no stray process, output copied──► ended (recorded, told)
//
// What a task that ends by itself leaves running, as the tee of exec > >(tee log), has the stray
// grace to end, too; then, and at once when the job is ended, it is killed.
//
// A sequence of signals ends it: SIGINT, SIGTERM, SIGKILL a kill_interval apart (before them
// SIGUSR2 at the run limit). One that hangs is asked by SIGQUIT where it stands, and has
// kDumpTime to write that down. At SIGKILL the whole tree of the task goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libwm/launch/launcher.h"
#include "libwm/proc/channel.h"
#include "libwm/proc/spawn.h"

namespace wm::shepherd {

/// Between SIGQUIT, at which Python programs of ours print their stacks, and SIGKILL.
inline constexpr Duration kDumpTime = std::chrono::seconds(1);

enum class Phase : std::uint8_t { Running, Exited, Ended };

/// The signals still to be sent to a task, and when the next is due.
struct Ending {
  std::vector<int> signals;  ///< in order; empty: SIGKILL has been sent
  TimePoint next{};
  Duration interval{};  ///< between them
};

/// How something is ended.
struct EndWay {
  std::vector<int> signals;  ///< in order
  Duration wait{};           ///< before the first
};

/// A task. Resource: owns its pipes.
struct Task {
  launch::TaskSpec spec;
  Phase phase = Phase::Running;
  pid_t pid = 0;
  std::uint64_t start = 0;  ///< with pid an identity: tree.h
  Fd out, err, trouble;     ///< read ends; out and err until a copier has them
  pid_t copier = 0;
  Fd turns;            ///< write end: tells the copier whether the task is the writer
  pid_t teller = 0;    ///< repeats its last words
  Fd told;             ///< read end: the line of them that the record gets
  bool tells = false;  ///< a teller was started
  TimePoint teller_until{};
  pid_t reporter = 0;    ///< says what the trial has to report
  Fd reported;           ///< read end of it
  bool reports = false;  ///< a reporter was started
  TimePoint reporter_until{};
  std::optional<Ending> ending;
  std::optional<launch::TaskSpec> successor;  ///< started in its place when nothing of it is left
  launch::ExitRecord record;
  Duration cpu_before{};     ///< of the processes that it replaced
  TimePoint seen{};          ///< when it, or the last of what it left, was still there
  TimePoint spared_until{};  ///< in the job's time: what it left may end by itself till then
  int signal = 0;            ///< the last it was sent, if that can be obeyed
  TimePoint obeys_until{};   ///< the same: what it left may run its handler of `signal`
};

/// The sequence that ends a task. @source LSF: SIGINT, SIGTERM, SIGKILL; SIGUSR2 at the limit
std::vector<int> signals_to_end(const launch::EndTasks& order);
std::vector<int> signals_at_run_limit();
/// For a limit on what is used: at the CPU limit SIGXCPU first; what eats memory or processes
/// is killed at once, it would eat more.
std::vector<int> signals_at_limit(launch::EndCause cause);

/// Exit status 2 as wait(2) encodes it: what could not be started has, as with a shell.
inline constexpr int kNotStarted = 2 << 8;

/// The task never came to run: what its record says.
void note_never_ran(Task& task, launch::EndCause cause, const std::string& text, int status);

/// Takes what wait4 said about the main process, and what kept it from running, into the record.
void note_exit(Task& task, int status, const wm::Usage& usage, WallTime now,
               const proc::Trouble& trouble);

/// Nothing of how it was started is kept of one that has ended: an attempt of months has many.
/// What says who writes stays. @cost O(its environment)
void shed(Task& task);

/// The number by which wnoded knows it: that of the task which waits to take its place, if any.
TaskNumber known_as(const Task& task);
/// Is it among these numbers, as wnoded knows it? None named: every one is.
bool is_named(const Task& task, const std::vector<TaskNumber>& numbers);

}  // namespace wm::shepherd
