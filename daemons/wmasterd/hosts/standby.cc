#include "daemons/wmasterd/hosts/standby.h"

#include "libwm/model/groups.h"
#include "libwm/model/master_rank.h"
#include "libwm/sched/capacity/host_rules.h"
#include "libwm/serve/profile.h"

namespace wm::master {
namespace {

// Routers have no warm parent.
bool is_service(const Job& job) {
  return is_independent(job) && !job.spec().exec.service.empty() && group_of(job)->name == "kernel";
}

}  // namespace

std::optional<Attempt> standby_attempt(const Cluster& state, const Job& job) {
  bool ends = is_over(job.state) || job.kill || job.ending;
  if (!is_service(job) || ends || job.state == JobState::Held) return std::nullopt;
  if (job.state != JobState::Pending) return job.attempt;
  if (!groups_are_ready(state, job)) return std::nullopt;
  return next_attempt(state.term, job.attempt);
}

std::set<HostId> standby_hosts(const Cluster& state, const Job& job) {
  std::set<HostId> hosts;
  if (!standby_attempt(state, job)) return hosts;
  auto most = serve::warm_hosts(job.spec().exec.profile);
  if (most == 0) return hosts;
  sched::HostRules rules(job.spec(), *state.config);
  auto add = [&](const Host& host) {
    if (hosts.size() < most && is_open(host) && rules.asks_for(host) && rules.meet_empty(host))
      hosts.insert(host.id);
  };
  for (const Task& task : job.tasks)
    if (const Host* host = state.hosts.find(task.host.value)) add(*host);
  state.hosts.each([&](std::uint32_t, const Host& host) { add(host); });
  return hosts;
}

void Standby::look(const Cluster& state, JobId id) {
  const Job* job = find_job(state, id);
  auto hosts = job ? standby_hosts(state, *job) : std::set<HostId>();
  if (hosts.empty() && !services_.contains(id)) return;
  services_[id].hosts = std::move(hosts);
}

void Standby::reload(const Cluster& state) {
  each_job(state, [&](const Job& job) {
    if (is_service(job)) look(state, job.id);
  });
  refresh(state);
}

void Standby::changed(const Cluster& state, const std::set<JobId>& jobs) {
  for (JobId id : jobs) {
    const Job* job = find_job(state, id);
    if (!job || is_service(*job)) look(state, id);
    if (!job || !group_of(*job)) continue;
    // Kernels are held ready once the groups that live with the job run.
    each_group(state, *job, [&](const Job& group) {
      if (is_service(group)) look(state, group.id);
    });
  }
}

void Standby::refresh(const Cluster& state) {
  for (auto& [id, service] : services_) look(state, id);
}

void Standby::forget_told(HostId host) {
  for (auto& [id, service] : services_) service.told.erase(host);
}

std::optional<Attempt> Standby::wanted(const Cluster& state, JobId id, HostId host) const {
  auto known = services_.find(id);
  const Job* job = find_job(state, id);
  if (!job || known == services_.end() || !known->second.hosts.contains(host)) return std::nullopt;
  return standby_attempt(state, *job);
}

std::vector<Standby::Word> Standby::words(const Cluster& state,
                                          const std::function<bool(HostId)>& hears) {
  std::vector<Word> words;
  for (auto& [id, service] : services_) {
    for (HostId host : service.hosts) {
      auto attempt = wanted(state, id, host);
      auto told = service.told.find(host);
      bool known = told != service.told.end() && attempt && told->second == *attempt;
      if (!attempt || known || !hears(host)) continue;
      service.told[host] = *attempt;
      words.push_back({host, id, attempt});
    }
    std::erase_if(service.told, [&, &id = id](const auto& told) {
      if (wanted(state, id, told.first)) return false;
      words.push_back({told.first, id, std::nullopt});
      return true;
    });
  }
  std::erase_if(services_, [](const auto& entry) {
    return entry.second.hosts.empty() && entry.second.told.empty();
  });
  return words;
}

}  // namespace wm::master
