#include "libwm/fsm/edit.h"

#include "libwm/model/gpu_use.h"

namespace wm::fsm {
namespace {

// An element leaves its base's range and becomes a job of its own.
void make_element(Cluster& cluster, const Job& base, JobId id, std::uint32_t number) {
  Job element;
  element.id = id;
  element.sealed = base.sealed;
  element.revision = base.revision;
  element.state = base.kill                      ? base.kill->end()
                  : base.state == JobState::Held ? JobState::Held
                                                 : JobState::Pending;
  element.times.submitted = base.times.submitted;
  if (!base.spec().groups.empty()) element.alternative = id.index;
  cluster.elements.set(number, std::move(element));
}

void count_gpus(Host& host, const Job& job, const Task& task, bool takes) {
  GpuOwner owner{job.id, task.number};
  const auto& need = job.spec().task;
  if (need.gpu_shared && !takes)
    std::erase_if(host.gpu_shares, [&](const GpuShare& share) { return share.owner == owner; });
  for (auto gpu : task.gpus) {
    WM_CHECK(gpu < host.gpu_owners.size());
    if (!need.gpu_shared) host.gpu_owners[gpu] = takes ? owner : GpuOwner{};
    else if (takes) host.gpu_shares.push_back(share_of(host, gpu, need, owner));
  }
}

void count_slot(Cluster& cluster, const Job& job, const Task& task, int sign) {
  Host& host = edit_host(cluster, task.host);
  const auto& need = job.spec().task;
  if (!job.parked) {
    host.used_slots += static_cast<std::uint32_t>(sign);
    host.used_milli_cpus += static_cast<std::uint32_t>(sign) * need.milli_cpus;
  }
  if (!job.mem_released) host.used_mem.value += sign * mem_held(need, task).value;
  count_gpus(host, job, task, sign > 0);
}

// A job dispatched before there were accounts has none: nobody is charged for it.
void charge_both(Cluster& cluster, Job& job, const Task& task, int sign) {
  auto gpus = static_cast<std::int64_t>(task.gpus.size());
  Held change{job.parked ? 0 : sign, sign * gpus * 1000,
              Bytes{sign * mem_held(job.spec().task, task).value}};
  charge(job.holding, change, cluster.time);
  bool last = job.holding.slots == 0 && job.holding.milli_gpus == 0;
  draw(cluster, job, last ? -job.holding.draw.rate : draw_of(cluster, job, task) * sign);
  if (!job.account) return;
  charge(cluster.accounts.edit(job.account), change, cluster.time,
         cluster.config->cluster.times.usage_half_life);
}

void count_all(Cluster& cluster, Job& job, int sign) {
  for (const auto& task : job.tasks) {
    if (!task.holds_slot()) continue;
    count_slot(cluster, job, task, sign);
    charge_both(cluster, job, task, sign);
  }
}

}  // namespace

Job& edit_job(Cluster& cluster, JobId id) {
  if (id.index == 0) return cluster.jobs.edit(id.job);
  const Job& base = *cluster.jobs.find(id.job);
  auto position = element_position(base.spec(), id.index);
  WM_CHECK(position.has_value());
  auto number = base.elements.first + *position;
  if (!cluster.elements.find(number)) {
    make_element(cluster, base, id, number);
    Job& changed = cluster.jobs.edit(id.job);
    while (changed.elements.next_position < element_count(changed.spec()) &&
           cluster.elements.find(changed.elements.first + changed.elements.next_position))
      ++changed.elements.next_position;
  }
  return cluster.elements.edit(number);
}

void make_waiting(Cluster& cluster, JobId id, Touched& t) {
  const Job* base = id.index > 0 ? cluster.jobs.find(id.job) : nullptr;
  bool waits = base && base->state == JobState::Array && !base->kill;
  if (!waits || !element_position(base->spec(), id.index)) return;
  edit_job(cluster, id);
  t.jobs.insert(id);
}

Host& edit_host(Cluster& cluster, HostId id) { return cluster.hosts.edit(id.value); }

void take_slot(Cluster& cluster, Job& job, const Task& task) {
  index_slot(cluster.indexes, job.id, task.host, true);
  count_slot(cluster, job, task, 1);
  charge_both(cluster, job, task, 1);
}

// Memory per host is held as long as any of the job's tasks is there.
void hand_memory_on(Job& job, Task& task) {
  if (!job.spec().task.mem_per_host || task.mem_elsewhere) return;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const Task& heir = job.tasks[i];
    if (!heir.holds_slot() || heir.host != task.host || !heir.mem_elsewhere) continue;
    job.tasks.edit(i).mem_elsewhere = false;
    task.mem_elsewhere = true;
    return;
  }
}

void release_slot(Cluster& cluster, Job& job, Task& task, WallTime now) {
  hand_memory_on(job, task);
  free_slot(cluster, job, task);
  task.state = TaskState::Gone;
  task.ended = now;
}

void free_slot(Cluster& cluster, Job& job, const Task& task) {
  index_slot(cluster.indexes, job.id, task.host, false);
  if (task.state == TaskState::Stuck && !job.parked) --edit_host(cluster, task.host).stuck_slots;
  count_slot(cluster, job, task, -1);
  charge_both(cluster, job, task, -1);
}

void give_slots(Cluster& cluster, Job& job, const Parked& parked) {
  count_all(cluster, job, -1);
  job.parked = parked;
  count_all(cluster, job, 1);
}

void take_slots_back(Cluster& cluster, Job& job) {
  count_all(cluster, job, -1);
  job.parked.reset();
  count_all(cluster, job, 1);
}

std::uint32_t account_of(Cluster& cluster, const JobSpec& spec) {
  AccountName name{spec.plan, spec.owner.user};
  auto known = cluster.account_numbers->find(name);
  if (known != cluster.account_numbers->end()) return known->second;
  auto numbers = std::make_shared<AccountNumbers>(*cluster.account_numbers);
  std::uint32_t number = cluster.accounts.last() + 1;
  numbers->emplace(name, number);
  cluster.account_numbers = std::move(numbers);
  cluster.accounts.set(number, {name.first, name.second, {}, {}, cluster.time});
  return number;
}

}  // namespace wm::fsm
