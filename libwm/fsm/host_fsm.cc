// The host machine (model/host.h has the diagram), queues and the configuration.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "libwm/fsm/edit.h"
#include "libwm/model/groups.h"

namespace wm::fsm {
namespace {

// hosts.conf says more than the host where it says anything.
Capacity with_conf(Capacity found, const HostConf* conf) {
  if (!conf) return found;
  if (conf->slots) found.slots = conf->slots;
  if (conf->cpus) found.milli_cpus = conf->cpus * 1000;
  if (conf->mem.value) found.mem = conf->mem;
  if (conf->gpus) {
    found.gpus.resize(std::min<std::size_t>(found.gpus.size(), *conf->gpus));
    while (found.gpus.size() < *conf->gpus)
      found.gpus.push_back(
          {"declared-" + std::to_string(found.gpus.size()), conf->gpu_model, conf->gpu_mem});
  }
  return found;
}

// Owners of GPUs that are still there keep them; a GPU in use is never dropped from view.
void fit_owners(Host& host) {
  auto in_use = host.gpu_owners.size();
  while (in_use > host.capacity.gpus.size() && !host.gpu_owners[in_use - 1].job) --in_use;
  host.gpu_owners.resize(std::max(in_use, host.capacity.gpus.size()));
}

void forget_fencing(Host& host) {
  host.fence_tries = 0;
  host.fence_text.clear();
}

// A rigid job is unknown when any of its hosts is silent; an elastic one goes on without it
// and is unknown only when all are. What was given up with its host is not waited for.
bool is_unknown(const Cluster& c, const Job& job) {
  bool any = false, all = true;
  for (const auto& task : job.tasks) {
    if (!task.holds_slot() || (is_independent(job) && (is_lost(task) || task.moves))) continue;
    bool silent = c.hosts.find(task.host.value)->state == HostState::Silent;
    any = any || silent;
    all = all && silent;
  }
  return job.membership.in_place ? any && all : any;
}

std::string not_known_written(const Host& host) {
  return "whether its report is written is not known: host " + host.name + " is lost";
}

// Of a host that registers again the configuration may be another one; that it is well is shown by
// a job that runs there.
void forget_faults(Cluster& c, HostId id, bool all) {
  HostFaults& faults = edit_host(c, id).faults;
  faults.gaps.clear();
  index_gaps(c, id);
  if (!all) return;
  faults.in_row = 0;
  faults.owners.clear();
  faults.closed = false;
}

void review_jobs_on(Cluster& c, HostId host, Touched& t) {
  std::vector<JobId> ids;
  each_job_on(c, host, [&](const Job& job) {
    bool runs = job.state == JobState::Running || job.state == JobState::Suspended ||
                job.state == JobState::Unknown;
    if (runs) ids.push_back(job.id);
  });
  for (auto id : ids) {
    Job& job = edit_job(c, id);
    job.state = is_unknown(c, job) ? JobState::Unknown : running_state(job);
    t.jobs.insert(id);
  }
}

// What was used so far was halved as the old configuration says.
void charge_up_to_now(Cluster& c) {
  Duration half_life = c.config->cluster.times.usage_half_life;
  std::vector<std::uint32_t> numbers;
  c.accounts.each([&](std::uint32_t n, const UsageAccount&) { numbers.push_back(n); });
  for (auto number : numbers) charge(c.accounts.edit(number), {}, c.time, half_life);
}

}  // namespace

void apply_to(Cluster& c, const HostRegistered& e, WallTime now, Touched& t) {
  Host host;
  if (const Host* known = c.hosts.find(e.host.value)) host = *known;
  bool rebooted = host.boot != e.boot;
  auto known_gpus = std::move(host.capacity.gpus);
  host.id = e.host;
  host.name = e.name;
  host.address = e.address;
  host.boot = e.boot;
  host.network = e.network;
  host.type = e.type;
  host.model = e.model;
  host.state = HostState::Ok;
  host.capacity = with_conf(e.capacity, c.config->host(e.name));
  host.registered = now;
  keep_gpu_places(host, known_gpus, rebooted, now);
  forget_fencing(host);
  fit_owners(host);
  index_host(c, host);
  c.hosts.set(e.host.value, std::move(host));
  if (rebooted) forget_setbacks_on(c, e.host);
  forget_faults(c, e.host, rebooted);
  review_jobs_on(c, e.host, t);
  t.hosts.insert(e.host);
  t.schedule = true;
}

// hosts.conf goes before what the host finds.
void apply_to(Cluster& c, const HostMemoryChanged& e, WallTime, Touched& t) {
  Host& host = edit_host(c, e.host);
  Capacity found = host.capacity;
  found.mem = e.mem;
  host.capacity = with_conf(std::move(found), c.config->host(host.name));
  t.schedule = true;
}

void apply_to(Cluster& c, const HostSilent& e, WallTime now, Touched& t) {
  Host& host = edit_host(c, e.host);
  host.state = HostState::Silent;
  host.silent_since = now;
  review_jobs_on(c, e.host, t);
  end_deliveries_of(c, e.host, not_known_written(host), t);
  t.schedule = true;
}

void apply_to(Cluster& c, const HostHeard& e, WallTime, Touched& t) {
  Host& host = edit_host(c, e.host);
  host.state = HostState::Ok;
  forget_fencing(host);
  review_jobs_on(c, e.host, t);
  t.hosts.insert(e.host);
  t.schedule = true;
}

void apply_to(Cluster& c, const HostDied& e, WallTime, Touched& t) {
  Host& host = edit_host(c, e.host);
  host.state = HostState::Dead;
  forget_fencing(host);
  end_deliveries_of(c, e.host, not_known_written(host), t);
  t.hosts.insert(e.host);
  t.schedule = true;
}

void apply_to(Cluster& c, const HostFenceBegan& e, WallTime, Touched&) {
  Host& host = edit_host(c, e.host);
  ++host.fence_tries;
  host.fence_text = "under way";
}

void apply_to(Cluster& c, const HostFenceFailed& e, WallTime, Touched&) {
  edit_host(c, e.host).fence_text = e.why;
}

void apply_to(Cluster& c, const HostClosed& e, WallTime, Touched& t) {
  Host& host = edit_host(c, e.host);
  host.closed = true;
  host.closed_by = e.by;
  host.closed_why = e.why;
  host.faults.closed = e.for_faults;
  if (e.drain) drain_host(c, e.host, t);
  else stop_draining(c, e.host, t);
  t.schedule = true;
}

void apply_to(Cluster& c, const HostOpened& e, WallTime, Touched& t) {
  Host& host = edit_host(c, e.host);
  host.closed = false;
  host.closed_by.clear();
  host.closed_why.clear();
  stop_draining(c, e.host, t);
  forget_faults(c, e.host, true);
  forget_setbacks_on(c, e.host);
  t.schedule = true;
}

void apply_to(Cluster& c, const QueueChanged& e, WallTime, Touched& t) {
  auto& queue = c.queues[e.queue];
  using Change = QueueStandingChange;
  if (e.change == Change::Open || e.change == Change::Close)
    queue.closed = e.change == Change::Close;
  else queue.inactive = e.change == Change::Inactivate;
  queue.by = e.by;
  queue.why = e.why;
  if (!queue.closed && !queue.inactive) c.queues.erase(e.queue);
  t.schedule = true;
}

void apply_to(Cluster& c, const GpuMarked& e, WallTime, Touched& t) {
  Host& host = edit_host(c, e.host);
  if (e.mark == GpuMark{}) host.gpu_marks.erase(e.uuid);
  else host.gpu_marks[e.uuid] = e.mark;
  t.schedule = true;
}

namespace {

// What an order says of the configuration: another profile, queue or plan concerns its jobs,
// another of the cluster's times all.
class Concerned {
 public:
  Concerned(const Config& before, const Config& now)
      : before_(before), now_(now), all_(before.cluster.times != now.cluster.times) {}
  bool operator()(const JobSpec& spec) {
    if (all_) return true;
    auto [known, fresh] = of_.try_emplace({spec.app, spec.queue, spec.plan});
    if (fresh) known->second = differs(spec);
    return known->second;
  }

