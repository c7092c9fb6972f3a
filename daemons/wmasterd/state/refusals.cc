#include "daemons/wmasterd/state/refusals.h"

#include <algorithm>
#include <bit>

#include "libwm/base/log.h"

namespace wm::master {
namespace {

constexpr std::size_t kMostJobs = 10'000;

}  // namespace

std::vector<HostId> hosts_of(const EventBody& body) {
  std::vector<HostId> hosts;
  auto add = [&](const std::vector<Task>& tasks) {
    for (const Task& task : tasks) hosts.push_back(task.host);
  };
  if (auto* start = std::get_if<JobDispatched>(&body)) add(start->tasks);
  if (auto* grow = std::get_if<TasksAdded>(&body)) add(grow->tasks);
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts;
}

void Refusals::note(const EventBody& body, const Error& why) {
  JobId job = job_of(body);
  if (jobs_.size() >= kMostJobs && !jobs_.contains(job)) jobs_.clear();
  auto times = ++jobs_[job];
  std::uint32_t on_host = 0;
  for (HostId host : hosts_of(body)) on_host = std::max(on_host, ++hosts_[host]);
  if (!std::has_single_bit(times)) return;
  ++told_;
  log::warn("plan_refused", {{"event", event_name(body)},
                             {"job", to_string(job)},
                             {"times", times},
                             {"on_its_hosts", on_host},
                             {"why", why.text}});
}

}  // namespace wm::master
