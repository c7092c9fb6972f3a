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
  copy.draining = draining.freeze();
  copy.by_user = by_user.freeze();
  copy.by_name = by_name.freeze();
  copy.services = services.freeze();
  copy.moved = moved.freeze();
  copy.waits = waits.freeze();
  copy.waiting = waiting;
  copy.arrays = arrays.freeze();
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

void index_draining(Cluster& cluster, HostId id) {
  const Host* host = cluster.hosts.find(id.value);
  keep_in(cluster.indexes.draining, id, host && host->drains);
}

std::uint32_t key_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (unsigned char c : name) hash = (hash ^ c) * 16777619u;
  return hash;
}

namespace {

// Jobs that wait of one that was submitted; elements that have come back do not count again.
std::uint32_t waiting_of(const Job& job) {
  if (job.spec().array.empty())
    return job.state == JobState::Pending || job.state == JobState::Held ? 1 : 0;
  if (job.kill || is_over(job.state)) return 0;
  if (job.spec().open) return 1;
  return element_count(job.spec()) - job.elements.next_position;
}

Job& edit_counted(Cluster& cluster, JobId id) {
  if (id.index == 0) return cluster.jobs.edit(id.job);
  const Job& base = *cluster.jobs.find(id.job);
  return cluster.elements.edit(base.elements.first + *element_position(base.spec(), id.index));
}

Counted counted_of(const Job& job) {
  if (job.id.index)
    return {.state = static_cast<std::uint8_t>(static_cast<std::uint8_t>(job.state) + 1)};
  return {true, job.waits.place != 0 && !is_over(job.state), waiting_of(job), 0};
}

void count_waiting(Indexes& indexes, std::uint32_t uid, std::uint32_t before, std::uint32_t now) {
  if (before == now) return;
  const UserWaits* known = indexes.waits.find({uid, 0});
  UserWaits waits{uid, (known ? known->jobs : 0) - before + now};
  indexes.waiting += now;
  indexes.waiting -= before;
  if (waits.jobs == 0) indexes.waits.erase(waits);
  else indexes.waits.insert(waits);
}

void count_state(Indexes& indexes, std::uint32_t base, std::uint8_t before, std::uint8_t now) {
  if (before == now) return;
  if (!indexes.arrays.find(base)) indexes.arrays.set(base, {});
  auto& counts = indexes.arrays.edit(base);
  if (before) --counts.at(before - 1u);
  if (now) ++counts.at(now - 1u);
}

void put(Ordered<JobKey>& index, const std::string& name, const Job& job, bool in) {
  JobKey key{key_of(name), job.id.job};
  if (in) index.insert(key);
  else index.erase(key);
}

void list(Indexes& indexes, const Job& job, bool in) {
  const JobSpec& spec = job.spec();
  put(indexes.by_user, spec.owner.user, job, in);
  put(indexes.by_name, spec.name, job, in);
  if (!spec.exec.service.empty()) put(indexes.services, spec.exec.service, job, in);
}

void count(Cluster& cluster, const Job& job, const Counted& now) {
  const Counted before = job.counted;
  if (before == now) return;
  if (before.listed != now.listed) list(cluster.indexes, job, now.listed);
  if (before.moved != now.moved) put(cluster.indexes.moved, job.spec().queue, job, now.moved);
  count_waiting(cluster.indexes, job.spec().owner.uid, before.waiting, now.waiting);
  count_state(cluster.indexes, job.id.job, before.state, now.state);
  edit_counted(cluster, job.id).counted = now;
}

}  // namespace

void index_job(Cluster& cluster, JobId id) {
  if (const Job* base = cluster.jobs.find(id.job)) count(cluster, *base, counted_of(*base));
  const Job* element = id.index ? find_job(cluster, id) : nullptr;
  if (element) count(cluster, *element, counted_of(*element));
}

void unindex_job(Cluster& cluster, std::uint32_t number) {
  count(cluster, *cluster.jobs.find(number), {});
}

void index_config(Cluster& cluster) {
  auto& indexes = cluster.indexes;
  indexes.hosts_missing = 0;
  for (const auto& conf : cluster.config->hosts)
    indexes.hosts_missing += !indexes.host_numbers->contains(conf.name);
}

namespace {

void build_for(Cluster& cluster, JobId id) {
  const Job& job = *find_job(cluster, id);
  for (const auto& task : job.tasks)
    if (task.holds_slot()) index_slot(cluster.indexes, id, task.host, true);
  index_setbacks(cluster, id);
  index_delivery(cluster, id);
  if (job.counted != Counted{}) edit_counted(cluster, id).counted = {};
  count(cluster, *find_job(cluster, id), counted_of(*find_job(cluster, id)));
}

}  // namespace

void build_indexes(Cluster& cluster) {
  cluster.indexes = {};
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    cluster.indexes.host_numbers.edit().insert_or_assign(host.name, host.id);
    index_gaps(cluster, host.id);
    index_draining(cluster, host.id);
  });
  index_config(cluster);
  std::vector<JobId> all;
  auto note = [&](std::uint32_t, const Job& job) { all.push_back(job.id); };
  cluster.jobs.each(note);
  cluster.elements.each(note);
  for (JobId id : all) build_for(cluster, id);
}

}  // namespace wm
