#include "daemons/wmasterd/hosts/orders.h"

#include <algorithm>
#include <map>

#include "libwm/fsm/first_host.h"
#include "libwm/fsm/part.h"
#include "libwm/model/groups.h"
#include "libwm/model/master_rank.h"

namespace wm::master {
namespace {

/// Added to the hang limit while a job is suspended: for ever.
constexpr Duration kSuspendedHang = std::chrono::hours(24 * 365);

bool wants_process(const Task& task) {
  return task.state != TaskState::Gone && task.state != TaskState::Stuck;
}

OrderedTask ordered(const Config& config, const Job& job, const Task& task, const Host& host) {
  OrderedTask out;
  out.task = task.number;
  out.gpus = task.gpus;
  for (auto gpu : task.gpus)
    if (gpu < host.capacity.gpus.size()) out.gpu_uuids.push_back(host.capacity.gpus[gpu].uuid);
  out.has_process = task.has_process;
  out.leave = task.state == TaskState::Leaving && !fsm::room_is_in_use(config, job, task);
  out.kill = task.kill;
  out.term = task.kill ? task.term : Term::None;
  return out;
}

Duration run_left(const Cluster& cluster, const Job& job, WallTime now) {
  auto limit = run_limit_of(*cluster.config, job.spec());
  if (limit == Duration{} || job.times.started == WallTime{}) return limit;
  auto stopped = job.suspension.earlier;
  if (!job.suspension.by.empty()) stopped += now - job.suspension.since;
  return std::max<Duration>(limit - (now - job.times.started - stopped), Duration(1));
}

// "hostA 2 hostB 1": the slots that a notice is about. @source LSF: LSB_RESIZE_HOSTS
std::string hosts_of(const Cluster& cluster, const Job& job, const ResizeNotice& notice) {
  std::vector<std::pair<std::string, int>> hosts;
  for (auto number : notice.tasks) {
    const Task* task = find_task(job, number);
    const Host* host = task ? cluster.hosts.find(task->host.value) : nullptr;
    if (!host) continue;
    auto at = std::find_if(hosts.begin(), hosts.end(),
                           [&](const auto& known) { return known.first == host->name; });
    if (at == hosts.end()) hosts.push_back({host->name, 1});
    else ++at->second;
  }
  std::string text;
  for (const auto& [name, slots] : hosts)
    text += (text.empty() ? "" : " ") + name + " " + std::to_string(slots);
  return text;
}

// What only matters while the job runs: suspension, its size, commands around it.
void set_running(HostOrder& order, const Cluster& cluster, const Job& job) {
  const auto& config = *cluster.config;
  order.launch = launch_of(config, job.spec());
  order.control.suspend = is_stopped(job);
  order.control.relaunches = job.size.relaunches;
  order.team.in_place = job.membership.in_place;
  order.team.port = job.port;
  order.team.restarts += job.size.relaunches;
  order.leave_grace = leave_grace_of(cluster, job);
  if (const auto* queue = config.queue(job.spec().queue)) {
    order.queue_side = side_commands_of(*queue);
    order.queue_controls = queue->controls;
  }
  if (!order.first_host || !job.size.notice) return;
  order.change.notice = job.size.notice;
  order.change.command = notify_command_of(config, job);
  order.change.hosts = hosts_of(cluster, job, *job.size.notice);
}

bool waits_for_first_host(const Cluster& cluster, const Job& job, HostId id) {
  if (job.tasks.empty()) return false;
  const auto& first = job.tasks.front();
  bool ordered = fsm::first_host_goes_first(*cluster.config, job.spec());
  return ordered && job.size.relaunches == 0 && first.host != id &&
         first.state == TaskState::Starting;
}

bool is_listed(const Task& task) {
  return wants_process(task) && task.state != TaskState::Leaving && !task.kill;
}

/// The host that writes what the others say stays reachable to the end, also when nothing of the
/// job runs there any more.
bool writes_for_others(const Cluster& cluster, const Job& job) {
  if (job.spec().mpi == Mpi::Pmix) return true;
  return !job.spec().elastic && launch_of(*cluster.config, job.spec()) == Launch::PerHost;
}

/// One a host, in the order of their first task.
std::vector<AgentPlace> agent_places(const Cluster& cluster, const Job& job) {
  std::vector<AgentPlace> places;
  std::map<HostId, std::size_t> seen;
  bool all = writes_for_others(cluster, job);
  for (const auto& task : job.tasks) {
    const Host* host = cluster.hosts.find(task.host.value);
    bool counts = task.holds_slot() || all;
    if (!host || !counts) continue;
    auto [at, fresh] = seen.try_emplace(task.host, places.size());
    auto doors = job.membership.doors.find(task.host);
    if (fresh)
      places.push_back(
          {task.host, host->name, doors == job.membership.doors.end() ? "" : doors->second.launch});
    places[at->second].tasks += is_listed(task) ? 1 : 0;
  }
  return places;
}

/// All groups of the job, for the agents of each: their tasks may start commands in the others'.
std::vector<AgentGroup> agent_groups(const Cluster& cluster, const Job& job) {
  std::vector<AgentGroup> groups;
  if (!group_of(job)) return groups;
  each_group(cluster, job, [&](const Job& group) {
    auto places = agent_places(cluster, group);
    groups.push_back({group_of(group)->name, places.empty() ? "" : group.key, std::move(places)});
  });
  return groups;
}

/// What is to run on this host, and where that stands in the job.
void set_tasks(HostOrder& order, const Cluster& cluster, const Job& job, const JobPlaces& places,
               HostId id) {
  order.hosts.runs = places.runs;
  order.hosts.first_address = places.first_address;
  auto part = places.parts.find(id);
  if (part == places.parts.end()) return;
  const Host& host = *cluster.hosts.find(id.value);
  for (auto index : part->second.tasks)
    order.tasks.push_back(ordered(*cluster.config, job, job.tasks[index], host));
  order.hosts.here = part->second.here;
  order.hosts.hosts_before = part->second.hosts_before;
  order.hosts.tasks_before = part->second.tasks_before;
}

void add_place(GroupPlaces& places, const Host& host, std::uint16_t port) {
  auto end = ":" + std::to_string(port);
  bool v6 = host.address.find(':') != host.address.npos;
  places.at.push_back(host.name + end);
  places.addresses.push_back((v6 ? "[" + host.address + "]" : host.address) + end);
}

/// Where the job's groups are, its own too; ranks as places_of has them: host by host.
void set_groups(HostOrder& order, const Cluster& cluster, const Job& job) {
  const auto& groups = job.sealed->spec.groups;
  for (std::uint32_t n = 1; job.id.index && n <= groups.size(); ++n) {
    const Job* group = find_job(cluster, {job.id.job, n});
    GroupPlaces places{groups[n - 1].name, groups[n - 1].role, {}, {}};
    std::vector<HostId> hosts;
    for (const Task& task : group->tasks)
      if (is_listed(task) && std::ranges::find(hosts, task.host) == hosts.end())
        hosts.push_back(task.host);
    for (HostId host : hosts)
      for (const Task& task : group->tasks)
        if (is_listed(task) && task.host == host)
          add_place(places, *cluster.hosts.find(host.value), task.port);
    order.team.groups.push_back(std::move(places));
  }
}

void set_end(HostOrder& order, const Job& job) {
  bool all_gone = fsm::only_delivers(job);
  order.control.end = job.kill.has_value() || job.ending || all_gone;
  if (job.kill) order.control.end_term = job.kill->term;
  else if (job.ending) order.control.end_term = Term::TaskFailed;
}

}  // namespace

bool has_work_on(const Job& job, HostId host) {
  return job.outcome.delivers_on == host ||
         std::any_of(job.tasks.begin(), job.tasks.end(),
                     [&](auto& t) { return t.host == host && t.holds_slot(); });
}

JobPlaces places_of(const Cluster& cluster, const Job& job) {
  // A job that starts over counts only tasks that will be there; in place, leavers still count.
  bool afresh = resize_mode_of(*cluster.config, job) == ResizeMode::Restart;
  JobPlaces places;
  std::vector<HostTasks> hosts;
  std::vector<JobPlaces::Part*> parts;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const auto& task = job.tasks[i];
    const Host* host = cluster.hosts.find(task.host.value);
    if (!wants_process(task) || !host) continue;
    auto& part = places.parts[task.host];
    part.tasks.push_back(i);
    bool leaves = task.state == TaskState::Leaving || task.kill;
    if (afresh && leaves) continue;
    if (hosts.empty()) places.first_address = host->address;
    if (part.here.empty()) {
      part.hosts_before = static_cast<std::uint32_t>(hosts.size());
      hosts.push_back({host->name, 0});
      parts.push_back(&part);
    }
    part.here.push_back(task.number);
    ++hosts[part.hosts_before].tasks;
  }
  std::uint32_t before = 0;
  for (std::size_t h = 0; h < hosts.size(); before += hosts[h++].tasks)
    parts[h]->tasks_before = before;
  places.runs = folded(hosts);
  return places;
}

