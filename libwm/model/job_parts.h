// Role: small parts of what a user asks for (JobSpec in job.h): index ranges of arrays, where the
// standard streams go, who starts parallel processes, files to be copied. Values.
#pragma once

#include <cstdint>
#include <string>

namespace wm {

/// `from`..`to` step `step` of a job array, all >= 1.
struct IndexRange {
  std::uint32_t from = 1, to = 1, step = 1;
  bool operator==(const IndexRange&) const = default;
};

/// Where a job's standard streams go. @source LSF bsub -I, -Ip, -Is
enum class Streams : std::uint8_t {
  Files = 0,     ///< -o and -e
  Pipes = 1,     ///< to the submitting command
  Terminal = 2,  ///< the same, over a terminal
  Shell = 3,     ///< a terminal, with job control for shells
};

/// Who starts the processes of a parallel program. @source bsub -mpi
enum class Mpi : std::uint8_t {
  None = 0,  ///< the command itself: mpirun, blaunch, a script
  Pmix = 1,  ///< its hosts, one process a task, which find each other by PMIx
};

/// A file that goes to the first execution host before the tasks, or comes from there after
/// them. @source LSF: bsub -f "local op remote"
struct FileCopy {
  std::string local;    ///< on the submission host, absolute
  std::string remote;   ///< on the execution host; relative: to the job's folder
  bool before = false;  ///< local to remote
  bool after = false;   ///< remote to local
  bool append = false;  ///< after: to the end of it
  bool operator==(const FileCopy&) const = default;
};

/// What a job's owner wants to be told by mail. @source LSF bsub -B, -N, -u
struct MailWish {
  bool at_start = false;  ///< -B
  bool at_end = false;    ///< -N: the report, whatever becomes of the output
  std::string to;         ///< -u: addresses, separated by commas; empty: the owner's account
  bool operator==(const MailWish&) const = default;
};

}  // namespace wm
