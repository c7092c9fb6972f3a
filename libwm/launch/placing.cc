#include "libwm/launch/placing.h"

#include <algorithm>

#include "libwm/model/cluster.h"

namespace wm::launch {

std::vector<HostTasks> by_host(const HostOrder& order) { return unfolded(order.hosts.runs); }

Place place_of(const HostOrder& order, TaskNumber task) {
  const auto& hosts = order.hosts;
  Place place;
  place.world = std::max(task_count(hosts), 1u);
  place.hosts = std::max(host_count(hosts), 1u);
  auto at = std::lower_bound(hosts.here.begin(), hosts.here.end(), task);
  if (at == hosts.here.end() || *at != task) return place;
  place.host_rank = hosts.hosts_before;
  place.local_rank = static_cast<std::uint32_t>(at - hosts.here.begin());
  place.local_world = static_cast<std::uint32_t>(hosts.here.size());
  place.rank = hosts.tasks_before + place.local_rank;
  return place;
}

std::uint32_t port_blocks(std::uint32_t first, std::uint32_t last) {
  return (last - first + 1) / kPortsPerLease;
}

std::uint32_t block_to_try(JobId job, Attempt attempt, std::uint32_t blocks, std::uint32_t tried) {
  std::uint64_t mix = job.job * 7919ull + job.index * 31ull + attempt.value;
  return static_cast<std::uint32_t>((mix + tried) % blocks);
}

bool meets_at_port(const HostOrder& order) {
  bool workers = order.app.type != AppType::Batch || starts_training(order.resolved);
  return order.launch == Launch::PerHost || (order.launch == Launch::PerSlot && workers);
}

std::string master_address(const HostOrder& order) {
  return order.hosts.runs.empty() ? "127.0.0.1" : order.hosts.first_address;
}

std::uint32_t web_port(const HostOrder& order) {
  bool has = order.app.type == AppType::Notebook && order.team.port != 0;
  return has ? order.team.port + kPortsPerLease - 1 : 0;
}

std::uint32_t master_port(const HostOrder& order) {
  return order.team.port == 0 ? 0 : order.team.port + order.control.relaunches % kPortsPerLease;
}

}  // namespace wm::launch
