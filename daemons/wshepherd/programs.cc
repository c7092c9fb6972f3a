#include "daemons/wshepherd/programs.h"

#include "libwm/launch/mpi_runtime.h"

namespace wm::shepherd {
namespace {

launch::MpiProcesses mpi_among(const Env& env, const std::vector<pid_t>& pids) {
  std::vector<launch::NamedProcess> named;
  for (auto pid : pids)
    if (auto stat = env.processes.stat(pid))
      named.push_back({pid, stat->parent, env.processes.name_of(pid)});
  return launch::mpi_processes(named);
}

std::vector<pid_t> with_descendants(const Env& env, pid_t leader) {
  std::vector<pid_t> pids{leader};
  for (auto pid : env.processes.descendants_of(leader, {})) pids.push_back(pid);
  return pids;
}

}  // namespace

std::set<pid_t> mpi_runtime_of(const Env& env, const std::vector<pid_t>& pids) {
  auto runtime = mpi_among(env, pids).runtime;
  return {runtime.begin(), runtime.end()};
}

bool signal_around_mpi(const Env& env, pid_t leader, int signal) {
  auto pids = with_descendants(env, leader);
  auto spared = mpi_runtime_of(env, pids);
  if (spared.empty()) return false;
  for (auto pid : pids)
    if (!spared.contains(pid)) env.signals.kill(pid, signal);
  return true;
}

bool signal_ranks(const Env& env, const std::vector<pid_t>& pids, int signal) {
  auto ranks = mpi_among(env, pids).ranks;
  for (auto pid : ranks) env.signals.kill(pid, signal);
  return !ranks.empty();
}

}  // namespace wm::shepherd
