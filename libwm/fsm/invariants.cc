// Cross-checks: what hosts say is taken is what tasks hold, and each index what a walk finds.
#include <map>
#include <set>

#include "libwm/fsm/fsm.h"
#include "libwm/model/gpu_use.h"

namespace wm::fsm {
namespace {

struct Taken {
  std::uint32_t slots = 0, stuck = 0, milli_cpus = 0;
  std::int64_t mem = 0;
  std::map<std::uint16_t, GpuOwner> gpus;
  std::size_t shares = 0;  // of GPUs
};

Error broken(const std::string& what) { return fail(Code::Damaged, "invariant: " + what); }

Result<void> collect(const Job& job, std::map<HostId, Taken>& taken) {
  std::uint32_t held = 0, milli_gpus = 0;
  std::set<HostId> holders;
  for (const auto& task : job.tasks) {
    if (!task.holds_slot()) continue;
    ++held;
    milli_gpus += static_cast<std::uint32_t>(task.gpus.size()) * 1000;
    auto& t = taken[task.host];
    if (!job.parked) {
      ++t.slots;
      if (task.state == TaskState::Stuck) ++t.stuck;
      t.milli_cpus += job.spec().task.milli_cpus;
    }
    if (!job.mem_released) t.mem += mem_held(job.spec().task, task).value;
    if (!task.mem_elsewhere && job.spec().task.mem_per_host && !holders.insert(task.host).second)
      return broken("memory per host is held twice, job " + to_string(job.id));
    if (job.spec().task.gpu_shared) t.shares += task.gpus.size();
    else
      for (auto gpu : task.gpus)
        if (!t.gpus.emplace(gpu, GpuOwner{job.id, task.number}).second)
          return broken("a GPU is held twice, job " + to_string(job.id));
    if (task.number > job.last_task)
      return broken("task number beyond last_task, job " + to_string(job.id));
  }
  if (job.holding.slots != (job.parked ? 0 : held) || job.holding.milli_gpus != milli_gpus)
    return broken("what job " + to_string(job.id) + " is charged for");
  if (job.parked && job.state != JobState::Suspended && job.state != JobState::Unknown &&
      !is_over(job.state))
    return broken("parked and not suspended: " + to_string(job.id));
  bool active = job.state == JobState::Launching || job.state == JobState::Running ||
                job.state == JobState::Suspended || job.state == JobState::Unknown;
  if (active && held == 0 && !job.outcome.delivers_on)
    return broken("active job without slots: " + to_string(job.id));
  if (!active && !is_over(job.state) && held > 0)
    return broken("waiting job holds slots: " + to_string(job.id));
  return {};
}

Result<void> compare(const Host& host, const Taken& taken) {
  if (host.used_slots != taken.slots) return broken("used slots of " + host.name);
  if (host.stuck_slots != taken.stuck) return broken("stuck slots of " + host.name);
  if (host.used_milli_cpus != taken.milli_cpus) return broken("used CPUs of " + host.name);
  if (host.used_mem.value != taken.mem) return broken("used memory of " + host.name);
  if (host.gpu_shares.size() != taken.shares) return broken("shared GPUs of " + host.name);
  for (std::size_t g = 0; g < host.gpu_owners.size(); ++g) {
    if (milli_shared(host, g) > (host.gpu_owners[g].job ? 0u : 1000u))
      return broken("GPU " + std::to_string(g) + " of " + host.name + " is shared too far");
    auto it = taken.gpus.find(static_cast<std::uint16_t>(g));
    auto owner = it == taken.gpus.end() ? GpuOwner{} : it->second;
    if (!(host.gpu_owners[g] == owner))
      return broken("owner of GPU " + std::to_string(g) + " of " + host.name);
  }
  return {};
}

Result<void> check_accounts(const Cluster& cluster) {
  std::map<std::uint32_t, Held> held;
  auto add = [&](const Job& job) {
    for (const auto& task : job.tasks) {
      if (!task.holds_slot() || !job.account) continue;
      Held& sum = held[job.account];
      if (!job.parked) ++sum.slots;
      sum.milli_gpus += static_cast<std::int64_t>(task.gpus.size()) * 1000;
      sum.mem = sum.mem + mem_held(job.spec().task, task);
    }
  };
  each_job(cluster, add);
  Result<void> result;
  cluster.accounts.each([&](std::uint32_t number, const UsageAccount& account) {
    if (!(account.held == held[number]))
      result = broken("what " + account.user + " holds in plan " + account.plan);
  });
  return result;
}

template <class T>
std::map<std::uint32_t, T> all_of(const Table<T>& table) {
  std::map<std::uint32_t, T> all;
  table.each([&](std::uint32_t number, const T& value) { all.emplace(number, value); });
  return all;
}

template <class T>
std::vector<T> all_of(const Ordered<T>& index) {
  std::vector<T> all;
  index.each_from(T{}, [&](const T& entry) {
    all.push_back(entry);
    return true;
  });
  return all;
}

Result<void> check_indexes(const Cluster& cluster) {
  Cluster walked = cluster;
  build_indexes(walked);
  if (all_of(cluster.indexes.jobs_on) != all_of(walked.indexes.jobs_on))
    return broken("the index of the jobs on each host");
  if (*cluster.indexes.host_numbers != *walked.indexes.host_numbers)
    return broken("the index of the hosts' names");
  if (*cluster.indexes.set_back != *walked.indexes.set_back)
    return broken("the index of jobs with setbacks");
  if (*cluster.indexes.delivering != *walked.indexes.delivering)
    return broken("the index of jobs whose output is being written");
  if (*cluster.indexes.gaps != *walked.indexes.gaps)
    return broken("the index of hosts with gaps in their configuration");
  if (*cluster.indexes.draining != *walked.indexes.draining)
    return broken("the index of hosts that are drained");
  if (all_of(cluster.indexes.by_user) != all_of(walked.indexes.by_user) ||
      all_of(cluster.indexes.by_name) != all_of(walked.indexes.by_name) ||
      all_of(cluster.indexes.services) != all_of(walked.indexes.services))
    return broken("the index of jobs by user, name or service");
  if (all_of(cluster.indexes.moved) != all_of(walked.indexes.moved))
    return broken("the index of jobs with a place in their queue");
  if (all_of(cluster.indexes.waits) != all_of(walked.indexes.waits) ||
      cluster.indexes.waiting != walked.indexes.waiting)
    return broken("the count of jobs that wait");
  if (all_of(cluster.indexes.arrays) != all_of(walked.indexes.arrays))
    return broken("the count of an array's elements by state");
  if (cluster.indexes.hosts_missing != walked.indexes.hosts_missing)
    return broken("the count of hosts that never registered");
  return {};
}

}  // namespace

Result<void> check_invariants(const Cluster& cluster) {
  std::map<HostId, Taken> taken;
  Result<void> result;
  each_job(cluster, [&](const Job& job) {
    if (result) result = collect(job, taken);
  });
  if (!result) return result;
  WM_TRY(check_accounts(cluster));
  WM_TRY(check_indexes(cluster));
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    if (result) result = compare(host, taken[host.id]);
  });
  return result;
}

}  // namespace wm::fsm
