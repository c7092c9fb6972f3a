#include "daemons/wmasterd/hosts/host_names.h"

#include <algorithm>

namespace wm::master {

std::vector<std::string> names_of(const Cluster& cluster, const std::vector<HostId>& hosts) {
  std::vector<std::string> names;
  for (HostId id : hosts) {
    const Host* host = cluster.hosts.find(id.value);
    names.push_back(host ? host->name : "?");
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace wm::master