HostOrder order_for(const Cluster& cluster, const Job& job, HostId id, WallTime now) {
  return order_for(cluster, job, places_of(cluster, job), id, now);
}

HostOrder order_for(const Cluster& cluster, const Job& job, const JobPlaces& places, HostId id,
                    WallTime now) {
  HostOrder order;
  order.job = job.id;
  order.attempt = job.attempt;
  order.generation = job.generation;
  order.sealed.spec = job.sealed->bytes;
  order.sealed.credential = job.sealed->credential;
  order.sealed.request_key = job.sealed->request_key;
  order.resolved = job.spec();
  order.app = app_of(*cluster.config, job.spec());
  set_tasks(order, cluster, job, places, id);
  order.key = job.key;
  order.team.elastic = job.spec().elastic;
  if (order.team.elastic) order.team.writer = writer_of(job);
  order.team.min_tasks = job.spec().min_tasks;
  order.team.max_tasks = job.spec().max_tasks;
  order.team.restarts = attempts_before(job.attempt);
  order.run_left = run_left(cluster, job, now);
  order.first_host = !job.tasks.empty() && job.tasks.front().host == id;
  order.submitted = job.times.submitted;
  order.control.preempt = job.waits.preempted.has_value();
  set_running(order, cluster, job);
  set_groups(order, cluster, job);
  set_end(order, job);
  if (!order.control.end && waits_for_first_host(cluster, job, id)) order.tasks.clear();
  return order;
}

