// Role: the jobs that take part in a pass, of those that refresh found (memory.h): of pending jobs
// that differ in nothing but their number those that could start by what running jobs leave, one by
// one in dispatch order, and one claim for all that come after.
#include <algorithm>
#include <map>
#include <queue>

#include "libwm/sched/amounts/targets.h"
#include "libwm/sched/demand/order.h"
#include "libwm/sched/memory.h"

namespace wm::sched {
namespace {

class Liner {
 public:
  Liner(Memory& memory, const LineUp& policy)
      : memory_(memory), policy_(policy), claims_(*memory.claims) {}
  void run();

 private:
  void set_bounds();
  void find_roomy();
  Units fits(const AlikeJobs& kind);
  std::uint32_t bound_of(const AlikeJobs& kind);
  Claim claim_of(const AlikeJobs& kind);
  void look_at_first();
  void add_rests();
  void name_idle();
  void unsettle();
  void merge(std::vector<Claim>& more);

  Memory& memory_;
  LineUp policy_;
  Claims& claims_;
  Capacities free_;  // that no floor of what runs takes
  std::map<std::uint32_t, HostCapacity>
      roomy_;                            // with what is coming, and what elastic jobs could give
  std::map<std::uint32_t, Units> fits_;  // tasks there, by request
  std::vector<Claim> running_, pending_, rests_;
};

// No more can start than what the floors of running jobs leave.
void Liner::set_bounds() {
  free_ = capacities_of(claims_);
  auto take = [&](bool gpu, Units tasks, Units cost) {
    if (gpu) free_.gpus -= cost;
    free_.slots -= gpu ? tasks : cost;
  };
  for (const Claim& claim : claims_.all)
    if (!claim.pending()) take(claim.price.gpu, claim.floor, claim.price.cost(claim.floor));
  for (const Steady& group : claims_.steady) take(group.gpu, group.tasks, group.cost);
}

// HostCapacities in which anything could start; in a busy cluster they are few.
void Liner::find_roomy() {
  for (std::uint32_t at : claims_.tally.roomy()) {
    const HostCapacity& room = claims_.rooms[at];
    if (room.open && room.now.slots + room.coming.slots > 0) roomy_.emplace(at, room);
  }
  for (const Claim& claim : claims_.all) {
    if (claim.kind != ClaimKind::Elastic || claim.now <= claim.floor) continue;
    for (const Task& task : claim.job->tasks) {
      auto at = static_cast<std::uint32_t>(room_at(claims_.rooms, task.host));
      if (at >= claims_.rooms.size() || !is_wanted(task) || !claims_.rooms[at].open) continue;
      release(roomy_.try_emplace(at, claims_.rooms[at]).first->second, claim.id,
              held_by(*claim.job), task);
    }
  }
}

// Tasks of the kind that all these rooms together could take.
Units Liner::fits(const AlikeJobs& kind) {
  auto [known, is_new] = fits_.try_emplace(kind.like.request);
  if (!is_new) return known->second;
  const Request& request = claims_.requests[kind.like.request];
  for (const auto& [at, room] : roomy_) {
    if (request.suits[at] == Suits::Yes)
      known->second += fit(room, kind.like.spec().task, When::Future, room.host->capacity.slots);
  }
  return known->second;
}

std::uint32_t Liner::bound_of(const AlikeJobs& kind) {
  constexpr Units kMostSearches = 64;  // for victims, in a pass
  auto all = static_cast<Units>(kind.jobs.size());
  if (policy_.every) return static_cast<std::uint32_t>(all);
  Units bound =
      (kind.like.price.gpu ? free_.gpus : free_.slots) / kind.like.price.cost(kind.like.min);
  if (bound > 1) bound = std::min(bound, fits(kind) / kind.like.min);
  bound = std::max<Units>(bound, 1);
  const QueueConf* queue = claims_.requests[kind.like.request].queue;
  if (queue && !queue->preempts.empty()) bound = std::max(bound, kMostSearches);
  for (JobId id : claims_.owed) {
    auto at = std::lower_bound(kind.jobs.begin(), kind.jobs.end(), id.job);
    bool here = id.index == 0 && at != kind.jobs.end() && *at == id.job;
    if (here) bound = std::max<Units>(bound, at - kind.jobs.begin() + 1);
  }
  return static_cast<std::uint32_t>(std::min(bound, all));
}

// Of the next that is not looked at yet. Where shares may cover it and yet nothing of the kind
// fits, whatever others give, that is known before they are divided.
Claim Liner::claim_of(const AlikeJobs& kind) {
  Claim claim = kind.like;
  bool covered = (claim.price.gpu ? free_.gpus : free_.slots) >= claim.price.cost(claim.min);
  if (!policy_.every && covered && fits(kind) < claim.min) claim.barred = Barred::Unplaced;
  claim.id = {kind.jobs[kind.looked_at], 0};
  claim.job = memory_.jobs.find(claim.id.job);
  return claim;
}

void Liner::look_at_first() {
  struct Turn {
    Claim next;
    AlikeJobs* kind;
    std::uint32_t bound;
  };
  std::vector<Turn> turns;  // in a heap: by their place
  for (AlikeJobs& kind : memory_.alike) {
    kind.looked_at = 0;
    kind.cut = false;
    if (!kind.jobs.empty() && !kind.obstacle)
      turns.push_back({claim_of(kind), &kind, bound_of(kind)});
  }
  auto later = [&](std::uint32_t a, std::uint32_t b) {
    return goes_before(turns[b].next, turns[a].next);
  };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(later)> order(later);
  for (std::uint32_t i = 0; i < turns.size(); ++i) order.push(i);
  while (!order.empty()) {
    std::uint32_t at = order.top();
    order.pop();
    Turn& turn = turns[at];
    AlikeJobs& kind = *turn.kind;
    kind.cut = pending_.size() >= policy_.most;
    if (kind.cut) continue;
    if (kind.looked_at >= turn.bound && pending_.size() >= policy_.first) continue;
    pending_.push_back(turn.next);
    if (++kind.looked_at == kind.jobs.size()) continue;
    turn.next = claim_of(kind);
    order.push(at);
  }
}

void Liner::add_rests() {
  for (const AlikeJobs& kind : memory_.alike) {
    bool any = kind.looked_at < kind.jobs.size() && !kind.obstacle && !kind.cut;
    if (!any) continue;
    Claim& rest = rests_.emplace_back(claim_of(kind));
    rest.rest = true;
    rest.copies = rest.asked = static_cast<std::uint32_t>(kind.jobs.size()) - kind.looked_at;
  }
}

// A caller that wants every job by itself also wants the jobs that are no candidates.
void Liner::name_idle() {
  for (const AlikeJobs& kind : memory_.alike) {
    if (!kind.obstacle && !kind.cut) continue;
    PendCode code = kind.obstacle.value_or(PendCode::New);
    for (std::size_t i = kind.looked_at; i < kind.jobs.size(); ++i) {
      JobId id{kind.jobs[i], 0};
      claims_.idle.push_back({id, memory_.jobs.find(id.job), code, kind.like.request});
    }
  }
}

// To be counted one by one.
void Liner::unsettle() {
  for (const Steady& group : claims_.steady)
    running_.insert(running_.end(), group.claims.begin(), group.claims.end());
  claims_.steady.clear();
  claims_.steady_on.assign(claims_.rooms.size(), {});
}

void Liner::merge(std::vector<Claim>& more) {
  auto& all = claims_.all;
  put_in_order(more);
  auto middle = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), more.begin(), more.end());
  std::inplace_merge(all.begin(), all.begin() + middle, all.end(), goes_before);
}

void Liner::run() {
  claims_.all.clear();
  running_ = memory_.loose;
  if (policy_.every) unsettle();
  merge(running_);
  merge(memory_.elastic);
  set_bounds();
  if (!policy_.every) find_roomy();
  look_at_first();
  merge(pending_);
  add_rests();
  merge(rests_);
  if (policy_.every) name_idle();
}

}  // namespace

void line_up(Memory& memory, const LineUp& policy) { Liner(memory, policy).run(); }

}  // namespace wm::sched
