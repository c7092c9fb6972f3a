// Role: everything the lead knows about tasks and agents: the master's order, the workers'
// statuses, processes that have ended, hosts that are silent. Facts only; lead.cc decides.
//
// Invariants: a task that has ended never comes back (numbers are not reused); a silent host
// comes back as soon as it is heard. Called by Lead, choose, hang and resume.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libwm/model/elastic.h"

namespace wm::elastic {

/// A host is lost when its agent has said nothing for this long (DESIGN 5.2).
inline constexpr Duration kAgentSilence = std::chrono::seconds(1);

/// Words for a worker; shared by all that are told the same plan.
using Words = std::shared_ptr<const ToWorker>;
/// The same is said. @cost O(1) for different kinds, epochs, or the same object
bool is_same(const Words& a, const Words& b);

/// Task numbers to look up in.
class TaskSet {
 public:
  TaskSet() = default;
  /// @cost O(list log list)
  explicit TaskSet(std::vector<TaskNumber> list);
  /// @cost O(log list)
  bool has(TaskNumber task) const;

 private:
  std::vector<TaskNumber> sorted_;
};

/// One task as the lead knows it.
struct Task {
  WorkerStatus status;
  HostId host;
  bool listed = false;    ///< in the newest order of the master
  bool leaving = false;   ///< and is to leave
  bool gone = false;      ///< its process has ended
  bool expelled = false;  ///< faulty: left out until it ends
  bool reported = false;  ///< TaskFaulty has been said of it
  std::string reason;     ///< why it is gone or expelled
  unsigned tries = 0;     ///< planned epochs that could not connect because of it
  EpochNumber connect_failed;
  WorkerSwitched switched;            ///< its newest
  WorkerProgress progress;            ///< its newest
  TimePoint progress_at{};            ///< when that came
  TimePoint still_since{};            ///< step and in_collective unchanged since
  Words told;                         ///< newest words on their way to it
  std::optional<TimePoint> named_at;  ///< reported as hanging, not failed yet
};

/// One agent as the lead knows it.
struct AgentSeen {
  TimePoint heard{};    ///< last word of any kind
  bool status = false;  ///< it has said what it knows
  bool lost = false;    ///< silent for kAgentSilence
};

/// The facts. @owns all of them; a value
struct Roster {
  AgentOrder order;
  HostId self;  ///< the lead's own host: never lost
  std::map<TaskNumber, Task> tasks;
  std::map<HostId, AgentSeen> agents;
  std::uint32_t trainings = 0;  ///< the program went through before the one that it is in now
  bool may_drop = false;        ///< members on lost hosts may be left out (PROTOCOL L-5)
};

/// Takes a newer order in; hosts not heard of yet count as heard at `now`.
/// @cost O(tasks log tasks)
void note_order(Roster& roster, const AgentOrder& order, TimePoint now);
/// Takes in all an agent knows; what its workers were told is to be said again. @cost O(tasks)
void note_status(Roster& roster, const AgentStatus& status, TimePoint now);
/// Takes in a worker's words. @cost O(log tasks)
void note_words(Roster& roster, HostId host, const WorkerSaid& said, TimePoint now);
/// Takes in the end of a task's process. @cost O(log tasks)
void note_gone(Roster& roster, const TaskGone& gone);
/// Finds the silent hosts anew. @cost O(hosts)
void note_silence(Roster& roster, bool may_drop, TimePoint now);

/// The master wants this task and it is not to leave. @cost O(log tasks)
bool is_wanted(const Roster& roster, TaskNumber task);
/// Nothing has been heard of the host for too long. @cost O(log)
bool is_silent(const Roster& roster, HostId host);
/// The task's host is lost. @cost O(log)
bool is_lost(const Roster& roster, const Task& task);
/// The task cannot be a member any more: ended, expelled, or on a lost host that may be dropped.
/// @cost O(log)
bool is_failed(const Roster& roster, TaskNumber task);
/// The task may be in a next epoch: heard, alive, neither left nor done. @cost O(log)
bool is_present(const Roster& roster, TaskNumber task);
/// Present, wanted and ready to be a member of the training that the program is in; carries no
/// group of its own. @cost O(log tasks)
bool is_newcomer(const Roster& roster, TaskNumber task);
/// Some worker has completed the training that the program is in. @cost O(tasks)
bool is_finishing(const Roster& roster);
/// The task's record, or an empty one. @cost O(log tasks)
const Task& find(const Roster& roster, TaskNumber task);
/// "task 3: signal 9", for people. @cost O(log)
std::string describe(const Roster& roster, TaskNumber task);

}  // namespace wm::elastic
