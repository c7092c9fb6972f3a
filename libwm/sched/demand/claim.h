// Role: a job's claim on slots during a pass, whatever it is: running or pending, rigid or
// elastic, plain, element, or the not yet made elements of an array. Collected once from the
// cluster (memory.h), then given a target (targets.cc) and places (placement.cc).
//
//            floor      can have   kind
//   fixed    now        now        running rigid, or not resizable just now
//   elastic  min        cap        running and resizable; of a group that may have no task, 0
//   pending  0          min..cap   starts with at least min, or not at all
//
// Invariants: floor <= max; claims are in dispatch order (order.cc). Values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/sched/capacity/ends.h"
#include "libwm/sched/capacity/kept_slots.h"
#include "libwm/sched/capacity/requests.h"
#include "libwm/sched/capacity/tally.h"
#include "libwm/sched/demand/rules.h"
#include "libwm/sched/shares/fill.h"

namespace wm::sched {

struct Curve;  // goodput.h

/// How a claim takes part.
enum class ClaimKind : std::uint8_t { Fixed, Elastic, Pending };

/// What keeps a pending claim out of a pass, or out of this round of it.
enum class Barred : std::uint8_t {
  No,
  Limit,     ///< a queue's, user's or array's limit (Claim::barrier says which)
  Unplaced,  ///< its tasks do not fit together on the hosts
};

/// Limits on slots across jobs.
enum class LimitOf : std::uint8_t { Queue, UserInQueue, User, Rule };

/// The order among claims of one queue and plan; submit order is last.
struct Precedence {
  std::uint32_t goal = 0;      ///< its service class is behind its goal: the class's priority
  int rank = 0;                ///< minus the queue's priority
  std::int32_t place = 0;      ///< btop, bbot
  std::uint32_t turn = 0;      ///< it has the turn of this job; 0: its own
  std::uint32_t by_queue = 0;  ///< by the order of its queue, unless that is fcfs
  std::uint32_t user_priority = 0;
};

/// What tasks cost in shares.
struct Price {
  bool gpu = false;         ///< shares are counted in GPUs
  Units each = 1;           ///< of a task
  Units host_gpus = 0;      ///< GPUs per host, paid once a host; 0: it asks per task
  std::uint32_t ptile = 0;  ///< tasks per host; 0: any
  /// What `tasks` tasks cost. GPUs per host are paid once a host. @cost O(1)
  Units cost(std::int64_t tasks) const {
    if (tasks == 0 || host_gpus == 0) return tasks * each;
    std::int64_t per_host = ptile ? ptile : tasks;
    return host_gpus * ((tasks + per_host - 1) / per_host);
  }
  /// The most tasks that cost no more than that; kNoLimit: any number. @cost O(1)
  std::int64_t affords(Units units) const {
    if (host_gpus == 0) return units / each;
    std::int64_t hosts = units / host_gpus;
    return hosts > 0 && ptile == 0 ? kNoLimit : hosts * ptile;
  }
};

/// What more tasks are worth to a job, and which numbers of them.
struct Gain {
  const Curve* curve = nullptr;  ///< how fast it is; null: not known
  bool known = false;            ///< shares by gain, not equally
  double weight = 1;             ///< among the jobs of its user
  double kept = 1;               ///< and its present size so much more
  Duration resize_cost{};        ///< what a change of its size costs it
  UsefulSizes sizes = UsefulSizes::Any;
  std::uint32_t per_host = 1;  ///< tasks that its largest host takes; of jobs with `sizes`
  std::uint32_t useful = ~0u;  ///< more tasks than these give it no speed
  std::uint32_t share = 0;     ///< tasks of an equal part of what jobs compete for; 0: not asked
};

/// One job's claim. @units tasks unless it says Units
struct Claim {
  JobId id;
  const Job* job = nullptr;
  ClaimKind kind = ClaimKind::Pending;
  Precedence order;
  Price price;
  Gain gain;
  bool resizes = false;       ///< can be given more, or less, once it runs
  bool in_place = false;      ///< and goes on meanwhile
  std::uint32_t request = 0;  ///< of Requests
  int user_node = 0;          ///< leaf of the plan tree
  std::uint32_t owner = 0;    ///< its plan and user, numbered by the collector
  std::uint32_t alike = 0;    ///< of Memory::alike, 1 + its place; 0: like no other
  bool rest = false;          ///< for those alike that come after the ones looked at; never starts
  std::uint32_t copies = 1;   ///< elements of an array that may start in this pass
  std::uint32_t asked = 1;    ///< elements that wait, limits aside
  std::uint32_t floor = 0, min = 0, max = 0;
  std::uint32_t now = 0;   ///< wanted tasks
  std::uint32_t held = 0;  ///< slots, those of leaving and stuck tasks too
  Duration limit{};        ///< it runs so long at most, or as estimated; 0: no limit
  Duration proven{};       ///< the same by its run limit alone
  bool reserved = false;   ///< it is of an advance reservation
  WallTime back{};         ///< and runs: when what it holds is not its reservation's any more
  bool timed = false;      ///< it runs, and Claims::ends has its end
  bool parked = false;     ///< waits for its own slots: starts on its hosts or not at all
  /// Of a group that starts with others of its job: the job's number, and how many they are.
  std::uint32_t gang = 0, gang_size = 0;
  bool due = false;  ///< its promised date has come: it starts whatever its user's share is
  Barred barred = Barred::No;
  PendCode barrier = PendCode::New;
  LimitOf closed = LimitOf::Queue;  ///< the limit, of one that one bars
  std::string closed_by;            ///< and of a rule: which, and how far it is used
  // decided
  std::uint32_t target = 0;       ///< tasks, of each copy
  std::uint32_t admitted = 0;     ///< copies that are to start
  JobId behind;                   ///< the job with the reservation that kept it from a start
  std::uint32_t ceiling = ~0u;    ///< tasks left to it by those that took its surplus
  std::uint32_t alternative = 0;  ///< of its requirements
  const JobSpec& spec() const { return job->spec_of(alternative); }
  bool pending() const { return kind == ClaimKind::Pending; }
  /// It runs and may be left without a task: its minimum is asked for as by one that waits.
  bool yields() const { return kind == ClaimKind::Elastic && floor < min; }
  /// It starts after the one that it made way for, whatever is free. @cost O(1)
  bool made_way() const { return barred == Barred::Limit && barrier == PendCode::Priority; }
  /// Can it make use of so many tasks? Its minimum always. @cost O(1)
  bool suits(std::uint32_t tasks) const;
  /// The most it can make use of, of at most so many; its minimum at least. @cost O(tasks)
  std::uint32_t suiting(std::uint32_t tasks) const;
  /// Submit order: older first; elements of an array that are jobs of their own go before those
  /// that have not begun, for which their array stands with index 0. @cost O(1)
  std::uint64_t sequence() const {
    return std::uint64_t{order.turn ? order.turn : id.job} << 32 | (id.index - 1);
  }
  /// The most it may get in this pass. @cost O(1)
  std::uint32_t most() const { return max < ceiling ? max : ceiling; }
  /// What its target costs, all copies. @cost O(1)
  Units used() const { return (pending() ? admitted : 1) * price.cost(target); }
  /// What one more than its target costs. @cost O(1)
  Units step() const { return price.cost(target + std::int64_t{1}) - price.cost(target); }
};

/// Running claims of one request and owner that no pass changes: counted together, so that a
/// round costs what competes and not what runs.
struct Steady {
  std::uint32_t request = 0, owner = 0;
  bool gpu = false;
  int user_node = 0;          ///< of them all; their own are not set
  std::vector<Claim> claims;  ///< in dispatch order; all of kind Fixed
  // Sums over them.
  Units tasks = 0, cost = 0;      ///< of what they have, and keep
  Units held = 0, held_cost = 0;  ///< of the slots they hold

