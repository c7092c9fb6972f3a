#include "libwm/model/indexes.h"

#include <algorithm>

#include "libwm/model/cluster.h"

namespace wm {

Indexes Indexes::freeze() {
  Indexes copy;
  copy.jobs_on = jobs_on.freeze();
  copy.host_numbers = host_numbers.freeze();
  copy.hosts_missing = hosts_missing;
  copy.set_back = set_back.freeze();
  copy.delivering = delivering.freeze();
  copy.gaps = gaps.freeze();
  return copy;
}

void index_slot(Indexes& indexes, JobId job, HostId host, bool takes) {
  if (!indexes.jobs_on.find(host.value)) {
    WM_CHECK(takes);
    return indexes.jobs_on.set(host.value, {{job, 1}});
  }
  auto& jobs = indexes.jobs_on.edit(host.value);
  auto at = std::lower_bound(jobs.begin(), jobs.end(), job,
                             [](const auto& entry, JobId id) { return entry.first < id; });
  bool known = at != jobs.end() && at->first == job;
  WM_CHECK(known || takes);
  if (!known) jobs.insert(at, {job, 1});
  else if (takes) ++at->second;
  else if (--at->second == 0) jobs.erase(at);
  if (jobs.empty()) indexes.jobs_on.erase(host.value);
}

void index_host(Cluster& cluster, const Host& host) {
  auto& indexes = cluster.indexes;
  bool is_new = indexes.host_numbers.edit().insert_or_assign(host.name, host.id).second;
  if (is_new && cluster.config->host(host.name)) --indexes.hosts_missing;
}

namespace {

template <class Id>
void keep_in(Frozen<std::set<Id>>& index, Id id, bool has) {
  if (has == index->contains(id)) return;
  if (has) index.edit().insert(id);
  else index.edit().erase(id);
}

}  // namespace

void index_setbacks(Cluster& cluster, JobId id) {
  const Job* job = find_job(cluster, id);
  bool has = job && !job->size.setbacks.empty() && !is_over(job->state);
  keep_in(cluster.indexes.set_back, id, has);
}

void index_delivery(Cluster& cluster, JobId id) {
  const Job* job = find_job(cluster, id);
  keep_in(cluster.indexes.delivering, id, job && job->outcome.delivers_on);
}

void index_gaps(Cluster& cluster, HostId id) {
  const Host* host = cluster.hosts.find(id.value);
  keep_in(cluster.indexes.gaps, id, host && !host->faults.gaps.empty());
}

void index_config(Cluster& cluster) {
  auto& indexes = cluster.indexes;
  indexes.hosts_missing = 0;
  for (const auto& conf : cluster.config->hosts)
    indexes.hosts_missing += !indexes.host_numbers->contains(conf.name);
}

void build_indexes(Cluster& cluster) {
  cluster.indexes = {};
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    cluster.indexes.host_numbers.edit().insert_or_assign(host.name, host.id);
    index_gaps(cluster, host.id);
  });
  index_config(cluster);
  each_job(cluster, [&](const Job& job) {
    for (const auto& task : job.tasks)
      if (task.holds_slot()) index_slot(cluster.indexes, job.id, task.host, true);
    index_setbacks(cluster, job.id);
    index_delivery(cluster, job.id);
  });
}

}  // namespace wm