 private:
  template <class T>
  static bool differ(const T* a, const T* b) {
    return a && b ? !(*a == *b) : a != b;
  }
  bool differs(const JobSpec& spec) const {
    return !(app_of(before_, spec) == app_of(now_, spec)) ||
           differ(before_.queue(spec.queue), now_.queue(spec.queue)) ||
           differ(before_.plan(spec.plan), now_.plan(spec.plan));
  }
  const Config &before_, &now_;
  bool all_;
  std::map<std::tuple<std::string, std::string, std::string>, bool> of_;
};

void touch_concerned(const Cluster& c, const Config& before, Touched& t) {
  Concerned concerned(before, *c.config);
  c.indexes.jobs_on.each([&](std::uint32_t, const JobsOnHost& jobs) {
    for (const auto& [id, slots] : jobs)
      if (!t.orders.contains(id) && concerned(find_job(c, id)->spec())) t.orders.insert(id);
  });
}

}  // namespace

void apply_to(Cluster& c, const ConfigLoaded& e, WallTime, Touched& t) {
  charge_up_to_now(c);
  const auto before = c.config;
  bool others = c.config->budgets != e.config->budgets;
  if (others) settle_budgets(c);
  c.config = e.config;
  index_config(c);
  std::vector<HostId> hosts;
  c.hosts.each([&](std::uint32_t, const Host& host) { hosts.push_back(host.id); });
  for (auto id : hosts) {
    Host& host = edit_host(c, id);
    host.capacity = with_conf(host.capacity, c.config->host(host.name));
    fit_owners(host);
  }
  if (others) draw_anew(c);
  touch_concerned(c, *before, t);
  t.schedule = true;
}

}  // namespace wm::fsm
