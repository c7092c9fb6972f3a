#include "libwm/model/job_hosts.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace wm {
namespace {

constexpr std::size_t kMostDigits = 9;  // what 32 bits surely hold

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string name_of(const HostRun& run, std::uint32_t n) {
  if (run.width == 0) return run.head;
  auto digits = std::to_string(run.first + n);
  auto zeros = digits.size() < run.width ? run.width - digits.size() : 0;
  return run.head + std::string(zeros, '0') + digits + run.tail;
}

/// A run of this host alone. What counts hosts is the last number before a domain: "node12.site4".
HostRun run_of(const HostTasks& host) {
  const auto& name = host.host;
  HostRun run{name, "", 0, 0, 1, host.tasks};
  auto last = std::min(name.find('.'), name.size());
  while (last > 0 && !is_digit(name[last - 1])) --last;
  auto first = last;
  while (first > 0 && is_digit(name[first - 1])) --first;
  if (first == last || last - first > kMostDigits) return run;
  std::from_chars(name.data() + first, name.data() + last, run.first);
  run.width = static_cast<std::uint32_t>(last - first);
  run.head = name.substr(0, first);
  run.tail = name.substr(last);
  return run;
}

bool goes_on(const HostRun& run, const HostTasks& next) {
  return run.width > 0 && run.tasks == next.tasks && name_of(run, run.hosts) == next.host;
}

}  // namespace

std::vector<HostRun> folded(const std::vector<HostTasks>& hosts) {
  std::vector<HostRun> runs;
  for (const auto& host : hosts) {
    if (!runs.empty() && goes_on(runs.back(), host)) ++runs.back().hosts;
    else runs.push_back(run_of(host));
  }
  return runs;
}

std::vector<HostTasks> unfolded(const std::vector<HostRun>& runs) {
  std::vector<HostTasks> hosts;
  for (const auto& run : runs)
    for (std::uint32_t n = 0; n < run.hosts; ++n) hosts.push_back({name_of(run, n), run.tasks});
  return hosts;
}

std::uint32_t host_count(const JobHosts& job) {
  std::uint32_t count = 0;
  for (const auto& run : job.runs) count += run.hosts;
  return count;
}

std::uint32_t task_count(const JobHosts& job) {
  std::uint32_t count = 0;
  for (const auto& run : job.runs) count += run.hosts * run.tasks;
  return count;
}

JobHosts job_hosts_of(std::vector<PlacedTask> tasks, std::string_view host) {
  JobHosts job;
  std::sort(tasks.begin(), tasks.end(), [](auto& a, auto& b) { return a.task < b.task; });
  std::vector<HostTasks> hosts;
  std::map<std::string_view, std::size_t> known;  // where in `hosts`
  for (const auto& task : tasks) {
    auto [at, is_new] = known.try_emplace(task.host, hosts.size());
    if (is_new) hosts.push_back({task.host, 0});
    ++hosts[at->second].tasks;
    if (task.host == host) job.here.push_back(task.task);
  }
  if (!tasks.empty()) job.first_address = tasks.front().address;
  if (auto own = known.find(host); own != known.end()) {
    job.hosts_before = static_cast<std::uint32_t>(own->second);
    for (std::size_t h = 0; h < own->second; ++h) job.tasks_before += hosts[h].tasks;
  }
  job.runs = folded(hosts);
  return job;
}

}  // namespace wm
