#include "daemons/wmasterd/state/group_ports.h"

#include "libwm/base/hash.h"
#include "libwm/launch/placing.h"

namespace wm::master {
namespace {

// Clusters that share a machine begin elsewhere: their jobs have the same numbers, and where the
// chosen port is in use, tasks are started again.
std::uint32_t first_try(const ClusterConf& conf) {
  auto hash = hash_of(conf.name + ":" + std::to_string(conf.master_port));
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(hash[i]);
  return value;
}

}  // namespace

std::uint16_t GroupPorts::next(HostId host) {
  auto& taken = taken_near(host);
  const auto& limits = cluster_.config->cluster.limits;
  for (auto port = limits.group_port_first; port <= limits.group_port_last; ++port)
    if (taken.insert(static_cast<std::uint16_t>(port)).second)
      return static_cast<std::uint16_t>(port);
  return 0;
}

std::uint32_t GroupPorts::next_block(HostId host, JobId job, Attempt attempt) {
  auto& taken = taken_near(host);
  const auto& limits = cluster_.config->cluster.limits;
  auto blocks = launch::port_blocks(limits.job_port_first, limits.job_port_last);
  auto begin = blocks == 0 ? 0 : first_try(cluster_.config->cluster) % blocks;
  for (std::uint32_t tried = 0; tried < blocks; ++tried) {
    auto block = launch::block_to_try(job, attempt, blocks, begin + tried);
    auto first = limits.job_port_first + block * launch::kPortsPerLease;
    if (taken.insert(static_cast<std::uint16_t>(first)).second) return first;
  }
  return 0;
}

std::set<std::uint16_t>& GroupPorts::taken_near(HostId id) {
  const Host* host = cluster_.hosts.find(id.value);
  if (!host || host->network == 0) {
    auto [own, is_new] = taken_alone_.try_emplace(id);
    if (is_new) add_ports_of(id, own->second);
    return own->second;
  }
  Network network{host->boot, host->network};
  auto [shared, is_new] = taken_.try_emplace(network);
  if (is_new)
    for (HostId near : hosts_in(network)) add_ports_of(near, shared->second);
  return shared->second;
}

// All networks at once, when the first is asked for: a job with groups may have very many hosts.
const std::vector<HostId>& GroupPorts::hosts_in(const Network& network) {
  if (hosts_.empty())
    cluster_.hosts.each([&](std::uint32_t number, const Host& host) {
      if (host.network != 0) hosts_[{host.boot, host.network}].push_back(HostId{number});
    });
  return hosts_[network];
}

void GroupPorts::add_ports_of(HostId host, std::set<std::uint16_t>& ports) const {
  each_job_on(cluster_, host, [&](const Job& job) {
    bool begins_here = !job.tasks.empty() && job.tasks.front().host == host;
    if (job.port != 0 && begins_here) ports.insert(static_cast<std::uint16_t>(job.port));
    for (const Task& task : job.tasks)
      if (task.host == host && task.holds_slot()) ports.insert(task.port);
  });
}

}  // namespace wm::master