  /// @cost O(log claims) to find its place
  void add(const Claim& claim);
  /// The claim that was made of that job; the step: risen_priority's. @cost as add
  void remove(const Job& job, Duration priority_step);
};

/// Wanted tasks on one host.
struct WantedTasks {
  std::int64_t slots = 0, gpus = 0;
};

/// A job that is pending, yet no candidate in this pass, and why.
struct Idle {
  JobId id;
  const Job* job = nullptr;
  PendCode code = PendCode::New;
  std::uint32_t request = 0;
  std::string text = {};  ///< of a job that is not eligible: what it waits for
};

/// Everything that the cluster's jobs claim, and the rooms they have left.
struct Claims {
  std::vector<Claim> all;  ///< all but the steady ones
  /// Of jobs that are being ended: nothing is planned for them, what they hold counts against
  /// limits.
  std::vector<Claim> ending;
  std::vector<Steady> steady;
  std::vector<WantedTasks> steady_on;  ///< by room: tasks of the steady ones
  std::vector<Idle> idle;
  std::vector<HostCapacity> rooms;  ///< by rising host number
  Tally tally;                      ///< of the rooms
  Ends ends;                        ///< of running claims that are `timed`
  KeptBook kept;                    ///< by advance reservations
  Rules rules;                      ///< limits.conf, job groups
  WallTime now{};                   ///< of the pass
  Requests requests;
  Units stuck_gpus = 0;  ///< held by stuck tasks on open hosts
  Switches switches;     ///< above the rooms
  /// By array's number, where each element waits for its like in another array: indexes of those
  /// not made yet that may start, in order.
  std::map<std::uint32_t, std::vector<std::uint32_t>> eligible;
  std::vector<JobId> owed;  ///< pending jobs for which others are making way, or made way
  WallTime quiet_until{};   ///< when the first that is left alone may be looked at again; 0: none
  explicit Claims(const Config& config) : requests(config) {}
};

/// The task of rank 0, which never leaves: the first member that stays on its host, or the lowest
/// wanted number.
/// @cost O(tasks)
TaskNumber first_task(const Job& job);

/// When its run limit ends a running job; WallTime::max(): it has none, or is stopped. @cost O(1)
WallTime end_by_limit(const Claim& claim);

/// Tells the wanted tasks of a running job that will be gone, and when: the end of its run limit,
/// or kAtOnce for what it can give back. Without a limit nothing else ever ends.
/// @cost O(tasks log tasks)
void each_end(const Claim& claim, const std::function<void(const Task&, WallTime)>& tell);

/// What each task of the job holds now: what was asked, less memory that was asked until earlier.
/// @cost O(1)
TaskRequest held_by(const Job& job);

/// The job that it makes or made way for, by leaving or by being parked, until that job has been
/// dispatched since: then it has had what was made for it. None: {}.
/// @cost O(tasks + log jobs)
JobId makes_way_for(const Cluster& cluster, const Job& job);

/// What a task of that kind costs in shares and against plans' limits: sets gpu, each, host_gpus
/// and ptile. @cost O(1)
void set_price(Claim& claim, const JobSpec& spec);

/// Is the task still wanted: holds a slot, was not asked to go, and stays on its host? @cost O(1)
bool is_wanted(const Task& task);

}  // namespace wm::sched
