#include "daemons/wshepherd/programs.h"

#include "libwm/launch/mpi_runtime.h"

namespace wm::shepherd {
namespace {

launch::MpiProcesses mpi_among(const Kernel& kernel, const std::vector<pid_t>& pids) {
  std::vector<launch::NamedProcess> named;
  for (auto pid : pids)
    if (auto stat = kernel.processes.stat(pid))
      named.push_back({pid, stat->parent, kernel.processes.name_of(pid)});
  return launch::mpi_processes(named);
}

std::vector<pid_t> with_descendants(const Kernel& kernel, pid_t leader) {
  std::vector<pid_t> pids{leader};
  for (auto pid : kernel.processes.descendants_of(leader, {})) pids.push_back(pid);
  return pids;
}

}  // namespace

std::set<pid_t> mpi_runtime_of(const Kernel& kernel, const std::vector<pid_t>& pids) {
  auto runtime = mpi_among(kernel, pids).runtime;
  return {runtime.begin(), runtime.end()};
}

bool signal_around_mpi(const Kernel& kernel, pid_t leader, int signal) {
  auto pids = with_descendants(kernel, leader);
  auto spared = mpi_runtime_of(kernel, pids);
  if (spared.empty()) return false;
  for (auto pid : pids)
    if (!spared.contains(pid)) kernel.signals.kill(pid, signal);
  return true;
}

bool signal_ranks(const Kernel& kernel, const std::vector<pid_t>& pids, int signal) {
  auto ranks = mpi_among(kernel, pids).ranks;
  for (auto pid : ranks) kernel.signals.kill(pid, signal);
  return !ranks.empty();
}

}  // namespace wm::shepherd
