#include "libwm/sched/reasons.h"

#include <algorithm>
#include <set>

#include "libwm/sched/kept_gpus.h"
#include "libwm/sched/shares/windows.h"
#include "libwm/sched/words.h"

namespace wm::sched {
namespace {

std::string named(const std::string& name) { return "<" + name + ">"; }

std::string jobs_of(const std::vector<JobId>& jobs) {
  std::string text = jobs.size() == 1 ? "job " : "jobs ";
  for (std::size_t i = 0; i < jobs.size() && i < 4; ++i) {
    text += (i ? ", " : "") + named(to_string(jobs[i]));
  }
  return jobs.size() > 4 ? text + " and others" : text;
}

// "Load threshold reached, <a> r1m 2.4 (0.7)": one host stands for all.
std::string busy_text(const Request& request, const std::vector<HostCapacity>& rooms) {
  std::string text = "Load threshold reached";
  for (std::uint32_t at = 0; at < rooms.size(); ++at) {
    if (request.suits[at] != Suits::Busy) continue;
    return text + ", " + named(rooms[at].host->name) + " " + request.busy->at(rooms[at].id);
  }
  return text;
}

// One reason for each rule that removes hosts.
void add_removed(const Request& request, const std::vector<HostCapacity>& rooms,
                 std::vector<PendReason>& reasons) {
  const Removed& removed = request.removed;
  auto add = [&](PendCode code, std::uint32_t hosts, const std::string& text,
                 const std::string& fix) {
    if (hosts) reasons.push_back({code, text + ": " + count_of(hosts, "host"), hosts, fix});
  };
  add(PendCode::Requirement, removed.not_asked, "Not specified in job submission",
      "bkill it and submit it again without -m, or with other hosts after it");
  add(PendCode::Requirement, removed.requirement, "Job's resource requirements not satisfied",
      "ask for less, or for other hosts");
  add(PendCode::Excluded, removed.excluded, "Excluded by an exit code of an earlier run",
      "open or add other hosts; or bkill it and submit it again");
  add(PendCode::HostsClosed, removed.closed, "Closed by LSF administrator", "badmin hopen");
  if (removed.busy)
    add(PendCode::HostsClosed, removed.busy, busy_text(request, rooms),
        "starts when the load there is below what bqueues -l shows for the queue");
  add(PendCode::HostsSilent, removed.silent, "Unable to reach the host",
      "start wnoded there, or badmin hdead if it is gone for good");
}

PendReason gone_queue_reason(const Idle& idle) {
  return {idle.code, "queue " + named(idle.job->spec().queue) + " is no longer configured", 0,
          "bswitch it to a queue that bqueues shows"};
}

bool is_about_hosts(PendCode code) {
  return code == PendCode::Requirement || code == PendCode::HostsClosed ||
         code == PendCode::HostsSilent || code == PendCode::Excluded;
}

std::uint32_t stuck_slots(const Claims& claims, const Request& request) {
  std::uint32_t stuck = 0;
  for (std::uint32_t at : claims.tally.stuck())
    if (request.suits[at] == Suits::Yes) stuck += claims.rooms[at].host->stuck_slots;
  return stuck;
}

}  // namespace

PendReason ReasonWriter::idle_reason(const Idle& idle) const {
  const std::string queue = idle.job->spec().queue;
  switch (idle.code) {
    case PendCode::Held: return held_reason(*idle.job, idle.id);
    case PendCode::QueueClosed:
      return {idle.code, "The queue is inactivated by its administrator: queue " + named(queue), 0,
              "badmin qact " + queue};
    case PendCode::ArrayLimit:
      return {idle.code,
              "Job array has reached its running element limit: " +
                  std::to_string(idle.job->spec().array_limit),
              0, "starts when an element ends"};
    case PendCode::Dependency: return {idle.code, idle.text, 0, "starts when it is satisfied"};
    case PendCode::NeverMet: return {idle.code, idle.text, 0, "bkill " + to_string(idle.id)};
    case PendCode::StartFailed:
      return {idle.code, idle.text, 0,
              "is tried again, on other hosts first; bkill " + to_string(idle.id) +
                  " if the command cannot succeed"};
    case PendCode::Groups:
      return {idle.code, idle.text, 0, "bjobs " + std::to_string(idle.id.job) + " shows them"};
    case PendCode::NoneWanted:
      return {idle.code, idle.text, 0,
              "bresize " + group_of(*idle.job)->name + "=1 " + std::to_string(idle.id.job)};
    case PendCode::Window: {
      const Config& config = *cluster_.config;
      const JobSpec& spec = idle.job->spec();
      return {idle.code, closed_window(config, spec, run_limit_of(config, spec), claims_.now), 0,
              "starts when it opens"};
    }
    case PendCode::Reserved: return {idle.code, idle.text, 0, "brsvs shows it"};
    case PendCode::BeginTime: return {idle.code, idle.text, 0, "starts at that time or later"};
    case PendCode::New:
      return {idle.code, "New job is waiting for scheduling", 0,
              "is looked at when jobs before it have started or ended"};
    default:
      return {idle.code, "No host is known to the master", 0,
              "start wnoded on a host of hosts.conf"};
  }
}

ReasonWriter::ReasonWriter(const Cluster& cluster, Claims& claims, const PlanTree& tree,
                           const PlanUse& slots, const PlanUse& gpus, const Places& places,
                           BudgetBook& budgets)
    : cluster_(cluster),
      claims_(claims),
      tree_(tree),
      slots_(slots),
      gpus_(gpus),
      places_(places),
      budgets_(budgets) {
  struct Sum {
    const Claim* any = nullptr;
    std::uint32_t slots = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sum> sums;  // by request and owner
  for (const Claim& claim : claims.all) {
    if (claim.pending()) continue;
    Sum& sum = sums[{claim.request, claim.owner}];
    sum.any = &claim;
    sum.slots += claim.held;
    if (claim.price.gpu) beside_gpus_ += claim.held;
  }
  for (const Steady& group : claims.steady) {
    if (group.claims.empty()) continue;
    Sum& sum = sums[{group.request, group.owner}];
    sum.any = &group.claims.front();
    sum.slots += static_cast<std::uint32_t>(group.held);
    if (group.gpu) beside_gpus_ += static_cast<std::uint32_t>(group.held);
  }
  for (const auto& [of, sum] : sums) {
    const JobSpec& spec = sum.any->spec();
    held_[{spec.queue, ""}] += sum.slots;
    held_[{spec.queue, spec.owner.user}] += sum.slots;
    held_[{"", spec.owner.user}] += sum.slots;
  }
}

PendReason held_reason(const Job& job, JobId id) {
  auto name = to_string(id);
  if (job.outcome.term == Term::NotSigned)
    return {PendCode::Held, job.outcome.text, 0, "bmod -sign " + name + ", then bresume " + name};
  if (job.outcome.term != Term::None)
    return {PendCode::Held,
            "Held: hosts could not start it by their own fault: " + job.outcome.text, 0,
            "look after the hosts, then bresume " + name};
  return {PendCode::Held, "The job was suspended by the user while pending", 0, "bresume " + name};
}

Reasons new_job_reason() {
  return std::make_shared<const std::vector<PendReason>>(
      std::vector<PendReason>{{PendCode::New, "New job is waiting for scheduling", 0,
                               "starts or is explained by the next scheduling pass"}});
}

// Held is per job, as its remedy names the job; hosts matter only where they are named.
ReasonWriter::Key ReasonWriter::key_of(const Idle& idle) {
  const JobSpec& spec = idle.job->spec();
  int kind = static_cast<int>(idle.code);
  bool by_job = idle.code == PendCode::Held || !idle.text.empty();
  auto held_for = static_cast<std::uint32_t>(idle.job->outcome.term);
  if (by_job) return {kind, idle.id.job, idle.id.index, held_for, ""};
  if (is_about_hosts(idle.code)) return {kind, idle.request, 0, 0, ""};
  if (idle.code == PendCode::Window) return {kind, idle.id.job, 0, 0, spec.queue};
  return {kind, spec.array_limit, 0, 0, spec.queue};
}

ReasonWriter::Key ReasonWriter::key_of(const Claim& claim) {
  constexpr int kClaims = 1000;  // beyond every PendCode
  int why = static_cast<int>(claim.barred) * 256 + static_cast<int>(claim.barrier);
  if (claim.barrier == PendCode::Priority && claim.job->waits.preempted &&
      !claim.job->waits.preempted->for_nobody()) {
    JobId by = claim.job->waits.preempted->by;
    return {kClaims + why, by.job, by.index, 0, ""};
  }
  if (claim.barrier == PendCode::Budget && claim.pending())
    return {kClaims + why, claim.id.job, claim.id.index, 1, ""};
  why = why * 4 + static_cast<int>(claim.closed);
  return {kClaims + why, claim.request, static_cast<std::uint32_t>(claim.user_node), claim.min,
          claim.reserved ? std::string_view(claim.spec().reservation)
                         : std::string_view(claim.closed_by)};
}

Reasons ReasonWriter::of(const Idle& idle) {
  Reasons& shared = shared_[key_of(idle)];
  if (shared) return shared;
  std::vector<PendReason> reasons;
  bool hosts = is_about_hosts(idle.code);
  if (hosts) add_removed(claims_.requests[idle.request], claims_.rooms, reasons);
  bool gone = idle.code == PendCode::QueueClosed && !claims_.requests[idle.request].queue;
  if (reasons.empty()) reasons.push_back(gone ? gone_queue_reason(idle) : idle_reason(idle));
  // The rule that decides goes first.
  std::stable_sort(reasons.begin(), reasons.end(), [&](const PendReason& a, const PendReason& b) {
    return (a.code == idle.code) > (b.code == idle.code);
  });
  return shared = std::make_shared<const std::vector<PendReason>>(std::move(reasons));
}

ReasonWriter::Limit ReasonWriter::limit_of(const Claim& claim, LimitOf of) const {
  const JobSpec& spec = claim.spec();
  const QueueConf* queue = claims_.requests[claim.request].queue;
  std::string user = "user " + named(spec.owner.user), in = "queue " + named(spec.queue);
  auto used = [&](std::string_view queue_name, std::string_view user_name) {
    auto it = held_.find({queue_name, user_name});
    return it == held_.end() ? 0 : it->second;
  };
  switch (of) {
    case LimitOf::Queue:
      return {PendCode::QueueLimit, queue ? queue->max_slots : 0, used(spec.queue, ""),
              "The queue has reached its job slot limit: " + in, "a job of the queue"};
    case LimitOf::UserInQueue:
      return {PendCode::UserLimit, queue ? queue->user_slots : 0, used(spec.queue, spec.owner.user),
              "User has reached the per-user job slot limit of the queue: " + user + ", " + in,
              "a job of the user in this queue"};
    case LimitOf::User:
    case LimitOf::Rule: break;
  }
  const UserConf* conf = cluster_.config->user(spec.owner.user);
  if (!conf) conf = cluster_.config->user("default");
  return {PendCode::UserLimit, conf ? conf->max_slots : 0, used("", spec.owner.user),
          "The user has reached his/her job slot limit: " + user, "a job of the user"};
}

// What is not in use goes to jobs before it, which were counted first.
PendReason ReasonWriter::limit_reason(const Claim& claim) const {
  if (claim.closed == LimitOf::Rule) {
    bool group = claim.barrier == PendCode::GroupLimit;
    std::string what = group ? "The specified job group has reached its job limit: "
                             : "Resource limit defined by the administrator has been reached: ";
    return {claim.barrier, what + claim.closed_by, 0,
            group ? "starts when a job of the group ends; bjgroup -s"
                  : "starts when a job that "
                    "counts ends; blimits"};
  }
  Limit limit = limit_of(claim, claim.closed);
  std::string text = limit.text + limit.use();
  if (limit.used + claim.min <= limit.slots) text += ", the rest goes to jobs before it";
  return {limit.code, text, 0, "starts when " + limit.whose + " ends"};
}

std::string ReasonWriter::use_of(const Claim& claim) const {
  const PlanUse& use = claim.price.gpu ? gpus_ : slots_;
  int plan = tree_.nodes[claim.user_node].parent;
  std::string what = claim.price.gpu ? "GPU" : "slot";
  std::string text = "plan " + named(tree_.names[plan]) + " uses " + count_of(use.of(plan), what) +
                     ", user " + named(claim.spec().owner.user) + " " +
                     std::to_string(use.of(claim.user_node));
  // Those are counted in GPUs, yet they take slots.
  if (claim.price.gpu || beside_gpus_ == 0) return text;
  return text + ", jobs with GPUs " + std::to_string(beside_gpus_) + " more";
}

// GPUs are there, and something else than a share keeps them.
std::optional<PendReason> ReasonWriter::kept_gpu_reason(const Claim& claim) const {
  const TaskRequest& task = claim.spec().task;
  if (task.milli_gpus == 0) return {};
  auto kept = kept_gpus(claims_.requests[claim.request], claims_.rooms, task);
  if (kept.text.empty()) return {};
  bool share = !kept.all && claim.price.gpu;
  return PendReason{PendCode::Resources,
                    "Not enough GPUs: " + count_of(gpus_of(task), "GPU") + " asked; " + kept.text +
                        (share ? "; " + use_of(claim) : ""),
                    0, "bhosts -gpu shows them; starts when one is well or free again"};
}

// Not admitted: a plan's limit, or all that its share covers is in use.
PendReason ReasonWriter::share_reason(const Claim& claim) const {
  const PlanUse& use = claim.price.gpu ? gpus_ : slots_;
  int full = use.over_limit(claim.user_node, claim.price.cost(claim.min));
  if (full >= 0) {
    return {PendCode::PlanLimit,
            "Plan has reached its limit: plan " + named(tree_.names[full]) + ", " +
                count_of(tree_.nodes[full].limit, claim.price.gpu ? "GPU" : "slot"),
            0, "starts when a job of the plan ends"};
  }
  if (auto kept = kept_gpu_reason(claim)) return *std::move(kept);
  if (claim.price.gpu) {
    return {PendCode::Resources,
            "Not enough GPUs: " + count_of(claim.price.cost(claim.min), "GPU") + " asked; " +
                use_of(claim),
            0, "starts when its share frees up or others end"};
  }
  return {PendCode::Slots,
          "Not enough job slot(s): " + count_of(claim.min, "slot") + " asked; " + use_of(claim), 0,
          "starts when its share frees up or others end"};
}

// Of its own reservation, or what those of others keep on hosts that would do.
std::optional<PendReason> ReasonWriter::reserved_reason(const Claim& claim) const {
  if (claims_.kept.all.empty()) return {};
  if (claim.reserved)
    return PendReason{PendCode::Reserved,
                      "Not enough slots left in advance reservation " +
                          named(claim.spec().reservation) + ": " + count_of(claim.min, "slot") +
                          " asked",
                      0, "starts when a job of the reservation ends; brsvs shows it"};
  const Request& request = claims_.requests[claim.request];
  std::set<std::uint32_t> hosts;
  std::set<std::string> names;
  for (const KeptSlots& kept : claims_.kept.all) {
    bool open = request.suits[kept.room] == Suits::Yes && kept.slots > kept.used;
    if (!open || places_.room(kept.room).now.slots <= 0) continue;
    hosts.insert(kept.room);
    names.insert(named(kept.of->name));
  }
  if (hosts.empty()) return {};
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
  auto count = static_cast<std::uint32_t>(hosts.size());
  return PendReason{
      PendCode::Reserved,
      "Slots are kept for advance reservation " + all + ": " + count_of(count, "host"), count,
      "give a run limit (-W) that ends before it begins"};
}

// Admitted, yet the tasks do not fit on the hosts.
PendReason ReasonWriter::unplaced_reason(const Claim& claim) const {
  const Request& request = claims_.requests[claim.request];
  auto hosts = static_cast<std::uint32_t>(request.hosts.size());
  if (std::uint32_t stuck = stuck_slots(claims_, request)) {
    return {PendCode::Stuck,
            "Not enough job slot(s): " + count_of(stuck, "slot") + " not proven free after a kill",
            hosts, "see bhosts -l; free the processes or the GPU, or close the host"};
  }
  if (auto kept = kept_gpu_reason(claim)) return *std::move(kept);
  const TaskRequest& task = claim.spec().task;
  bool plain = task.milli_gpus == 0 && task.mem.value == 0 && claim.spec().span == Span{};
  if (plain) {
    return {PendCode::Slots, "Not enough job slot(s): " + count_of(claim.min, "slot") + " asked",
            hosts, "starts when enough slots are free at once; or ask for fewer with -n"};
  }
  if (request.binds()) {
    return {PendCode::Requirement,
            "Job's resource requirements not satisfied: same[] or cu[] leaves no " +
                count_of(claim.min, "slot") + " together on " + count_of(hosts, "host"),
            hosts, "starts when hosts that belong together have room; or ask without same[], cu[]"};
  }
  return {PendCode::Resources,
          "Job's resource requirements not satisfied: " + count_of(hosts, "host"), hosts,
          "starts when a host has room for its tasks together"};
}

namespace {

PendReason released_reason(const Promise& promise) {
  std::string text = "Waiting for " + count_of(promise.tasks, "slot") + " being released";
  if (!promise.from.empty()) text += " by " + jobs_of(promise.from);
  return {PendCode::Released, text, 0, "starts when they are free"};
}

}  // namespace

// A job that made way for another starts after it.
PendReason ReasonWriter::preempted_reason(const Claim& claim) const {
  std::string by = named(to_string(claim.job->waits.preempted->by));
  return {PendCode::Priority, "Preempted by job " + by + ", which starts first", 0,
          "starts when job " + by + " has started and there is room"};
}

PendReason ReasonWriter::deciding_reason(const Claim& claim) const {
  if (claim.barred == Barred::Limit)
    return claim.barrier == PendCode::Priority ? preempted_reason(claim)
           : claim.barrier == PendCode::Budget ? budget_reason(budgets_, claim)
                                               : limit_reason(claim);
  if (claim.reserved) return *reserved_reason(claim);
  return claim.barred == Barred::Unplaced ? unplaced_reason(claim) : share_reason(claim);
}

// Limits that would keep it out, too.
void ReasonWriter::add_limits(const Claim& claim, std::vector<PendReason>& reasons) const {
  for (LimitOf of : {LimitOf::Queue, LimitOf::UserInQueue, LimitOf::User}) {
    Limit limit = limit_of(claim, of);
    bool known = std::any_of(reasons.begin(), reasons.end(),
                             [&](const PendReason& reason) { return reason.code == limit.code; });
    if (limit.slots == 0 || known || limit.used + claim.min <= limit.slots) continue;
    reasons.push_back(
        {limit.code, limit.text + limit.use(), 0, "starts when some of these jobs end"});
  }
}

namespace {

bool by_hosts(const PendReason& a, const PendReason& b) {
  return a.hosts_removed > b.hosts_removed;
}

}  // namespace

// What the pass found, and what it has changed since.
const Shortage& ReasonWriter::shortage_of(const Claim& claim) {
  auto [it, is_new] = shortages_.try_emplace(claim.request);
  if (!is_new) return it->second;
  const Request& request = claims_.requests[claim.request];
  it->second = claims_.tally.shortage(claim.request, claims_.rooms, claims_.requests);
  for (std::uint32_t at : places_.edited()) {
    if (request.suits[at] != Suits::Yes) continue;
    count(it->second, lacks_of(claims_.rooms[at], claim.spec()), -1);
    count(it->second, lacks_of(places_.room(at), claim.spec()), 1);
  }
  return it->second;
}

// What hosts that would do lack now.
void ReasonWriter::add_shortages(const Claim& claim, std::vector<PendReason>& reasons) {
  const TaskRequest& task = claim.spec().task;
  const Shortage& shortage = shortage_of(claim);
  auto add = [&](PendCode code, std::uint32_t hosts, const std::string& text,
                 const std::string& fix) {
    if (hosts == 0) return;
    PendReason& first = reasons.front();
    bool told = first.code == code && first.hosts_removed == 0;
    if (told) first.hosts_removed = hosts;
    else reasons.push_back({code, text + ": " + count_of(hosts, "host"), hosts, fix});
  };
  std::string gpus = count_of(gpus_of(task), "GPU") +
                     (task.gpu_model.empty() ? "" : " of model " + task.gpu_model);
  if (task.milli_gpus)
    add(PendCode::Resources, shortage.gpus, "Not enough GPUs free, " + gpus + " asked",
        "starts when a job with GPUs ends; or ask for fewer");
  add(PendCode::Slots, shortage.slots, "Job slot limit reached", "starts when a job there ends");
  add(PendCode::Resources, shortage.mem,
      "Not enough memory free, " + format_bytes(task.mem) +
          (task.mem_per_host ? " a host asked" : " a task asked"),
      "starts when a job there ends; or ask for less with -M or rusage[mem=]");
  if (shortage.cpus > shortage.slots)
    add(PendCode::Resources, shortage.cpus,
        "Not enough CPUs free, " + std::to_string(task.milli_cpus / 1000) + " a task asked",
        "starts when a job there ends; or ask for fewer cores with affinity[]");
  add(PendCode::Resources, shortage.exclusive, "Exclusive use keeps jobs apart",
      "starts when the jobs there end; or ask without -x");
}

Reasons ReasonWriter::of(const Claim& claim, const Promise* promise) {
  if (promise && promise->tasks > 0) {
    return std::make_shared<const std::vector<PendReason>>(1, released_reason(*promise));
  }
  Reasons& shared = shared_[key_of(claim)];
  if (shared) return shared;
  std::vector<PendReason> reasons{deciding_reason(claim)};
  add_limits(claim, reasons);
  add_shortages(claim, reasons);
  if (auto kept = claim.reserved ? std::nullopt : reserved_reason(claim))
    reasons.push_back(std::move(*kept));
  add_removed(claims_.requests[claim.request], claims_.rooms, reasons);
  std::stable_sort(reasons.begin() + 1, reasons.end(), by_hosts);
  return shared = std::make_shared<const std::vector<PendReason>>(std::move(reasons));
}

}  // namespace wm::sched
