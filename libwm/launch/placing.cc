#include "libwm/launch/placing.h"

#include <algorithm>

namespace wm::launch {

std::vector<std::pair<std::string, std::vector<TaskNumber>>> by_host(const HostOrder& order) {
  std::vector<std::pair<std::string, std::vector<TaskNumber>>> hosts;
  auto all = order.all;
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.task < b.task; });
  for (const auto& placed : all) {
    auto at =
        std::find_if(hosts.begin(), hosts.end(), [&](auto& h) { return h.first == placed.host; });
    if (at == hosts.end()) at = hosts.insert(hosts.end(), {placed.host, {}});
    at->second.push_back(placed.task);
  }
  return hosts;
}

std::string exec_id(JobId job) {
  return std::to_string(job.job) + (job.index ? "." + std::to_string(job.index) : "");
}

Place place_of(const HostOrder& order, TaskNumber task) {
  Place place;
  auto hosts = by_host(order);
  place.world = static_cast<std::uint32_t>(std::max<std::size_t>(order.all.size(), 1));
  place.hosts = static_cast<std::uint32_t>(std::max<std::size_t>(hosts.size(), 1));
  std::uint32_t before = 0;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    const auto& tasks = hosts[h].second;
    auto at = std::find(tasks.begin(), tasks.end(), task);
    if (at != tasks.end()) {
      place.host_rank = static_cast<std::uint32_t>(h);
      place.local_rank = static_cast<std::uint32_t>(at - tasks.begin());
      place.local_world = static_cast<std::uint32_t>(tasks.size());
      place.rank = before + place.local_rank;
      return place;
    }
    before += static_cast<std::uint32_t>(tasks.size());
  }
  return place;
}

bool meets_at_port(const HostOrder& order) {
  bool workers = order.launch == Launch::PerSlot && order.app.type != AppType::Batch;
  return workers || order.launch == Launch::PerHost;
}

std::string master_address(const HostOrder& order) {
  auto first = std::min_element(order.all.begin(), order.all.end(),
                                [](auto& a, auto& b) { return a.task < b.task; });
  return first == order.all.end() ? "127.0.0.1" : first->address;
}

std::uint32_t master_port(const HostOrder& order) {
  return order.port == 0 ? 0 : order.port + order.relaunches % kPortsPerLease;
}

}  // namespace wm::launch