HostOrder standby_order(const Cluster& cluster, const Job& job, Attempt attempt, HostId host,
                        WallTime now) {
  auto order = order_for(cluster, job, host, now);
  order.tasks.clear();
  if (attempt == job.attempt) return order;
  order.attempt = attempt;
  order.generation = 0;  // the first that comes with tasks is newer
  order.key.clear();     // it has none yet
  order.control = {};    // what was asked of the attempt before is done
  order.team.restarts = attempts_before(attempt);
  return order;
}

bool starts_something(const HostOrder& order, const Job& job) {
  return std::any_of(order.tasks.begin(), order.tasks.end(), [&](const OrderedTask& ordered) {
    const Task* task = find_task(job, ordered.task);
    return task && task->has_process && task->pid == 0;
  });
}

AgentOrder agent_order_for(const Cluster& cluster, const Job& job) {
  const auto& times = cluster.config->cluster.times;
  AgentOrder order;
  order.job = job.id;
  order.attempt = job.attempt;
  order.lead = job.membership.lead;
  order.lead_host = job.membership.lead_host;
  auto agent = job.membership.agents.find(job.membership.lead_host);
  if (agent != job.membership.agents.end()) order.lead_address = agent->second;
  order.generation = cluster.seq.value;
  for (const auto& task : job.tasks) {
    if (!wants_process(task)) continue;
    bool leaving = task.state == TaskState::Leaving || task.kill;
    order.tasks.push_back({task.number, task.host, leaving});
    order.world += leaving ? 0 : 1;
  }
  order.agents = agent_places(cluster, job);
  order.groups = agent_groups(cluster, job);
  order.start_window = times.start_window;
  order.connect_limit = times.connect_limit;
  // a worker that was stopped must not be named as one that hangs, nor after it goes on
  order.hang_limit = times.hang_limit + job.suspension.earlier;
  if (is_stopped(job)) order.hang_limit += kSuspendedHang;
  order.last_epoch = job.membership.epoch;
  return order;
}

Duration leave_grace_of(const Cluster& cluster, const Job& job) {
  const auto& config = *cluster.config;
  if (auto grace = app_of(config, job.spec()).reclaim_grace) return *grace;
  const auto* plan = config.plan(job.spec().plan);
  if (plan && plan->reclaim_grace) return *plan->reclaim_grace;
  return config.cluster.times.reclaim_grace;
}

}  // namespace wm::master
