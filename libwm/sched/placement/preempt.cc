#include "libwm/sched/placement/preempt.h"

#include <algorithm>
#include <tuple>

#include "libwm/sched/demand/order.h"

namespace wm::sched {
namespace {

constexpr std::size_t kMostCandidates = 256;

// Started last = least work lost.
WallTime begun(const Job& job) { return job.times.dispatched; }

// Two groups of one job that live together.
bool go_together(const Claim& a, const Claim& b) {
  bool groups = a.id.job == b.id.job && group_of(*a.job) && a.id != b.id;
  return groups && !is_independent(*a.job) && !is_independent(*b.job);
}

}  // namespace

bool may_preempt(const QueueConf& winner, const QueueConf& loser) {
  if (loser.preempt_by == PreemptBy::Shrink || winner.priority <= loser.priority) return false;
  return std::any_of(winner.preempts.begin(), winner.preempts.end(), [&](const std::string& name) {
    return name == "lower" || name == loser.name;
  });
}

std::optional<MakeWay> way_of(const Config& config, const Job& job) {
  const JobSpec& spec = job.spec();
  const QueueConf* queue = config.queue(spec.queue);
  bool again = is_independent(job) || spec.rerunnable || app_of(config, spec).rerunnable ||
               (queue && queue->rerunnable);
  if (!queue || queue->preempt_by == PreemptBy::Requeue || again) return MakeWay::Requeue;
  if (queue->preempt_by == PreemptBy::Kill) return MakeWay::End;
  if (queue->terminate_when.preempt) return MakeWay::End;
  bool parks = job.state == JobState::Running && spec.task.milli_gpus == 0 && !spec.exclusive;
  return parks ? std::optional(MakeWay::Park) : std::nullopt;
}

bool Preemptor::is_victim(const Claim& claim) const {
  return std::any_of(gone_.begin(), gone_.end(), [&](const Claim* gone) {
    return gone == &claim || go_together(*gone, claim);
  });
}

// Does it hold anything on a host that the job could use?
bool Preemptor::helps(const Claim& claim, const Candidate& candidate) const {
  const auto& suits = claims_.requests[claim.request].suits;
  for (const Task& task : candidate.claim->job->tasks) {
    auto at = static_cast<std::uint32_t>(room_at(places_.rooms(), task.host));
    if (task.holds_slot() && at < suits.size() && suits[at] == Suits::Yes) return true;
  }
  return false;
}

// It has made way so often that it is left alone now.
bool Preemptor::is_spared(const Job& job) const {
  const QueueConf* queue = config_.queue(job.spec().queue);
  auto most =
      queue && queue->max_preempt ? *queue->max_preempt : config_.cluster.limits.max_preempt;
  return most != 0 && job.returns.preemptions >= most;
}

std::vector<Preemptor::Candidate> Preemptor::candidates(const Claim& claim) const {
  std::vector<Candidate> found;
  const QueueConf* queue = claims_.requests[claim.request].queue;
  auto yields = [&](std::uint32_t request) {
    const QueueConf* theirs = claims_.requests[request].queue;
    return queue && theirs && may_preempt(*queue, *theirs);
  };
  auto consider = [&](const Claim& other) {
    if (is_spared(*other.job)) return;
    bool runs =
        (other.job->state == JobState::Running || other.job->state == JobState::Launching) &&
        !left_alone_(other.id);
    auto how = way_of(config_, *other.job);
    if (!how) return;
    Candidate candidate{&other, *how};
    if (runs && !is_victim(other) && helps(claim, candidate)) found.push_back(candidate);
  };
  for (const Claim& other : claims_.all)
    if (!other.pending() && yields(other.request)) consider(other);
  for (const Steady& group : claims_.steady) {
    if (!yields(group.request)) continue;
    for (const Claim& other : group.claims) consider(other);
  }
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    auto key = [](const Candidate& c) {
      return std::make_tuple(c.how, -c.claim->order.rank, -begun(*c.claim->job).time_since_epoch(),
                             c.claim->now);
    };
    return key(a) != key(b) ? key(a) < key(b) : b.claim->id < a.claim->id;
  });
  if (found.size() > kMostCandidates) found.resize(kMostCandidates);
  return found;
}

