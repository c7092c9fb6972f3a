#include "libwm/sched/schedule.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "libwm/sched/amounts/budgets.h"
#include "libwm/sched/amounts/goals.h"
#include "libwm/sched/amounts/limits.h"
#include "libwm/sched/amounts/speeds.h"
#include "libwm/sched/amounts/targets.h"
#include "libwm/sched/demand/order.h"
#include "libwm/sched/demand/past_use.h"
#include "libwm/sched/placement/moves.h"
#include "libwm/sched/placement/placement.h"
#include "libwm/sched/placement/preempt.h"
#include "libwm/sched/reasons.h"
#include "libwm/sched/shares/windows.h"

namespace wm::sched {
namespace {

class Pass {
 public:
  /// `memory` has been refreshed.
  Pass(const Cluster& cluster, const SchedPolicy& policy, WallTime now, Memory& memory)
      : cluster_(cluster),
        policy_(policy),
        memory_(memory),
        claims_(*memory.claims),
        tree_(tree_of(*cluster.config, now)),
        timeline_{{now, cluster.config->cluster.times.reclaim_grace}, {}},
        budgets_(cluster, now) {}
  Plan run();

 private:
  void place_users();
  void look_at(WallTime when);
  void settle();
  void start_spare(Spare spare);
  void mark_owed();
  void preempt();
  bool may_preempt(const Claim& claim) const;
  void add_preempts(const Claim& claim, JobId by, const Victims& found);
  bool is_preempted(JobId job) const {
    return std::any_of(plan_.preempts.begin(), plan_.preempts.end(),
                       [&](const Preempt& piece) { return piece.job == job; });
  }
  void add_pieces();
  void add_moves();
  void add_waiting();
  void add_rests(ReasonWriter& writer, std::vector<Reasons> rests);
  void add_promises();
  bool starts(const Claim& claim) const;
  bool is_started(JobId job) const;
  std::string grow_reason(const Claim& claim) const;

