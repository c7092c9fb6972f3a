#include "libwm/launch/slurm_env.h"

#include <algorithm>

namespace wm::launch {
namespace {

constexpr const char* kMark = "WM_SBATCH";

// "4(x2),3": how often each number stands in a row.
std::string runs_of(const std::vector<HostTasks>& hosts) {
  std::string text;
  for (std::size_t i = 0; i < hosts.size();) {
    std::size_t end = i;
    while (end < hosts.size() && hosts[end].tasks == hosts[i].tasks) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(hosts[i].tasks);
    if (end - i > 1) text += "(x" + std::to_string(end - i) + ")";
    i = end;
  }
  return text;
}

void add_places(VariableMap& v, const HostOrder& order, const HostFacts& host,
                const OrderedTask& task) {
  const auto hosts = by_host(order);
  std::string names;
  std::uint32_t here = 0;
  for (const auto& [name, tasks] : hosts) {
    names += (names.empty() ? "" : ",") + name;
    if (name == host.name) here = tasks;
  }
  const auto place = place_of(order, task.task);
  v["SLURM_JOB_NODELIST"] = v["SLURM_NODELIST"] = names;
  v["SLURM_JOB_NUM_NODES"] = v["SLURM_NNODES"] = std::to_string(hosts.size());
  v["SLURM_JOB_CPUS_PER_NODE"] = v["SLURM_TASKS_PER_NODE"] = runs_of(hosts);
  v["SLURM_CPUS_ON_NODE"] = std::to_string(here);
  v["SLURMD_NODENAME"] = host.name;
  v["SLURM_NODEID"] = std::to_string(place.host_rank);
  v["SLURM_PROCID"] = std::to_string(place.rank);
  v["SLURM_LOCALID"] = std::to_string(place.local_rank);
}

void add_gpus(VariableMap& v) {
  const auto& gpus = v["CUDA_VISIBLE_DEVICES"];
  if (gpus.empty()) return;
  v["SLURM_JOB_GPUS"] = gpus;
  v["SLURM_GPUS_ON_NODE"] = std::to_string(std::count(gpus.begin(), gpus.end(), ',') + 1);
}

// The submitter's own choice stays.
void keep_from_slurm(VariableMap& v) {
  static constexpr std::pair<const char*, const char*> kInstead[] = {
      {"OMPI_MCA_plm", "rsh"},         {"OMPI_MCA_ras", "^slurm"}, {"PRTE_MCA_plm", "ssh"},
      {"PRTE_MCA_ras", "^slurm"},      {"HYDRA_BOOTSTRAP", "lsf"}, {"HYDRA_RMK", "lsf"},
      {"I_MPI_HYDRA_BOOTSTRAP", "lsf"}};
  for (auto [name, value] : kInstead) v.emplace(name, value);
}

}  // namespace

void add_slurm(VariableMap& vars, const HostOrder& order, const HostFacts& host,
               const OrderedTask& task) {
  auto mark = vars.find(kMark);
  if (mark == vars.end()) return;
  const auto higher = mark->second == "1" ? 1u : 0u;
  const auto& spec = order.resolved;
  vars["SLURM_JOB_ID"] = vars["SLURM_JOBID"] = std::to_string(order.job.job);
  if (order.job.index > 0) {
    vars["SLURM_ARRAY_JOB_ID"] = std::to_string(order.job.job);
    vars["SLURM_ARRAY_TASK_ID"] = std::to_string(order.job.index - higher);
  }
  vars["SLURM_JOB_NAME"] = spec.name.substr(0, spec.name.find('['));
  vars["SLURM_JOB_PARTITION"] = spec.queue;
  vars["SLURM_JOB_ACCOUNT"] = spec.project;
  vars["SLURM_JOB_USER"] = spec.owner.user;
  vars["SLURM_JOB_UID"] = std::to_string(spec.owner.uid);
  vars["SLURM_CLUSTER_NAME"] = host.cluster;
  add_places(vars, order, host, task);
  add_gpus(vars);
  keep_from_slurm(vars);
}

}  // namespace wm::launch
