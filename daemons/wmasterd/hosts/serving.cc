#include "daemons/wmasterd/hosts/serving.h"

#include <algorithm>
#include <map>

#include "daemons/wmasterd/hosts/silence.h"
#include "libwm/model/groups.h"
#include "libwm/sched/capacity/host_rules.h"

namespace wm::master {
namespace {

bool is_wanted(const Task& task) {
  return !task.kill && (task.state == TaskState::Starting || task.state == TaskState::Running);
}

bool serves(const Job& job) { return is_independent(job) && !job.spec().exec.service.empty(); }

bool goes_on(const Job& job) {
  return !is_over(job.state) && !job.kill && !job.ending && !job.waits.preempted;
}

// Visits services' jobs. @shape void visit(const Job& base)
template <class Visit>
void each_service(const Cluster& state, Visit visit) {
  state.indexes.services.each_from(JobKey{}, [&](const JobKey& key) {
    const Job* base = state.jobs.find(key.job);
    if (base && !is_over(base->state)) visit(*base);
    return true;
  });
}

// Hosts where one more of its tasks may go, however full they are: it may be made room.
std::set<HostId> hosts_for(const Cluster& state, const Job& job) {
  sched::HostRules rules(job.spec(), *state.config);
  std::map<HostId, std::uint32_t> tasks;
  for (const Task& task : job.tasks)
    if (is_wanted(task)) ++tasks[task.host];
  auto barred = barred_hosts(job, state.time);
  auto ptile = job.spec().span.ptile;
  std::set<HostId> hosts;
  state.hosts.each([&](std::uint32_t, const Host& host) {
    bool full = ptile > 0 && tasks.contains(host.id) && tasks[host.id] >= ptile;
    bool suits = is_open(host) && rules.asks_for(host) && rules.meet_empty(host);
    if (suits && !full && !std::binary_search(barred.begin(), barred.end(), host.id))
      hosts.insert(host.id);
  });
  return hosts;
}

bool has_elsewhere(const Cluster& state, const Job& job, HostId lost) {
  auto hosts = hosts_for(state, job);
  hosts.erase(lost);
  return !hosts.empty();
}

bool lacks_router(const Job& job) {
  return serves(job) && goes_on(job) && group_of(job)->name == "router" && has_lost_task(job) &&
         tasks_wanted(job) < job.spec().min_tasks;
}

// The newest kernel there, if none is leaving already. It is not asked to leave: that it would tell
// the router, and wait for its answer. What it has of another router goes to another kernel.
std::vector<EventBody> kernel_leaves(const Cluster& state, const Job& router,
                                     const std::set<HostId>& hosts) {
  const Job* kernels = nullptr;
  TaskNumber chosen;
  bool leaving = false;
  each_group(state, router, [&](const Job& group) {
    if (group.id == router.id || !serves(group) || !goes_on(group)) return;
    for (const Task& task : group.tasks) {
      if (!hosts.contains(task.host)) continue;
      leaving = leaving || (task.holds_slot() && !is_wanted(task));
      if (is_wanted(task)) kernels = &group, chosen = task.number;
    }
  });
  if (!kernels || leaving) return {};
  return {TaskCondemned{kernels->id, kernels->attempt, chosen, Term::ReclaimGrace,
                        "makes room for the service's router, whose host is not heard"}};
}

}  // namespace

Duration beat_of(const Config& config, bool serves) {
  auto beat = heartbeat_for(config);
  return serves ? std::min<Duration>(beat, kServingBeat) : beat;
}

std::set<HostId> serving_hosts(const Cluster& state) {
  std::set<HostId> hosts;
  each_service(state, [&](const Job& base) {
    each_group(state, base, [&](const Job& group) {
      if (!serves(group) || !goes_on(group)) return;
      for (const Task& task : group.tasks)
        if (is_wanted(task)) hosts.insert(task.host);
    });
  });
  return hosts;
}

std::vector<EventBody> given_up_on(const Cluster& state, const Host& host, bool all) {
  std::vector<EventBody> events;
  each_job_on(state, host.id, [&](const Job& job) {
    bool replaced = serves(job) || (all && is_independent(job));
    if (!replaced || !goes_on(job) || !has_elsewhere(state, job, host.id)) return;
    for (const Task& task : job.tasks)
      if (task.host == host.id && is_wanted(task))
        events.push_back(
            TaskCondemned{job.id, job.attempt, task.number, Term::HostLost,
                          "host " + host.name + " is not heard: another task takes its place"});
  });
  return events;
}

std::vector<EventBody> room_for_routers(const Cluster& state) {
  std::vector<EventBody> events;
  each_service(state, [&](const Job& base) {
    each_group(state, base, [&](const Job& group) {
      if (!lacks_router(group)) return;
      auto hosts = hosts_for(state, group);
      bool free = std::any_of(hosts.begin(), hosts.end(), [&](HostId id) {
        const Host& host = *state.hosts.find(id.value);
        return host.used_slots < host.capacity.slots;
      });
      if (free) return;
      for (auto& event : kernel_leaves(state, group, hosts)) events.push_back(std::move(event));
    });
  });
  return events;
}

}  // namespace wm::master
