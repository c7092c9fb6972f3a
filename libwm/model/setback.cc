#include "libwm/model/setback.h"

#include <algorithm>

#include "libwm/model/job.h"

namespace wm {

bool is_grow_blocked(const Job& job, WallTime now) {
  return !job.size.grow_blocked.empty() &&
         (job.size.grow_again == WallTime{} || now < job.size.grow_again);
}

std::vector<HostId> barred_hosts(const Job& job, WallTime now) {
  auto hosts = job.waits.excluded_hosts;
  for (const auto& setback : job.size.setbacks)
    if (now < setback.until) hosts.push_back(setback.host);
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts;
}

}  // namespace wm
