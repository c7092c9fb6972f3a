// Role: why things are as they are: why a job waits, why it ended. LSF's words and numbers
// where LSF has them. Values only; texts come from one table each (reason.cc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wm {

/// Why an attempt was ended. The numbers are lsb.acct's.
/// @source IBM Spectrum LSF, lsb.acct JOB_FINISH exitInfo
enum class Term : std::uint8_t {
  None = 0,
  Preempt = 1,
  Other = 4,
  RunLimit = 5,
  Deadline = 6,
  ProcessLimit = 7,
  ForceOwner = 8,
  ForceAdmin = 9,
  RequeueOwner = 10,
  RequeueAdmin = 11,
  CpuLimit = 12,
  Owner = 14,
  Admin = 15,
  MemLimit = 16,
  ExternalSignal = 17,
  Swap = 20,
  ThreadLimit = 21,
  CwdNotExist = 25,
  PreExecFail = 28,
  // ours, beyond LSF's numbers
  HostLost = 64,      ///< its host was declared dead
  ShepherdLost = 65,  ///< the process that watched it was killed
  LaunchFailed = 66,  ///< a task could not be started
  TaskFailed = 67,    ///< another task of the job failed, the rest was ended
  ReclaimGrace = 68,  ///< did not leave in time when its slot was reclaimed
  Hung = 69,          ///< missed a collective longer than hang_limit
  Left = 70,          ///< left on request: not a failure
  PrologFailed = 71,  ///< the site's prolog failed on the host
  GroupEnded = 72,    ///< a group that it lives with has ended
  PendLimit = 73,     ///< it waited longer than it was to
  NotSigned = 74,     ///< its host cannot prove its signature, after a change of MUNGE's key
  OwnFault = 75,      ///< a file that it needs, or its agent, failed under its own account
  OutputLost = 76,    ///< not all of its output could be written
  ConfigGap = 77,     ///< its host's own configuration lacks its profile or queue
  Denied = 78,        ///< it is not ordered as its owner signed it, or may not run on its host
  GpuMemLimit = 79,   ///< it used more of a GPU's memory than its gmem
  FolderLimit = 80,   ///< it wrote too much into its own folder on a host
};

/// "TERM_OWNER"; ours likewise "TERM_HOST_LOST". @cost O(1)
std::string_view term_name(Term term);
/// "job killed by owner": the text behind the name in bjobs and the report. @cost O(1)
std::string_view term_text(Term term);

/// What keeps a pending job waiting.
enum class PendCode : std::uint8_t {
  New = 0,          ///< no scheduling pass has looked at it
  Held = 1,         ///< by its owner or an administrator
  Slots = 2,        ///< not enough job slots
  Resources = 3,    ///< CPUs, memory or GPUs short on the hosts that would do
  Requirement = 4,  ///< select or span excludes the hosts
  QueueClosed = 5,
  QueueLimit = 6,
  UserLimit = 7,
  PlanLimit = 8,
  ArrayLimit = 9,  ///< name[..]%n
  Released = 10,   ///< slots are being released for it
  HostsClosed = 11,
  HostsSilent = 12,
  Stuck = 13,        ///< slots not proven free
  Priority = 14,     ///< others come first
  StartFailed = 15,  ///< earlier tries to start failed; waits before the next
  Excluded = 16,     ///< an earlier run on the hosts ended with a code that excludes them
  Dependency = 32,   ///< -w: not met yet
  NeverMet = 33,     ///< -w: cannot be met any more
  BeginTime = 34,    ///< -b: its time has not come
  Groups = 35,       ///< its job's other groups are not ready
  NoneWanted = 36,   ///< an independent group that is to have no task now
  Budget = 42,       ///< a budget has no room for it
  GroupLimit = 52,   ///< its job group has as many running as it may
  Reserved = 53,     ///< its advance reservation is not active, or has no slot left
  Window = 54,       ///< of its queue or plan, closed
  Limit = 55,        ///< of limits.conf
};

/// One binding constraint of a pending job.
struct PendReason {
  PendCode code = PendCode::New;
  std::string text;                 ///< LSF's sentence, naming object and number
  std::uint32_t hosts_removed = 0;  ///< hosts this constraint alone removes
  std::string fix;                  ///< what would make the job start; may be empty
  bool operator==(const PendReason&) const = default;
};

/// "slots", "queue_limit": the CODE of bwhy -json. @cost O(1)
std::string_view pend_code_name(PendCode code);

}  // namespace wm
