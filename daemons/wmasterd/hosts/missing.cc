#include "daemons/wmasterd/hosts/missing.h"

#include <algorithm>
#include <map>
#include <vector>

#include "libwm/model/launcher_size.h"

namespace wm::master {
namespace {

/// Processes that run or are to, host by host, the first task's host first.
std::vector<Expected> processes_of(const Cluster& cluster, const Job& job) {
  std::vector<Expected> expected;
  std::map<HostId, std::size_t> places;
  for (const auto& task : job.tasks) {
    bool wanted = task.has_process && !task.kill &&
                  (task.state == TaskState::Starting || task.state == TaskState::Running);
    const Host* host = wanted ? cluster.hosts.find(task.host.value) : nullptr;
    if (!host) continue;
    auto [place, fresh] = places.try_emplace(task.host, expected.size());
    if (fresh) expected.push_back({host->name, host->address, 1});
    else ++expected[place->second].processes;
  }
  return expected;
}

}  // namespace

std::string missing_text(const Cluster& cluster, const Job& job, const Rendezvous& meeting) {
  auto expected = processes_of(cluster, job);
  if (meeting.port == 0 || expected.empty()) return "";
  bool per_host = launch_of(*cluster.config, job.spec()) == Launch::PerHost;
  auto hosts = static_cast<std::uint32_t>(expected.size());
  auto found = training_launcher_of(job.spec().program.command);
  auto awaited = per_host ? hosts_awaited(found, hosts) : hosts;
  if (awaited > hosts) expected.push_back({"", "", awaited - hosts});
  auto text = meeting_text(expected, meeting, per_host ? "hosts" : "tasks");
  auto doubt = text.empty() ? text : size_contradiction(found, {hosts, 0, 0});
  return doubt.empty() ? text : text + "; the command says " + doubt;
}

}  // namespace wm::master
