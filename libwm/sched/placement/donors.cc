#include "libwm/sched/placement/donors.h"

#include <algorithm>
#include <tuple>

#include "libwm/sched/amounts/speeds.h"

namespace wm::sched {
namespace {

bool is_leaving(const std::map<JobId, Leaving>& leaving, JobId job, TaskNumber task) {
  auto it = leaving.find(job);
  if (it == leaving.end()) return false;
  const auto& tasks = it->second.tasks;
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

// Where rank 0 is.
HostId home_of(const Job& job) {
  const Task* first = find_task(job, first_task(job));
  return first ? first->host : HostId{};
}

// Rank 0, but of a group that is to have no task nobody.
TaskNumber who_stays(const Claim& claim) {
  return claim.target > 0 ? first_task(*claim.job) : TaskNumber{};
}

std::vector<const Task*> wanted_apart(const Job& job) {
  HostId home = home_of(job);
  std::vector<const Task*> apart;
  for (const Task& task : job.tasks)
    if (is_wanted(task) && task.host != home) apart.push_back(&task);
  return apart;
}

}  // namespace

Donors::Donors(std::vector<Claim>& claims, Places& places) : places_(places) {
  for (Claim& claim : claims)
    if (claim.kind == ClaimKind::Elastic) add(claim);
  for (ByRoom* rooms : {&by_room_, &all_})
    for (auto& [room, candidates] : *rooms)
      std::sort(candidates.begin(), candidates.end(), leaves_before);
}

// Lowest-priority queue first, then tasks that are apart, then the later job, the higher number.
bool Donors::leaves_before(const Candidate& a, const Candidate& b) {
  return std::tie(b.claim->order.rank, b.apart, b.claim->id, b.task->number) <
         std::tie(a.claim->order.rank, a.apart, a.claim->id, a.task->number);
}

bool Donors::is_better(const Candidates& a, const Candidates& b) {
  return a.size() != b.size() ? a.size() < b.size() : leaves_before(a.front(), b.front());
}

void Donors::add(Claim& claim) {
  bool gives = claim.now > claim.target;
  if (!gives && !claim.in_place) return;
  if (gives) left_[claim.id] = std::int64_t{claim.now} - claim.target;
  surplus_ += surplus_of(claim);
  TaskNumber first = who_stays(claim);
  HostId home = home_of(*claim.job);
  for (const Task& task : claim.job->tasks) {
    if (!is_wanted(task) || task.number == first) continue;
    auto room = static_cast<std::uint32_t>(room_at(places_.rooms(), task.host));
    if (room >= places_.rooms().size()) continue;
    Candidate candidate{&claim, &task, task.host != home};
    if (gives) by_room_[room].push_back(candidate);
    all_[room].push_back(candidate);
  }
}

std::int64_t Donors::surplus_of(const Claim& claim) const {
  auto it = left_.find(claim.id);
  return it == left_.end() ? 0 : std::max<std::int64_t>(0, it->second);
}

Positions Donors::rooms() const {
  Positions rooms;
  if (surplus_ <= 0) return rooms;
  for (const auto& [room, candidates] : by_room_) rooms.push_back(room);
  return rooms;
}

bool Donors::may_leave(const Candidate& candidate, const Candidates& chosen) const {
  JobId job = candidate.claim->id;
  if (is_leaving(leaving_, job, candidate.task->number)) return false;
  auto same = [&](const Candidate& other) { return other.claim->id == job; };
  return left_.at(job) > std::count_if(chosen.begin(), chosen.end(), same);
}

// The first leavers on this host that let `chunk` tasks fit; none: it cannot be.
Donors::Candidates Donors::leavers_for(const Claim& claim, std::int64_t chunk, std::uint32_t room,
                                       const TasksByRoom& has) const {
  Candidates chosen;
  auto here = by_room_.find(room);
  if (here == by_room_.end()) return chosen;
  HostCapacity trial = places_.room(room);
  auto suffices = [&] {
    return places_.fits_in(claim, trial, room, When::Future, chunk, has) >= chunk;
  };
  for (const Candidate& candidate : here->second) {
    if (suffices()) break;
    if (candidate.claim->id == claim.id || !may_leave(candidate, chosen)) continue;
    sched::release(trial, candidate.claim->id, held_by(*candidate.claim->job), *candidate.task);
    chosen.push_back(candidate);
  }
  if (!suffices()) chosen.clear();
  return chosen;
}

std::optional<std::uint32_t> Donors::make_room(const Claim& claim, std::int64_t chunk,
                                               const TasksByRoom& has,
                                               const std::vector<std::uint32_t>& hosts) {
  // Beside its other tasks first: a job on few hosts exchanges less between hosts.
  for (const auto& [host, tasks] : has) {
    bool allowed = std::find(hosts.begin(), hosts.end(), host) != hosts.end();
    if (allowed && places_.fits(claim, host, When::Future, chunk, has) >= chunk) return host;
  }
  for (std::uint32_t host : hosts) {
    if (places_.fits(claim, host, When::Future, chunk, has) >= chunk) return host;
  }
  std::optional<std::uint32_t> room;
  Candidates best;
  bool best_beside = false;
  for (std::size_t i = 0; i < hosts.size() && surplus_ > 0; ++i) {
    Candidates needed = leavers_for(claim, chunk, hosts[i], has);
    bool beside = has.count(hosts[i]) > 0;
    if (needed.empty()) continue;
    bool better = best.empty() || needed.size() < best.size() ||
                  (needed.size() == best.size() &&
                   (beside != best_beside ? beside : is_better(needed, best)));
    if (!better) continue;
    best = std::move(needed);
    best_beside = beside;
    room = hosts[i];
  }
  for (const Candidate& candidate : best) ask(candidate, *room, claim.id);
  return room;
}

Positions Donors::clearable() const {
  Positions rooms;
  for (const auto& [room, candidates] : all_) rooms.push_back(room);
  return rooms;
}

// How many of a job's tasks may leave for a newcomer's first host. A job that loses what it is to
// keep must be able to take what others give instead.
std::int64_t Donors::may_clear(const Claim& donor, const Claim& claim) const {
  bool alike = donor.in_place && donor.request == claim.request && donor.now >= donor.target;
  if (!alike) return surplus_of(donor);
  auto asked = leaving_.find(donor.id);
  std::int64_t gone = asked == leaving_.end() ? 0 : std::ssize(asked->second.tasks);
  return std::int64_t{donor.now} - gone - donor.min;
}

// The tasks that leave so that `tasks` fit there, of jobs above target first; none, if they fit.
std::optional<Donors::Candidates> Donors::clearers(const Claim& claim, std::int64_t tasks,
                                                   std::uint32_t room) const {
  Candidates here, chosen;
  if (auto it = all_.find(room); it != all_.end()) here = it->second;
  std::stable_sort(here.begin(), here.end(), [&](const Candidate& a, const Candidate& b) {
    return (surplus_of(*a.claim) > 0) > (surplus_of(*b.claim) > 0);
  });
  HostCapacity trial = places_.room(room);
  auto suffices = [&] {
    return places_.fits_in(claim, trial, room, When::Future, tasks, {}) >= tasks;
  };
  std::map<JobId, std::int64_t> asked;
  for (const Candidate& candidate : here) {
    if (suffices()) break;
    JobId job = candidate.claim->id;
    if (is_leaving(leaving_, job, candidate.task->number)) continue;
    if (asked[job] >= may_clear(*candidate.claim, claim)) continue;
    ++asked[job];
    sched::release(trial, job, held_by(*candidate.claim->job), *candidate.task);
    chosen.push_back(candidate);
  }
  if (!suffices()) return {};
  return chosen;
}

// Tasks within their jobs' targets, and jobs.
std::pair<std::int64_t, std::int64_t> Donors::harm_of(const Candidates& leavers) const {
  std::map<const Claim*, std::int64_t> by_job;
  for (const Candidate& leaver : leavers) ++by_job[leaver.claim];
  std::int64_t kept = 0;
  for (const auto& [claim, tasks] : by_job)
    kept += std::max<std::int64_t>(0, tasks - surplus_of(*claim));
  return {kept, std::ssize(by_job)};
}

std::optional<std::uint32_t> Donors::clear_host(const Claim& claim, std::int64_t tasks,
                                                std::int64_t most, const Positions& hosts) {
  std::optional<std::uint32_t> room;
  Candidates leavers;
  std::pair<std::int64_t, std::int64_t> least;
  for (std::uint32_t host : hosts) {
    auto found = clearers(claim, tasks, host);
    if (!found) continue;
    auto harm = harm_of(*found);
    if (harm.first > most || (room && harm >= least)) continue;
    room = host;
    leavers = std::move(*found);
    least = harm;
  }
  for (const Candidate& leaver : leavers) ask(leaver, *room, claim.id);
  return room;
}

void Donors::ask(const Candidate& candidate, std::uint32_t room, JobId receiver) {
  Leaving& leaving = leaving_[candidate.claim->id];
  leaving.claim = candidate.claim;
  leaving.tasks.push_back(candidate.task->number);
  auto& receivers = leaving.receivers;
  bool known = std::find(receivers.begin(), receivers.end(), receiver) != receivers.end();
  if (receiver && !known) receivers.push_back(receiver);
  places_.release(*candidate.claim, room, *candidate.task);
  if (surplus_of(*candidate.claim) > 0) --surplus_;
  --left_[candidate.claim->id];
}

void Donors::release_above_limit(std::vector<Claim>& claims) {
  for (Claim& claim : claims) {
    if (claim.kind != ClaimKind::Elastic) continue;
    std::uint32_t cap = task_cap(*claim.job);
    bool spent = claim.barrier == PendCode::Budget && claim.max < cap;
    std::uint32_t limit = std::max(claim.min, std::min(spent ? claim.max : cap, claim.gain.useful));
    for (std::uint32_t n = claim.now; n > limit; --n) ask_last(claim, JobId{});
    auto own = leaving_.find(claim.id);
    if (own == leaving_.end()) continue;
    own->second.why = claim.now > cap ? "its limit was lowered"
                      : spent         ? "its budget is used up"
                                      : "no faster with more tasks";
  }
}

void Donors::release_apart(std::vector<Claim>& claims, WallTime now) {
  for (Claim& claim : claims) {
    bool asks = claim.kind == ClaimKind::Elastic && claim.in_place && claim.gain.curve &&
                !leaving_.count(claim.id) && places_.packs(claim);
    if (!asks) continue;
    std::vector<const Task*> apart = wanted_apart(*claim.job);
    auto stay = static_cast<std::uint32_t>(claim.now - apart.size());
    if (apart.empty() || stay < claim.min || !claim.suits(stay)) continue;
    if (!is_faster_together(claim, stay, now)) continue;
    for (const Task* task : apart) {
      auto room = static_cast<std::uint32_t>(room_at(places_.rooms(), task->host));
      if (room < places_.rooms().size()) ask({&claim, task}, room, JobId{});
    }
    leaving_[claim.id].why = "faster on fewer hosts";
  }
}

void Donors::release_surplus(Claim& donor, JobId receiver) {
  auto it = left_.find(donor.id);
  for (std::int64_t n = it == left_.end() ? 0 : it->second; n > 0; --n) ask_last(donor, receiver);
}

// Its highest-numbered task that is not asked yet.
void Donors::ask_last(Claim& claim, JobId receiver) {
  TaskNumber first = who_stays(claim);
  const Task* last = nullptr;
  for (const Task& task : claim.job->tasks) {
    bool free =
        is_wanted(task) && task.number != first && !is_leaving(leaving_, claim.id, task.number);
    if (free && (!last || task.number > last->number)) last = &task;
  }
  if (!last) return;
  auto room = static_cast<std::uint32_t>(room_at(places_.rooms(), last->host));
  if (room < places_.rooms().size()) ask({&claim, last}, room, receiver);
}

void Donors::begin() {
  left_before_ = left_;
  leaving_before_ = leaving_;
  surplus_before_ = surplus_;
}

void Donors::rollback() {
  left_ = std::move(left_before_);
  leaving_ = std::move(leaving_before_);
  surplus_ = surplus_before_;
}

}  // namespace wm::sched
