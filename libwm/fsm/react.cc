// What has to be done, and which events follow: functions of the state alone.
#include <algorithm>

#include "libwm/fsm/edit.h"
#include "libwm/fsm/group_fsm.h"
#include "libwm/model/groups.h"

namespace wm::fsm {
namespace {

// Hosts that have or had a task of this attempt: they are told, if only to forget it.
std::set<HostId> hosts_of(const Job& job) {
  std::set<HostId> hosts;
  for (const auto& task : job.tasks) hosts.insert(task.host);
  return hosts;
}

bool is_silent(const Cluster& c, HostId host) {
  const Host* h = c.hosts.find(host.value);
  return !h || h->state != HostState::Ok;
}

bool has_live_task_on(const Job& job, HostId host) {
  return std::any_of(job.tasks.begin(), job.tasks.end(), [&](const Task& t) {
    return t.host == host && t.holds_slot() && t.state != TaskState::Stuck;
  });
}

// The lead belongs on rank 0's host. It moves when its own host holds no task of the job
// any more, or is silent; to the first member that can be reached.
std::vector<EventBody> lead_for(const Cluster& c, const Job& job) {
  const auto& m = job.membership;
  if (!m.in_place || is_over(job.state) || job.state == JobState::Pending ||
      job.state == JobState::Held)
    return {};
  if (has_live_task_on(job, m.lead_host) && !is_silent(c, m.lead_host)) return {};
  auto candidate = [&](const Task& t) {
    return t.holds_slot() && t.state == TaskState::Running && !t.kill && !is_silent(c, t.host) &&
           m.agents.count(t.host);
  };
  auto appoint = [&](HostId host) {
    return std::vector<EventBody>{
        LeadAppointed{job.id, job.attempt, LeadNumber{m.lead.value + 1}, host}};
  };
  for (auto number : m.members) {
    const Task* task = find_task(job, number);
    if (task && candidate(*task)) return appoint(task->host);
  }
  for (const auto& task : job.tasks)
    if (candidate(task)) return appoint(task.host);
  return {};
}

// Agents of a job's groups are told of each other.
void add_groups(const Cluster& c, std::set<JobId>& agents) {
  for (JobId id : std::set<JobId>(agents)) {
    const Job* job = find_job(c, id);
    if (job && group_of(*job))
      each_group(c, *job, [&](const Job& group) { agents.insert(group.id); });
  }
}

}  // namespace

Actions react(const Cluster& cluster, const Touched& touched) {
  Actions actions;
  std::set<OrderHost> orders;
  for (auto id : touched.orders) {
    const Job* job = find_job(cluster, id);
    if (!job) continue;
    for (auto host : hosts_of(*job)) orders.insert({host, id});
  }
  for (auto host : touched.hosts)
    each_job_on(cluster, host, [&](const Job& job) { orders.insert({host, job.id}); });
  actions.insert(actions.end(), orders.begin(), orders.end());
  auto agents = touched.agents;
  for (const auto& order : orders) agents.insert(order.job);
  add_groups(cluster, agents);
  for (auto id : agents) {
    const Job* job = find_job(cluster, id);
    if (!job || is_over(job->state)) continue;
    if (job->spec().elastic || !job->membership.agents.empty()) actions.push_back(OrderAgents{id});
  }
  if (touched.schedule) actions.push_back(RunScheduler{});
  return actions;
}

Touched touch_everything(const Cluster& cluster) {
  Touched t;
  t.schedule = true;
  each_job(cluster, [&](const Job& job) {
    if (slots_held(job) == 0) return;
    t.orders.insert(job.id);
    t.agents.insert(job.id);
    t.jobs.insert(job.id);
  });
  return t;
}

std::vector<EventBody> follow(const Cluster& cluster, const Touched& touched) {
  std::vector<EventBody> events;
  for (auto id : touched.jobs) {
    const Job* job = find_job(cluster, id);
    if (!job || is_array(*job)) continue;
    for (auto& event : follow_groups(cluster, *job)) events.push_back(std::move(event));
    for (auto& event : closings(cluster, *job)) events.push_back(std::move(event));
    for (auto& event : moves_of(cluster, *job)) events.push_back(std::move(event));
    if (!job->spec().elastic) continue;
    for (auto& event : lead_for(cluster, *job)) events.push_back(std::move(event));
  }
  return events;
}

}  // namespace wm::fsm