std::vector<const Claim*> Preemptor::going_with(const Claim& victim, MakeWay how) const {
  std::vector<const Claim*> going{&victim};
  bool alone = how == MakeWay::Park || !group_of(*victim.job) || is_independent(*victim.job);
  if (alone) return going;
  auto consider = [&](const Claim& other) {
    if (!other.pending() && go_together(victim, other)) going.push_back(&other);
  };
  for (const Claim& other : claims_.all) consider(other);
  for (const Steady& group : claims_.steady)
    for (const Claim& other : group.claims) consider(other);
  return going;
}

void Preemptor::release(const Claim& victim, MakeWay how) {
  for (const Claim* gone : going_with(victim, how)) {
    for (const Task& task : gone->job->tasks) {
      auto at = static_cast<std::uint32_t>(room_at(places_.rooms(), task.host));
      bool frees = at < places_.rooms().size() && is_wanted(task) && places_.room(at).open;
      if (!frees) continue;
      places_.release(*gone, at, task, how == MakeWay::Park);
      held_.leave(at, *gone->job, task, how == MakeWay::Park);
    }
  }
}

void Preemptor::try_without(const std::vector<const Claim*>& victims) {
  places_.begin();
  held_.begin();
  for (const Claim* victim : victims) release(*victim);
}

void Preemptor::put_back() {
  places_.rollback();
  held_.rollback();
}

Duration Preemptor::longest_grace(const std::vector<Candidate>& from) const {
  Duration longest{};
  for (const Candidate& candidate : from)
    longest = std::max(longest, claims_.requests[candidate.claim->request].queue->preempt_grace);
  return longest;
}

// The first of them that together make room; empty if all do not.
std::vector<const Claim*> Preemptor::enough(const Claim& claim,
                                            const std::vector<Candidate>& from) {
  std::vector<const Claim*> victims;
  for (const Candidate& candidate : from) {
    bool goes_along = std::any_of(victims.begin(), victims.end(), [&](const Claim* victim) {
      return go_together(*victim, *candidate.claim);
    });
    if (goes_along) continue;
    release(*candidate.claim, candidate.how);
    victims.push_back(candidate.claim);
    if (!places_.choose_coming(claim, claim.min).empty()) return victims;
  }
  return {};
}

bool Preemptor::fits_without(const Claim& claim, const std::vector<const Claim*>& victims) {
  try_without(victims);
  bool fits = !places_.choose_coming(claim, claim.min).empty();
  put_back();
  return fits;
}

// Would the room go to a claim that stands before this one, holds places and was not served yet?
bool Preemptor::goes_to_an_earlier_one(const Claim& claim,
                                       const std::vector<const Claim*>& victims) {
  try_without(victims);
  bool goes = std::any_of(claims_.all.begin(), claims_.all.end(), [&](const Claim& other) {
    bool earlier = other.pending() && held_.holds(other) && goes_before(other, claim);
    if (!earlier || served_.count(&other)) return false;
    held_.let_go(other);
    bool fits = !places_.choose_coming(other, other.min).empty();
    held_.take_back(other);
    return fits;
  });
  put_back();
  return goes;
}

// Leaves out victims that are not needed, those with the greatest loss first.
std::vector<const Claim*> Preemptor::needed(const Claim& claim, std::vector<const Claim*> victims) {
  for (std::size_t i = victims.size(); i-- > 0 && victims.size() > 1;) {
    auto fewer = victims;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (fits_without(claim, fewer)) victims = std::move(fewer);
  }
  return victims;
}

Victims Preemptor::find(const Claim& claim) {
  held_.let_go(claim);
  held_.wait_longer({});
  Victims found = search(claim);
  if (found.victims.empty()) {
    held_.take_back(claim);
    return found;
  }
  for (const Claim* victim : found.victims) release(*victim);
  found.shares = places_.choose_coming(claim, claim.min);
  for (const Share& share : found.shares) places_.take(claim, share, {});
  held_.move(claim, found.shares);
  gone_.insert(gone_.end(), found.victims.begin(), found.victims.end());
  served_.insert(&claim);
  return found;
}

Victims Preemptor::search(const Claim& claim) {
  // It fits already: shares or limits keep it out, and those no victim changes.
  if (!places_.choose_coming(claim, claim.min).empty()) return {};
  auto from = candidates(claim);
  if (from.empty()) return {};
  held_.wait_longer(longest_grace(from));
  try_without({});
  Victims found;
  found.victims = enough(claim, from);
  put_back();
  if (found.victims.empty()) return {};
  found.victims = needed(claim, found.victims);
  if (goes_to_an_earlier_one(claim, found.victims)) return {};
  return found;
}

}  // namespace wm::sched
