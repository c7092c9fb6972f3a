#include "libwm/launch/mpi_env.h"

#include <algorithm>

#include "libwm/launch/container.h"

namespace wm::launch {
namespace {

constexpr const char* kMpiHosts = "/mpi-hosts";
constexpr const char* kHostFile = "WM_HOSTFILE";
/// Where the two runtimes of Open MPI look for the hosts.
constexpr const char* kHostFiles[] = {"OMPI_MCA_orte_default_hostfile",
                                      "PRTE_MCA_prte_default_hostfile"};
/// Who has one of these is a rank.
constexpr const char* kRankNumbers[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
constexpr std::string_view kRankWords[] = {"JSM_JSRUN_PORT",
                                           "OMPI_UNIVERSE_SIZE",
                                           "OMPI_NUM_APP_CTX",
                                           "OMPI_FIRST_RANKS",
                                           "OMPI_APP_CTX_NUM_PROCS",
                                           "OMPI_COMMAND",
                                           "OMPI_ARGV",
                                           "OMPI_FILE_LOCATION",
                                           "OMPI_LIBDIR_LOC",
                                           "OMPI_VERSION",
                                           "OMPI_TOOL_NAME",
                                           "OMPI_MCA_ess",
                                           "OMPI_MCA_pmix",
                                           "OMPI_MCA_orte_launch",
                                           "OMPI_MCA_orte_app_num",
                                           "OMPI_MCA_orte_num_nodes",
                                           "OMPI_MCA_orte_hnp_uri",
                                           "OMPI_MCA_orte_local_daemon_uri",
                                           "OMPI_MCA_orte_top_session_dir",
                                           "OMPI_MCA_orte_jobfam_session_dir",
                                           "OMPI_MCA_orte_tmpdir_base",
                                           "OMPI_MCA_orte_precondition_transports",
                                           "OMPI_MCA_mpi_oversubscribe",
                                           "OMPI_MCA_initial_wdir",
                                           "OMPI_MCA_num_procs",
                                           "OMPI_MCA_cpu_type",
                                           "OMPI_MCA_PREFIXES",
                                           "OMPI_MCA_mca_base_component_path",
                                           "PRTE_LAUNCHED",
                                           "PRTE_SHARED_FS",
                                           "MPI_LOCALNRANKS",
                                           "MPI_LOCALRANKID"};

/// Mpirun is to know the job's slots, also of an elastic job that is down to one.
bool is_parallel(const HostOrder& order) {
  return task_count(order.hosts) > 1 || order.team.elastic;
}

/// No rank may read another's memory in a user namespace of its own, and Open MPI's way out of
/// that hangs where no mpirun is.
void add_memory_of_containers(VariableMap& vars) {
  vars.try_emplace("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  vars.try_emplace("OMPI_MCA_smsc", "^cma");  // the same, since Open MPI 5
}

/// Mpirun counts slots, not CPUs: ranks that wait would keep the CPU from those waited for.
bool ranks_share_cpus(const HostOrder& order, const HostFacts& host) {
  if (host.cpus.empty()) return false;
  auto hosts = by_host(order);
  return std::any_of(hosts.begin(), hosts.end(), [&](const auto& entry) {
    return entry.host == host.name && entry.tasks > host.cpus.size();
  });
}

bool may_be_root(const HostOrder& order) {
  return order.resolved.owner.uid == 0 || container_driver(order) == "podman";  // root inside
}

/// Has an MPI runtime said this to one of its ranks, or a host to one that it starts?
bool is_told_to_ranks(std::string_view name) {
  if (name.starts_with("PMIX_")) return !name.starts_with("PMIX_MCA_");  // what a user may set
  for (const char* prefix :
       {"OMPI_COMM_WORLD_", "OMPI_WORLD_", "OMPI_MCA_ess_", "OMPI_MCA_orte_ess_", "PMI_", "HYDI_"})
    if (name.starts_with(prefix)) return true;
  return std::find(std::begin(kRankWords), std::end(kRankWords), name) != std::end(kRankWords);
}

/// Of one task, too: it may start ranks of its own.
void allow_root(VariableMap& vars) {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT"})
    vars[name] = vars[name + std::string("_CONFIRM")] = "1";
}

}  // namespace

bool starts_ranks(const HostOrder& order) { return order.resolved.mpi == Mpi::Pmix; }

void add_mpi(VariableMap& vars, const HostOrder& order, const HostFacts& host) {
  if (starts_ranks(order) && container_driver(order) != "none") add_memory_of_containers(vars);
  if (may_be_root(order)) allow_root(vars);
  if (!is_parallel(order)) return;
  auto hosts = attempt_dir(order, host) + kMpiHosts;
  vars[kHostFile] = hosts;  // DeepSpeed's form, too
  for (const char* name : kHostFiles) vars[name] = hosts;
  for (const char* name : {"OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent"})
    vars.try_emplace(name, host.bin_dir + "/blaunch");
  // Confinement is the cgroup's job, and bound to cores more slots than cores are an error.
  for (const char* name :
       {"OMPI_MCA_hwloc_base_binding_policy", "PRTE_MCA_hwloc_default_binding_policy"})
    vars.try_emplace(name, "none");
  if (ranks_share_cpus(order, host)) vars.try_emplace("OMPI_MCA_mpi_yield_when_idle", "1");
}

void add_mpi_daemon(VariableMap& vars, const HostOrder& order, const HostFacts& host) {
  for (const char* name : {"OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base"})
    vars[name] = attempt_dir(order, host);
}

std::string mpi_host_file(const HostOrder& order) {
  std::string text;
  if (!is_parallel(order)) return text;
  for (const auto& [name, tasks] : by_host(order))
    text += name + " slots=" + std::to_string(tasks) + "\n";
  return text;
}

void drop_other_jobs_words(VariableMap& vars) {
  if (auto theirs = vars.extract(kHostFile))
    for (const char* name : kHostFiles)
      if (auto at = vars.find(name); at != vars.end() && at->second == theirs.mapped())
        vars.erase(at);
  bool of_rank = std::any_of(std::begin(kRankNumbers), std::end(kRankNumbers),
                             [&](const char* name) { return vars.contains(name); });
  if (of_rank) std::erase_if(vars, [](const auto& entry) { return is_told_to_ranks(entry.first); });
}

}  // namespace wm::launch