  const Cluster& cluster_;
  const SchedPolicy& policy_;
  Memory& memory_;
  Claims& claims_;
  PlanTree tree_;
  Timeline timeline_;
  BudgetBook budgets_;
  std::optional<Placement> placement_;
  Plan plan_;
};

void Pass::place_users() {
  std::vector<const Claim*> first(memory_.owners.size());  // of each owner
  auto meet = [&](const Claim& claim) {
    const Claim*& known = first[claim.owner];
    if (!known || goes_before(claim, *known)) known = &claim;
  };
  for (const Claim& claim : claims_.all) meet(claim);
  for (const Claim& claim : claims_.ending) meet(claim);
  for (const Steady& group : claims_.steady)
    if (!group.claims.empty()) meet(group.claims.front());
  std::erase(first, nullptr);
  std::sort(first.begin(), first.end(),
            [](const Claim* a, const Claim* b) { return goes_before(*a, *b); });
  std::vector<int> nodes(memory_.owners.size());
  for (const Claim* claim : first)
    nodes[claim->owner] = tree_.user(claim->spec().plan, claim->spec().owner.user);
  for (Claim& claim : claims_.all) claim.user_node = nodes[claim.owner];
  for (Claim& claim : claims_.ending) claim.user_node = nodes[claim.owner];
  for (Steady& group : claims_.steady) group.user_node = nodes[group.owner];
  weigh(tree_, cluster_, timeline_.clock.now);
}

// Another pass is due then, at the latest.
void Pass::look_at(WallTime when) {
  if (when == WallTime{}) return;
  if (plan_.look_again == WallTime{} || when < plan_.look_again) plan_.look_again = when;
}

PlanUse use_of(const PlanTree& tree, const Claims& claims, bool gpu) {
  PlanUse use(tree);
  for (const Claim& claim : claims.all) {
    if (claim.price.gpu == gpu) use.add(claim.user_node, claim.used());
  }
  for (const Steady& group : claims.steady)
    if (group.gpu == gpu) use.add(group.user_node, group.cost);
  return use;
}

// Amounts and places, until all amounts could be placed.
void Pass::settle() {
  Capacities capacities = capacities_of(claims_);
  Spare spare;
  for (std::uint32_t round = 0; round < std::max(1u, policy_.max_rounds); ++round) {
    spare = set_targets(claims_.all, tree_, capacities, claims_.steady);
    WallTime pays = keep_what_does_not_pay(claims_.all, timeline_.clock.now);
    if (!policy_.speed.speeds) look_at(pays);  // given curves come with the time to look again
    placement_.emplace(cluster_, claims_, tree_, policy_, timeline_);
    if (placement_->run()) break;
  }
  preempt();  // before others take what is free for good
  start_spare(spare);
}

// Offers what was granted to claims that found no host, and what their limits left, to other
// pending claims.
void Pass::start_spare(Spare spare) {
  for (bool gpu : {true, false}) {
    Units left = (gpu ? spare.gpus : spare.slots) + placement_->unused(gpu);
    PlanUse use = use_of(tree_, claims_, gpu);
    for (Claim& claim : claims_.all) {
      if (left <= 0) break;
      Units cost = claim.price.cost(claim.min);
      bool idle = claim.pending() && !claim.rest && claim.admitted == 0 && claim.copies > 0 &&
                  claim.barrier != PendCode::Budget;
      bool tries = claim.price.gpu == gpu && idle && !claim.made_way() && cost <= left &&
                   use.allows(claim.user_node, cost);
      if (!tries || !placement_->start_spare(claim)) continue;
      left -= cost;
      use.add(claim.user_node, cost);
    }
  }
}

std::string Pass::grow_reason(const Claim& claim) const {
  return (claim.gain.known ? "goodput: " : "fair share: ") + std::to_string(claim.target) +
         " of at most " + std::to_string(task_cap(*claim.job));
}

// Jobs for which others make way have a right to what becomes free; the others start after them.
void Pass::mark_owed() {
  if (claims_.owed.empty()) return;
  std::vector<JobId> waiting;
  for (Claim& claim : claims_.all) {
    bool owed = std::binary_search(claims_.owed.begin(), claims_.owed.end(), claim.id);
    if (!owed || !claim.pending() || claim.barred != Barred::No) continue;
    claim.floor = claim.min;
    waiting.push_back(claim.id);
  }
  std::sort(waiting.begin(), waiting.end());
  for (Claim& claim : claims_.all) {
    if (!claim.pending()) continue;
    JobId by = makes_way_for(cluster_, *claim.job);
    if (!std::binary_search(waiting.begin(), waiting.end(), by)) continue;
    claim.barred = Barred::Limit;
    claim.barrier = PendCode::Priority;
  }
}

// What victims could help: it waits for room, its own and not another's, and may preempt.
bool Pass::may_preempt(const Claim& claim) const {
  const QueueConf* queue = claims_.requests[claim.request].queue;
  return claim.pending() && !claim.parked && !claim.rest && claim.admitted == 0 &&
         claim.barred != Barred::Limit && queue && !queue->preempts.empty() &&
         !placement_->promises().count(&claim);
}

// In dispatch order: what found no place in any gentler way.
void Pass::preempt() {
  constexpr int kMostSearches = 64;
  Preemptor preemptor(*cluster_.config, claims_, placement_->places(), placement_->held(),
                      [this](JobId job) { return placement_->leaving().count(job) > 0; });
  const PlanUse slots = use_of(tree_, claims_, false), gpus = use_of(tree_, claims_, true);
  int searches = 0;
  using Kind = std::tuple<std::uint32_t, std::uint32_t, Duration>;  // request, tasks, run limit
  std::set<Kind> failed;         // nobody can make way for those, nor for those behind them
  placement_->offer_kept(true);  // kept for jobs of lower queues
  for (const Claim& claim : claims_.all) {
    if (!may_preempt(claim)) continue;
    const PlanUse& use = claim.price.gpu ? gpus : slots;
    const Kind kind{claim.request, claim.min, claim.limit};
    for (std::uint32_t copy = 0; copy < claim.copies; ++copy) {
      if (use.over_limit(claim.user_node, (copy + 1) * claim.price.cost(claim.min)) >= 0) break;
      bool hopeless = failed.count(kind) && !placement_->held().holds(claim);
      if (hopeless || ++searches > kMostSearches) break;
      Victims found = preemptor.find(claim);
      if (found.victims.empty()) {
        failed.insert(kind);
        break;
      }
      failed.clear();  // victims may leave more than it takes
      add_preempts(claim, placement_->copy_id(claim, copy), found);
    }
  }
  placement_->offer_kept(false);
}

void Pass::add_preempts(const Claim& claim, JobId by, const Victims& found) {
  Promise promise{claim.min, {}};
  for (const Claim* victim : found.victims) {
    const QueueConf* queue = claims_.requests[victim->request].queue;
    std::string reason =
        "preempted by job <" + to_string(by) + "> of queue <" + claim.spec().queue + ">";
    auto how = *way_of(*cluster_.config, *victim->job);
    plan_.preempts.push_back(
        {victim->id, victim->job->attempt, by, how, queue->preempt_grace, reason});
    promise.from.push_back(victim->id);
  }
  placement_->promise(claim, promise);
}

void Pass::add_pieces() {
  for (const Claim& claim : claims_.all) {
    auto it = placement_->placed().find(&claim);
    if (it == placement_->placed().end()) continue;
    const Placed& placed = it->second;
    if (claim.parked) {
      plan_.resumes.push_back({claim.id, claim.job->attempt});
      continue;
    }
    for (const Start& start : placed.starts) {
      plan_.starts.push_back(start);
      plan_.starts.back().revision = claim.job->revision;
    }
    if (claim.pending() || placed.more.empty() || is_preempted(claim.id)) continue;
    plan_.grows.push_back({claim.id, claim.job->attempt, placed.more, grow_reason(claim)});
  }
  add_moves();
  for (const auto& [job, leaving] : placement_->leaving()) {
    if (is_preempted(job)) continue;
    std::string reason(leaving.receivers.empty() ? leaving.why : "released for job");
    for (JobId receiver : leaving.receivers) reason += " <" + to_string(receiver) + ">";
    plan_.shrinks.push_back({job, leaving.claim->job->attempt, leaving.tasks, reason});
  }
  auto by_job = [](const auto& a, const auto& b) { return a.job < b.job; };
  std::sort(plan_.starts.begin(), plan_.starts.end(), by_job);
  std::sort(plan_.grows.begin(), plan_.grows.end(), by_job);
  std::sort(plan_.preempts.begin(), plan_.preempts.end(), by_job);
  std::sort(plan_.resumes.begin(), plan_.resumes.end(), by_job);
}

void Pass::add_moves() {
  if (cluster_.indexes.draining->empty()) return;
  for (const Claim& claim : claims_.all) {
    if (claim.pending() || is_preempted(claim.id)) continue;
    auto it = placement_->placed().find(&claim);
    auto granted = it == placement_->placed().end() ? 0 : it->second.more.size();
    auto leave = leave_drained(cluster_, claim, static_cast<std::uint32_t>(granted));
    if (leave) plan_.moves.push_back(std::move(*leave));
  }
  std::sort(plan_.moves.begin(), plan_.moves.end(),
            [](const Shrink& a, const Shrink& b) { return a.job < b.job; });
}

// Reasons of what is looked at, by claim; those that come after the last alike share its own.
void Pass::add_waiting() {
  PlanUse slots = use_of(tree_, claims_, false), gpus = use_of(tree_, claims_, true);
  ReasonWriter writer(cluster_, claims_, tree_, slots, gpus, placement_->places(), budgets_);
  std::vector<Reasons> rests(memory_.alike.size());
  for (const Idle& idle : claims_.idle) plan_.waiting.push_back({idle.id, writer.of(idle)});
  for (const Claim& claim : claims_.all) {
    if (!claim.pending() || claim.parked) continue;
    auto placed = placement_->placed().find(&claim);
    auto started = placed == placement_->placed().end() ? 0 : placed->second.starts.size();
    if (started >= claim.asked) continue;
    auto promise = placement_->promises().find(&claim);
    const Promise* promised = promise == placement_->promises().end() ? nullptr : &promise->second;
    Reasons* shared = claim.alike ? &rests[claim.alike - 1] : nullptr;
    Reasons reasons = claim.rest && *shared ? *shared : writer.of(claim, promised);
    if (shared && !promised) *shared = reasons;
    if (!claim.rest) plan_.waiting.push_back({claim.id, std::move(reasons)});
  }
  auto by_job = [](const PendingJob& a, const PendingJob& b) { return a.job < b.job; };
  std::sort(plan_.waiting.begin(), plan_.waiting.end(), by_job);
  auto looked_at = static_cast<std::ptrdiff_t>(plan_.waiting.size());
  add_rests(writer, std::move(rests));
  std::inplace_merge(plan_.waiting.begin(), plan_.waiting.begin() + looked_at, plan_.waiting.end(),
                     by_job);
}

// Jobs that were not looked at one by one, by rising number.
void Pass::add_rests(ReasonWriter& writer, std::vector<Reasons> rests) {
  constexpr std::uint32_t kNobody = ~0u;
  std::vector<std::uint32_t> from(memory_.alike.size(), kNobody);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const AlikeJobs& kind = memory_.alike[i];
    if (kind.looked_at >= kind.jobs.size()) continue;
    from[i] = kind.jobs[kind.looked_at];
    if (!kind.obstacle && !kind.cut) continue;
    JobId first{from[i], 0};
    PendCode code = kind.obstacle.value_or(PendCode::New);
    rests[i] = writer.of(Idle{first, find_job(cluster_, first), code, kind.like.request});
  }
  for (const SeenJob& seen : memory_.seen_jobs) {
    bool rest = seen.made < from.size() && seen.number >= from[seen.made];
    if (rest)
      plan_.waiting.push_back({{static_cast<std::uint32_t>(seen.number), 0}, rests[seen.made]});
  }
}

// All its copies start now.
bool Pass::starts(const Claim& claim) const {
  auto placed = placement_->placed().find(&claim);
  return placed != placement_->placed().end() && placed->second.starts.size() >= claim.asked;
}

// A date is news when there was none, or when it moved by more than the tolerance; an
// estimate, which moves with every pass, also by more than a twentieth of the wait.
bool is_news(WallTime known, const DatedStart& found, const SchedPolicy& policy, WallTime now) {
  if (known == WallTime{} || found.at == WallTime{}) return known != found.at;
  Duration moved = known < found.at ? found.at - known : known - found.at;
  Duration wait = std::max(known, found.at) - now;
  Duration slack = found.holds ? Duration{} : wait / 20;
  return moved > std::max(policy.promise_tolerance, slack);
}

// It was given a date, then found room after all.
bool Pass::is_started(JobId job) const {
  auto at = std::lower_bound(plan_.starts.begin(), plan_.starts.end(), job,
                             [](const Start& start, JobId id) { return start.job < id; });
  return at != plan_.starts.end() && at->job == job;
}

void Pass::add_promises() {
  std::vector<const Claim*> waiting;
  for (const Claim& claim : claims_.all) {
    bool waits = claim.pending() && !claim.parked && !claim.rest && !starts(claim) &&
                 !placement_->promises().count(&claim);
    if (waits && waiting.size() < policy_.max_promises) waiting.push_back(&claim);
  }
  if (policy_.backfill == SchedPolicy::Backfill::None) return;
  for (const DatedStart& date : placement_->date(waiting)) {
    const Job* job = find_job(cluster_, date.job);
    if (is_started(date.job)) continue;
    const auto& [now, grace] = timeline_.clock;
    bool news = is_news(job->waits.promised, date, policy_, now);
    if (news) {
      plan_.promises.push_back(date);
      plan_.promises.back().revision = job->revision;
    }
    // A claim at its date waits for others that leave: when they have gone, a pass starts.
    look_at(date.at > now || news ? date.at : now + grace);
  }
  std::sort(plan_.promises.begin(), plan_.promises.end(),
            [](const DatedStart& a, const DatedStart& b) { return a.job < b.job; });
}

Plan Pass::run() {
  plan_.reservations = cluster_.reservations;
  apply_budgets(budgets_, claims_.all);
  look_at(budgets_.next_change());
  place_users();
  const Config& config = *cluster_.config;
  if (config.cluster.sched.elastic_worth > 0) mark_shares(claims_, capacities_of(claims_));
  attach_speeds(claims_.all, policy_.speed, config.cluster.sched);
  attach_paces(claims_, config, memory_.curves);
  weigh_claims(claims_.all, config.cluster.sched, timeline_.clock.now);
  look_at(claims_.quiet_until);
  look_at(claims_.kept.next_edge);
  look_at(claims_.rules.next_edge());
  look_at(next_window_edge(config, timeline_.clock.now));
  look_at(put_goals_first(config, claims_, timeline_.clock.now));
  apply_limits(config, claims_.all, claims_.steady, claims_.rules);
  mark_owed();
  mark_reserved(claims_);
  if (!config.classes.empty()) entitle_goals(claims_);
  mark_due(claims_, tree_, policy_, timeline_.clock);
  settle();
  add_pieces();
  if (policy_.explains) add_waiting();
  add_promises();
  return std::move(plan_);
}

}  // namespace

const std::vector<PendReason>* Plan::why(JobId job) const {
  auto find = [&](JobId id) -> const std::vector<PendReason>* {
    auto it = std::lower_bound(waiting.begin(), waiting.end(), id,
                               [](const PendingJob& w, JobId wanted) { return w.job < wanted; });
    return it != waiting.end() && it->job == id ? it->reasons.get() : nullptr;
  };
  auto* own = find(job);
  return own || job.index == 0 ? own : find({job.job, 0});
}

Plan schedule(const Cluster& cluster, const SchedPolicy& policy, WallTime now) {
  Memory memory;
  return schedule(cluster, policy, now, memory);
}

Plan schedule(const Cluster& cluster, const SchedPolicy& policy, WallTime now, Memory& memory) {
  refresh(memory, cluster, now, policy.max_pending, policy.loaded);
  line_up(memory, {policy.max_pending, policy.max_promises, false});
  return Pass(cluster, policy, now, memory).run();
}

}  // namespace wm::sched
