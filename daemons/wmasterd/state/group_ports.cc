#include "daemons/wmasterd/state/group_ports.h"

namespace wm::master {

std::uint16_t GroupPorts::next(HostId host) {
  auto& taken = taken_near(host);
  const auto& limits = cluster_.config->cluster.limits;
  for (auto port = limits.group_port_first; port <= limits.group_port_last; ++port)
    if (taken.insert(static_cast<std::uint16_t>(port)).second)
      return static_cast<std::uint16_t>(port);
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
    for (const Task& task : job.tasks)
      if (task.host == host && task.holds_slot()) ports.insert(task.port);
  });
}

}  // namespace wm::master
