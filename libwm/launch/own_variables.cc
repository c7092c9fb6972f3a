#include "libwm/launch/own_variables.h"

#include <algorithm>

#include "libwm/model/inheritance.h"

namespace wm::launch {
namespace {

constexpr OwnVariable kOwn[] = {
    {"APP_ID", SetWhen::Training, SetBy::FrameworkEnv},
    {"CUDA_MPS_LOG_DIRECTORY", SetWhen::Shares, SetBy::Wnoded},
    {"CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", SetWhen::Shares, SetBy::Wnoded},
    {"CUDA_MPS_PIPE_DIRECTORY", SetWhen::Shares, SetBy::Wnoded},
    {"CUDA_VISIBLE_DEVICES", SetWhen::Task, SetBy::LaunchEnv},
    {"DATA_DIR", SetWhen::Training, SetBy::FrameworkEnv, true},
    {"DLI_DATA_FS", SetWhen::Training, SetBy::FrameworkEnv, true},
    {"DLI_EXECID", SetWhen::Training, SetBy::FrameworkEnv},
    {"DLI_IS_ELASTIC", SetWhen::Training, SetBy::FrameworkEnv},
    {"DLI_LOGGER_LEVEL", SetWhen::Training, SetBy::FrameworkEnv},
    {"DLI_RESULT_FS", SetWhen::Training, SetBy::FrameworkEnv},
    {"DLI_SHARED_FS", SetWhen::Training, SetBy::FrameworkEnv},
    {"DLI_WORK_DIR", SetWhen::Training, SetBy::FrameworkEnv},
    {"FABRIC_HOME", SetWhen::Python, SetBy::FrameworkEnv},
    {"GLOO_SOCKET_IFNAME", SetWhen::Meets, SetBy::FrameworkEnv, true},
    {"GROUP_RANK", SetWhen::Meets, SetBy::FrameworkEnv},
    {"GROUP_WORLD_SIZE", SetWhen::Meets, SetBy::FrameworkEnv},
    {"HOME", SetWhen::Process, SetBy::LaunchEnv},
    {"HOSTNAME", SetWhen::Process, SetBy::LaunchEnv},
    {"HYDRA_BOOTSTRAP", SetWhen::Translated, SetBy::SlurmEnv, true},
    {"HYDRA_RMK", SetWhen::Translated, SetBy::SlurmEnv, true},
    {"I_MPI_HYDRA_BOOTSTRAP", SetWhen::Translated, SetBy::SlurmEnv, true},
    {"JOB_STATE_DIR", SetWhen::Training, SetBy::FrameworkEnv},
    {"LOCAL_RANK", SetWhen::Meets, SetBy::FrameworkEnv},
    {"LOCAL_WORLD_SIZE", SetWhen::Meets, SetBy::FrameworkEnv},
    {"LOGNAME", SetWhen::Process, SetBy::LaunchEnv},
    {"LOG_DIR", SetWhen::Training, SetBy::FrameworkEnv},
    {"LSB_AFFINITY_HOSTFILE", SetWhen::Bound, SetBy::Wnoded},
    {"LSB_BATCH_JID", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_BIND_CPU_LIST", SetWhen::Bound, SetBy::Wnoded},
    {"LSB_BIND_MEM_LIST", SetWhen::Bound, SetBy::Wnoded},
    {"LSB_BIND_MEM_POLICY", SetWhen::Bound, SetBy::Wnoded},
    {"LSB_CHKPNT_DIR", SetWhen::Asked, SetBy::LaunchEnv},
    {"LSB_DJOB_HOSTFILE", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_DJOB_NUMPROC", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_DJOB_RANKFILE", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_ECHKPNT_METHOD", SetWhen::Asked, SetBy::LaunchEnv},
    {"LSB_EFFECTIVE_RSRCREQ", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_ERRORFILE", SetWhen::Asked, SetBy::LaunchEnv},
    {"LSB_EXIT_PRE_ABORT", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_HOSTS", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_INTERACTIVE", SetWhen::Asked, SetBy::PartEnv},
    {"LSB_JOBEXIT_STAT", SetWhen::Beside, SetBy::Wshepherd},
    {"LSB_JOBFILENAME", SetWhen::Asked, SetBy::LaunchEnv},
    {"LSB_JOBID", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_JOBINDEX", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_JOBINDEX_END", SetWhen::Array, SetBy::LaunchEnv},
    {"LSB_JOBINDEX_STEP", SetWhen::Array, SetBy::LaunchEnv},
    {"LSB_JOBNAME", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_JOBPGIDS", SetWhen::Beside, SetBy::Wshepherd},
    {"LSB_JOBPIDS", SetWhen::Beside, SetBy::Wshepherd},
    {"LSB_JOB_EXECUSER", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_MAX_NUM_PROCESSORS", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_MCPU_HOSTS", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_OUTDIR", SetWhen::Asked, SetBy::LaunchEnv},
    {"LSB_OUTPUTFILE", SetWhen::Asked, SetBy::LaunchEnv},
    {"LSB_PROJECT_NAME", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_QUEUE", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_RESIZABLE", SetWhen::Elastic, SetBy::LaunchEnv},
    {"LSB_RESIZE_EVENT", SetWhen::Beside, SetBy::Wnoded},
    {"LSB_RESIZE_HOSTS", SetWhen::Beside, SetBy::Wnoded},
    {"LSB_RESIZE_NOTIFY_OK", SetWhen::Beside, SetBy::Wnoded},
    {"LSB_RESTART", SetWhen::Asked, SetBy::LaunchEnv},
    {"LSB_SUB_HOST", SetWhen::Task, SetBy::LaunchEnv},
    {"LSB_SUB_USER", SetWhen::Task, SetBy::LaunchEnv},
    {"LSFUSER", SetWhen::Task, SetBy::LaunchEnv},
    {"LSF_BINDIR", SetWhen::Process, SetBy::LaunchEnv},
    {"LSF_ENVDIR", SetWhen::Process, SetBy::LaunchEnv},
    {"LSF_LIBDIR", SetWhen::Process, SetBy::LaunchEnv},
    {"LSF_PM_TASKID", SetWhen::Task, SetBy::LaunchEnv},
    {"LSF_SERVERDIR", SetWhen::Process, SetBy::LaunchEnv},
    {"LS_SUBCWD", SetWhen::Task, SetBy::LaunchEnv},
    {"MASTER_ADDR", SetWhen::Meets, SetBy::FrameworkEnv},
    {"MASTER_PORT", SetWhen::Meets, SetBy::FrameworkEnv},
    {"MSD_POD_NAME", SetWhen::Grouped, SetBy::GroupEnv},
    {"NCCL_ASYNC_ERROR_HANDLING", SetWhen::Meets, SetBy::FrameworkEnv, true},
    {"NCCL_SOCKET_IFNAME", SetWhen::Meets, SetBy::FrameworkEnv, true},
    {"NNODES", SetWhen::Launcher, SetBy::FrameworkEnv},
    {"NODE_RANK", SetWhen::Meets, SetBy::FrameworkEnv},
    {"NPROC_PER_NODE", SetWhen::Launcher, SetBy::FrameworkEnv},
    {"NVIDIA_VISIBLE_DEVICES", SetWhen::Task, SetBy::LaunchEnv},
    {"OMPI_ALLOW_RUN_AS_ROOT", SetWhen::Task, SetBy::MpiEnv},
    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", SetWhen::Task, SetBy::MpiEnv},
    {"OMPI_MCA_btl_vader_single_copy_mechanism", SetWhen::Container, SetBy::MpiEnv, true},
    {"OMPI_MCA_hwloc_base_binding_policy", SetWhen::Parallel, SetBy::MpiEnv, true},
    {"OMPI_MCA_mpi_yield_when_idle", SetWhen::Parallel, SetBy::MpiEnv, true},
    {"OMPI_MCA_orte_default_hostfile", SetWhen::Parallel, SetBy::MpiEnv},
    {"OMPI_MCA_orte_tmpdir_base", SetWhen::InAgent, SetBy::PartEnv},
    {"OMPI_MCA_plm", SetWhen::Translated, SetBy::SlurmEnv, true},
    {"OMPI_MCA_plm_rsh_agent", SetWhen::Parallel, SetBy::MpiEnv, true},
    {"OMPI_MCA_ras", SetWhen::Translated, SetBy::SlurmEnv, true},
    {"OMPI_MCA_smsc", SetWhen::Container, SetBy::MpiEnv, true},
    {"OMP_NUM_THREADS", SetWhen::Meets, SetBy::FrameworkEnv, true},
    {"PATH", SetWhen::Process, SetBy::LaunchEnv},
    {"PET_MASTER_ADDR", SetWhen::Launcher, SetBy::FrameworkEnv},
    {"PET_MASTER_PORT", SetWhen::Launcher, SetBy::FrameworkEnv},
    {"PET_NNODES", SetWhen::Launcher, SetBy::FrameworkEnv},
    {"PET_NODE_RANK", SetWhen::Launcher, SetBy::FrameworkEnv},
    {"PET_NPROC_PER_NODE", SetWhen::Launcher, SetBy::FrameworkEnv},
    {"PRTE_ALLOW_RUN_AS_ROOT", SetWhen::Task, SetBy::MpiEnv},
    {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", SetWhen::Task, SetBy::MpiEnv},
    {"PRTE_MCA_hwloc_default_binding_policy", SetWhen::Parallel, SetBy::MpiEnv, true},
    {"PRTE_MCA_plm", SetWhen::Translated, SetBy::SlurmEnv, true},
    {"PRTE_MCA_plm_ssh_agent", SetWhen::Parallel, SetBy::MpiEnv, true},
    {"PRTE_MCA_prte_default_hostfile", SetWhen::Parallel, SetBy::MpiEnv},
    {"PRTE_MCA_prte_tmpdir_base", SetWhen::InAgent, SetBy::PartEnv},
    {"PRTE_MCA_ras", SetWhen::Translated, SetBy::SlurmEnv, true},
    {"PWD", SetWhen::Process, SetBy::LaunchEnv},
    {"PYTHONPATH", SetWhen::Python, SetBy::FrameworkEnv},
    {"PYTHONUNBUFFERED", SetWhen::Python, SetBy::FrameworkEnv},
    {"RANK", SetWhen::Meets, SetBy::FrameworkEnv},
    {"RESULT_DIR", SetWhen::Training, SetBy::FrameworkEnv},
    {"ROLE_NAME", SetWhen::Meets, SetBy::FrameworkEnv},
    {"ROLE_RANK", SetWhen::Meets, SetBy::FrameworkEnv},
    {"ROLE_WORLD_SIZE", SetWhen::Meets, SetBy::FrameworkEnv},
    {"SAVED_MODEL_DIR", SetWhen::Training, SetBy::FrameworkEnv},
    {"SHELL", SetWhen::Process, SetBy::LaunchEnv},
    {"SLURMD_*", SetWhen::Translated, SetBy::SlurmEnv},
    {"SLURM_*", SetWhen::Translated, SetBy::SlurmEnv},
    {"TF_CONFIG", SetWhen::Grouped, SetBy::GroupEnv},
    {"TORCHELASTIC_ERROR_FILE", SetWhen::Meets, SetBy::FrameworkEnv},
    {"TORCHELASTIC_MAX_RESTARTS", SetWhen::Meets, SetBy::FrameworkEnv},
    {"TORCHELASTIC_RESTART_COUNT", SetWhen::Meets, SetBy::FrameworkEnv},
    {"TORCHELASTIC_RUN_ID", SetWhen::Meets, SetBy::FrameworkEnv},
    {"TORCHELASTIC_USE_AGENT_STORE", SetWhen::Meets, SetBy::FrameworkEnv},
    {"TORCH_NCCL_ASYNC_ERROR_HANDLING", SetWhen::Meets, SetBy::FrameworkEnv, true},
    {"USER", SetWhen::Process, SetBy::LaunchEnv},
    {"USE_LIBUV", SetWhen::Meets, SetBy::FrameworkEnv, true},
    {"WMLA_NWORKER", SetWhen::Training, SetBy::FrameworkEnv},
    {"WMLA_WORKER_NDEVICE", SetWhen::Training, SetBy::FrameworkEnv},
    {"WM_AGENT_*", SetWhen::InAgent, SetBy::PartEnv},
    {"WM_ATTEMPT", SetWhen::Process, SetBy::LaunchEnv},
    {"WM_CLUSTER_DIR", SetWhen::Process, SetBy::LaunchEnv},
    {"WM_CONF_DIR", SetWhen::Process, SetBy::LaunchEnv},
    {"WM_CONTAINER", SetWhen::Container, SetBy::Container},
    {"WM_ELASTIC_SOCKET", SetWhen::Elastic, SetBy::LaunchEnv},
    {"WM_ELEMENT_DATA", SetWhen::Element, SetBy::LaunchEnv},
    {"WM_GENERATION", SetWhen::Process, SetBy::LaunchEnv},
    {"WM_GROUP", SetWhen::Grouped, SetBy::GroupEnv},
    {"WM_GROUP_*", SetWhen::Grouped, SetBy::GroupEnv},
    {"WM_HOST", SetWhen::Process, SetBy::PartEnv},
    {"WM_HOSTFILE", SetWhen::Parallel, SetBy::MpiEnv},
    {"WM_IDLE_CPU", SetWhen::Notebook, SetBy::PartEnv},
    {"WM_IDLE_LIMIT", SetWhen::Notebook, SetBy::PartEnv},
    {"WM_IDLE_WARNING", SetWhen::Notebook, SetBy::PartEnv},
    {"WM_JOB", SetWhen::Training, SetBy::FrameworkEnv},
    {"WM_JOB_UID", SetWhen::Beside, SetBy::Around},
    {"WM_LAUNCH_SOCKET", SetWhen::Agent, SetBy::PartEnv},
    {"WM_LOCAL_RANK", SetWhen::Meets, SetBy::FrameworkEnv},
    {"WM_NODE", SetWhen::Process, SetBy::LaunchEnv},
    {"WM_NODE_SOCKET", SetWhen::InAgent, SetBy::PartEnv},
    {"WM_OWN", SetWhen::Task, SetBy::LaunchEnv},
    {"WM_RESUME_DIR", SetWhen::Element, SetBy::LaunchEnv},
    {"WM_RESUME_FROM", SetWhen::Asked, SetBy::FrameworkEnv},
    {"WM_START", SetWhen::Process, SetBy::LaunchEnv},
    {"WM_TASK", SetWhen::Task, SetBy::LaunchEnv},
    {"WM_WARM_FD", SetWhen::Warm, SetBy::Wshepherd},
    {"WM_WEB_PORT", SetWhen::Notebook, SetBy::PartEnv},
    {"WM_WEB_PORT_OWNED", SetWhen::Notebook, SetBy::PartEnv},
    {"WM_WEB_SOCKET", SetWhen::Notebook, SetBy::PartEnv},
    {"WORLD_SIZE", SetWhen::Meets, SetBy::FrameworkEnv},
};

// Set anew for every job, or no job's own: what is started from a job needs them.
constexpr std::string_view kOfAnySession[] = {"HOME", "HOSTNAME",   "LOGNAME", "PATH",
                                              "PWD",  "PYTHONPATH", "SHELL",   "USER"};

bool is_set_later(const OwnVariable& own) {
  return own.by == SetBy::Wnoded || own.by == SetBy::Wshepherd;
}

bool means(std::string_view row, std::string_view name) {
  if (!row.ends_with('*')) return row == name;
  return name.starts_with(row.substr(0, row.size() - 1));
}

}  // namespace

std::span<const OwnVariable> own_variables() { return kOwn; }

const OwnVariable* own_variable(std::string_view name) {
  const auto* row =
      std::ranges::find_if(kOwn, [&](const OwnVariable& own) { return means(own.name, name); });
  return row == std::end(kOwn) ? nullptr : row;
}

std::string own_list(const std::map<std::string, std::string>& before,
                     const std::map<std::string, std::string>& now) {
  std::string list;
  for (const auto& [name, value] : now) {
    auto at = before.find(name);
    bool theirs = at != before.end() && at->second == value;
    if (!theirs && std::ranges::find(kOfAnySession, name) == std::end(kOfAnySession))
      list += own_entry(name, value) + " ";
  }
  for (const auto& own : kOwn)
    if (is_set_later(own)) list.append(own.name) += ' ';
  list.pop_back();
  return list;
}

}  // namespace wm::launch
