#include "libwm/sched/placement/board.h"

#include <algorithm>

namespace wm::sched {

Board::Board(const Cluster& state, Claims& all, const PlanTree& tree, const SchedPolicy& policy,
             Timeline& timeline)
    : cluster(state),
      claims(all),
      clock(timeline.clock),
      places(claims, policy.hosts_looked_at),
      donors(claims.all, places),
      gates(*cluster.config, tree, claims),
      held(claims, tree, policy, timeline) {
  places.respect(held);
}

void add_once(std::vector<JobId>& jobs, const std::vector<JobId>& more) {
  for (JobId job : more) {
    if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) jobs.push_back(job);
  }
}

bool grows_beyond_start(const Claim& claim) {
  bool started = !claim.pending() || (claim.admitted == 1 && claim.copies == 1);
  return started && claim.kind != ClaimKind::Fixed;
}

TasksByRoom Board::rooms_of(const Job& job) const {
  TasksByRoom has;
  for (const Task& task : job.tasks) {
    auto at = static_cast<std::uint32_t>(room_at(places.rooms(), task.host));
    if (is_wanted(task) && at < places.rooms().size()) ++has[at];
  }
  return has;
}

JobId Board::copy_id(const Claim& claim, std::size_t skip) const {
  if (claim.job->state != JobState::Array) return claim.id;
  auto eligible = claims.eligible.find(claim.id.job);
  if (eligible != claims.eligible.end()) return {claim.id.job, eligible->second[skip]};
  std::uint32_t position = claim.job->elements.next_position;
  for (;; ++position) {
    if (cluster.elements.find(claim.job->elements.first + position)) continue;
    if (skip-- == 0) break;
  }
  return {claim.id.job, element_index(claim.spec(), position)};
}

void Board::promise(const Claim& claim, const Promise& more) {
  Promise& promise = promises[&claim];
  promise.tasks += more.tasks;
  add_once(promise.from, more.from);
}

void Board::grant(const Claim& claim, const Share& share, std::vector<Spot>& spots,
                  Placed& placed) {
  auto more = places.take(claim, share, placed.has);
  held.occupy(claim, share, When::Now);
  spots.insert(spots.end(), more.begin(), more.end());
  placed.has[share.room] += share.tasks;
  placed.tasks += share.tasks;
  placed.ready += share.tasks;
}

}  // namespace wm::sched
