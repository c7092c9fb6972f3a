// Role: the whole state of a cluster as one value: what the events have made of it. The
// master's core holds the newest; queries and scheduling passes get frozen copies, which
// cost one pointer per 256 objects. Changed by libwm/fsm only.
// Invariants: everything in here is a function of the events, so replay gives it again; the
// indexes are functions of the rest.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "libwm/model/budget.h"
#include "libwm/model/config/config.h"
#include "libwm/model/elements.h"
#include "libwm/model/host.h"
#include "libwm/model/indexes.h"
#include "libwm/model/job.h"
#include "libwm/model/job_group.h"
#include "libwm/model/reservation.h"
#include "libwm/model/revocations.h"
#include "libwm/model/table.h"
#include "libwm/model/usage.h"

namespace wm {

/// A queue's standing, beside its configuration.
struct QueueStanding {
  bool closed = false;    ///< takes no submissions
  bool inactive = false;  ///< dispatches nothing
  std::string by, why;
  bool operator==(const QueueStanding&) const = default;
};

/// Numbers of jobs that a state gave which an administrator gave up for this one: after .. to.
struct LostJobs {
  std::uint32_t after = 0, to = 0;
  bool operator==(const LostJobs&) const = default;
};

struct Cluster {
  Seq seq;          ///< last event applied
  WallTime time{};  ///< its time
  /// By how much the clock was set, while acts that cannot be undone wait; periods of budgets, too.
  Duration clock_doubt{};
  std::shared_ptr<const Config> config = std::make_shared<Config>();
  Table<Job> jobs;      ///< by job number; an array's base is one job
  Table<Job> elements;  ///< array elements that are no longer plain pending
  Table<Host> hosts;
  std::map<std::string, QueueStanding> queues;  ///< only those that differ from open
  std::uint64_t next_element = 1;
  std::uint32_t last_job = 0;  ///< highest job number ever given out
  std::uint32_t term = 0;      ///< how often an administrator chose this store over a newer one
  LostJobs lost;               ///< by the last such choice
  Table<UsageAccount> accounts;
  std::shared_ptr<const AccountNumbers> account_numbers = std::make_shared<AccountNumbers>();
  Table<BudgetAccount> budgets;
  std::shared_ptr<const BudgetNumbers> budget_numbers = std::make_shared<BudgetNumbers>();
  Frozen<std::map<std::string, Reservation>> reservations;  ///< by name
  Frozen<std::map<std::string, JobGroup>> job_groups;       ///< made ones, by path
  std::shared_ptr<const Revocations> revoked = std::make_shared<Revocations>();
  Indexes indexes;

  /// A copy for readers. @cost O(chunks)   @thread the writer's
  Cluster freeze();
};

/// The advance reservation of that name, or null. @cost O(log reservations)
const Reservation* find_reservation(const Cluster& cluster, const std::string& name);
/// The account of the budget of that name, or null. @cost O(log budgets)
const BudgetAccount* find_budget(const Cluster& cluster, const std::string& name);
/// The job or element, or null. An array element still pending as part of its base's range
/// has no object of its own. @cost O(1)
const Job* find_job(const Cluster& cluster, JobId id);
/// The host of that name, or null. @cost O(log hosts)
const Host* find_host(const Cluster& cluster, const std::string& name);
/// The profile a job runs under: the spec's, else the queue's, else "batch". Never null for
/// a job that was admitted; a profile removed since falls back to a default one.
const AppConf& app_of(const Config& config, const JobSpec& spec);

/// The plan of a job that names none: its queue's, else its user's, else the cluster's.
/// @cost O(queues + users)
const std::string& plan_unless_said(const Config& config, const std::string& queue,
                                    const std::string& user);
/// May the job's tasks be changed while it runs: elastic, running, told how, not ending?
/// @cost O(log apps)
bool is_resizable(const Cluster& cluster, const Job& job);
/// Which tasks of the job have a process of their own: every one (training, and accelerate launch
/// where it starts one process), one a host (its command is torchrun or the like, which starts the
/// others), or only the first (batch). @cost O(command)
Launch launch_of(const Config& config, const JobSpec& spec);
/// Is its command a launcher of trainings (training_launcher.h)? @cost O(command)
bool starts_training(const JobSpec& spec);
/// Is there something to run before the job's tasks: its own command, its profile's, its queue's,
/// or what puts its bundle in place?
bool has_pre_exec(const Config& config, const JobSpec& spec);
/// How the job is told of a new size: the profile's mode, `auto` resolved.
ResizeMode resize_mode_of(const Config& config, const Job& job);
/// Will this job, once it runs, take more or fewer tasks?
bool may_resize(const Config& config, const Job& job);
/// Does its plan, the nearest one that says, or else its queue give it tasks by gain (goodput)?
/// @cost O(depth log plans)
bool is_sized_by_gain(const Config& config, const JobSpec& spec);
/// Are the user or a group of theirs among the names? "all" means everybody.
/// @cost O(names x groups)
bool is_listed(const Config& config, const std::vector<std::string>& names, const Identity& who);
/// May they use the plan: are they listed by the nearest plan, from it up, that lists anybody?
/// @cost O(depth log plans + names x groups)
bool may_use_plan(const Config& config, const std::string& plan, const Identity& who);
/// Is the plan their own (users.conf), below it, or what the job's queue says? True for those who
/// have none. @cost O(queues + users)
bool is_below_users_plan(const Config& config, const std::string& queue, const std::string& plan,
                         const Identity& who);

/// The command that is told of a new size: bresize's, else the submitter's, else the profile's.
const std::string& notify_command_of(const Config& config, const Job& job);

/// What its queue runs around every job, or warns it by. @cost O(1)
SideCommands side_commands_of(const QueueConf& queue);

/// The run limit that holds for it: its own, else its profile's, else its queue's usual one; 0 =
/// none. @cost O(log queues + log profiles)
Duration run_limit_of(const Config& config, const JobSpec& spec);

/// How often the job is queued again because of itself: as its queue says, or the cluster.
/// @cost O(log queues)
std::uint32_t max_user_requeue(const Config& config, const Job& job);

/// Visits every job with a state of its own: plain jobs and made elements, not array bases.
/// @cost O(jobs)
template <class Visit>
void each_job(const Cluster& cluster, Visit visit) {
  cluster.jobs.each([&](std::uint32_t, const Job& job) {
    if (job.spec().array.empty()) visit(job);
  });
  cluster.elements.each([&](std::uint32_t, const Job& job) { visit(job); });
}

/// Visits the jobs that hold slots on a host, in order of their numbers.
/// @shape void visit(const Job&)   @cost O(jobs on it)
template <class Visit>
void each_job_on(const Cluster& cluster, HostId host, Visit visit) {
  if (const JobsOnHost* jobs = cluster.indexes.jobs_on.find(host.value))
    for (const auto& [id, slots] : *jobs) visit(*find_job(cluster, id));
}

}  // namespace wm
