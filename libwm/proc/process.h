// Role: programs that WM runs or starts: found in PATH, in a process group of their own, with no
// descriptor of ours but those given. To let go of one is to end it, with all that it left
// in its group. Processes of jobs are started elsewhere (spawn.h): as their user, one thread.
//
//   Process::start ─► runs ─► wait: its status
//                          └► ~Process, end: signals to its group, reaped
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/files/fd.h"

namespace wm::proc {

/// What is to be run.
struct Start {
  std::vector<std::string> words;                            ///< a program found in PATH, arguments
  std::string input = {};                                    ///< what it reads; empty: nothing
  std::optional<std::vector<std::string>> environment = {};  ///< NAME=value; none: ours
  /// Descriptors of ours, each with its number there. 1 and 2 that are not named are ours.
  std::vector<std::pair<int, int>> descriptors = {};
};

/// A program under way. @owns the process and its group   @thread one at a time
class Process {
 public:
  /// Starts it with default signals. @errors BadArgument: no words; NotFound: no such program;
  /// System: no process, descriptor or memory is left for it
  static Result<Process> start(const Start& start);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  /// Kills its group where it still runs, and reaps it.
  ~Process() { end(Duration{}); }

  pid_t pid() const { return pid_; }
  /// Readable when it has ended; of this object. -1: it was reaped.
  int descriptor() const { return ended_.get(); }
  /// Waits for its end: a status as wait(2) says it. What it leaves in its group is killed.
  /// @errors Timeout: it still runs
  Result<int> wait(Duration limit);
  /// SIGTERM to its group, then, where it has not ended within `patience`, SIGKILL. Nothing for one
  /// that was reaped. @cost up to `patience`
  void end(Duration patience);

 private:
  Process(pid_t pid, Fd ended) : pid_(pid), ended_(std::move(ended)) {}
  void reap();

  pid_t pid_ = 0;
  int status_ = 0;
  Fd ended_;  // a pidfd; none once it was reaped
};

/// How a program ended, and what it wrote.
struct Ended {
  int status = 0;  ///< its exit code; 128 and its number for a signal
  std::string out, err;
};

/// Runs a program to its end and takes what it writes. What it leaves behind is not waited for, and
/// killed. @errors as Process::start; Timeout: killed after `limit`; Limit: killed, it wrote more
/// than `most_output` to one of both   @thread any, blocks   @cost as long as the program runs
Result<Ended> run(const Start& start, Duration limit, Bytes most_output);

/// Runs a program for its verdict and returns what it wrote, stdout and stderr as one: of more than
/// 64 KiB the end. @errors as run; System: it did not exit with 0: how it ended, its last line
/// @thread any, blocks   @cost as long as the program runs
Result<std::string> run_command(const std::vector<std::string>& words, Duration limit,
                                const std::string& input = {});

/// The last line of some output, without its end, cut at 400 bytes. @cost O(output)
std::string last_line(std::string_view output);

}  // namespace wm::proc
