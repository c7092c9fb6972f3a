#include "libwm/sched/placement/moves.h"

#include <algorithm>
#include <set>
#include <vector>

#include "libwm/model/groups.h"

namespace wm::sched {
namespace {

std::vector<const Task*> moving_tasks(const Job& job) {
  std::vector<const Task*> moving;
  for (const Task& task : job.tasks) {
    bool there = task.state == TaskState::Starting || task.state == TaskState::Running;
    if (task.moves && there && !task.kill) moving.push_back(&task);
  }
  return moving;
}

// What is started again at each size leaves together with what comes.
std::uint32_t at_work(const Config& config, const Job& job, std::uint32_t granted) {
  std::uint32_t count = resize_mode_of(config, job) == ResizeMode::Restart ? granted : 0;
  for (const Task& task : job.tasks)
    count += is_wanted(task) && has_begun_work(config, job, task) ? 1 : 0;
  return count;
}

std::string words_for(const Cluster& cluster, const std::set<HostId>& hosts) {
  std::string names;
  for (HostId id : hosts)
    if (const Host* host = cluster.hosts.find(id.value)) names += " <" + host->name + ">";
  return "moved away from" + names + (hosts.size() > 1 ? ", which are" : ", which is") + " drained";
}

}  // namespace

std::optional<Shrink> leave_drained(const Cluster& cluster, const Claim& claim,
                                    std::uint32_t granted) {
  const Job& job = *claim.job;
  if (claim.kind != ClaimKind::Elastic) return {};
  auto moving = moving_tasks(job);
  auto wanted = std::max(claim.target, claim.floor);
  auto there = at_work(*cluster.config, job, granted);
  if (there == 0) wanted = std::max(wanted, 1u);  // a group that may have no task keeps its last
  std::size_t stay = wanted > there ? wanted - there : 0;
  if (moving.size() <= stay) return {};
  Shrink leave{job.id, job.attempt, {}, ""};
  std::set<HostId> hosts;
  while (moving.size() > stay) {
    leave.tasks.push_back(moving.back()->number);
    hosts.insert(moving.back()->host);
    moving.pop_back();
  }
  leave.reason = words_for(cluster, hosts);
  return leave;
}

}  // namespace wm::sched
