#include "libwm/proc/framework_env.h"

#include <algorithm>

namespace wm::proc {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

/// FabricModel in front of what the submitter had; modules under names that scripts bring
/// themselves behind it.
void add_python(VariableMap& v, const HostFacts& host) {
  auto ours = host.lib_dir + "/python";
  auto& path = v["PYTHONPATH"];
  path = ours + ":" + path + (path.empty() ? "" : ":") + ours + "/last";
  v["PYTHONUNBUFFERED"] = "1";
  v["FABRIC_HOME"] = host.fabric_dir;
}

}  // namespace

void add_torchrun(VariableMap& v, const HostOrder& o, const HostFacts& host,
                  const OrderedTask& task) {
  auto place = place_of(o, task.task);
  v["RANK"] = v["ROLE_RANK"] = number(place.rank);
  v["WORLD_SIZE"] = v["ROLE_WORLD_SIZE"] = number(place.world);
  v["LOCAL_RANK"] = number(place.local_rank);
  v["LOCAL_WORLD_SIZE"] = number(place.local_world);
  v["GROUP_RANK"] = v["NODE_RANK"] = number(place.host_rank);
  v["GROUP_WORLD_SIZE"] = number(place.hosts);
  v["ROLE_NAME"] = "default";
  v["MASTER_ADDR"] = master_address(o);
  if (auto port = master_port(o)) v["MASTER_PORT"] = number(port);
  v["TORCHELASTIC_RUN_ID"] = exec_id(o.job);
  v["TORCHELASTIC_RESTART_COUNT"] = number(o.restarts);
  v["TORCHELASTIC_MAX_RESTARTS"] = number(host.limits.max_requeue);
  v["TORCHELASTIC_USE_AGENT_STORE"] = "False";
  v["TORCHELASTIC_ERROR_FILE"] =
      attempt_dir(o, host) + "/error-" + number(task.task.value) + ".json";
  v.try_emplace("OMP_NUM_THREADS", number(std::max(1u, o.resolved.task.milli_cpus / 1000)));
  v.try_emplace("NCCL_ASYNC_ERROR_HANDLING", "1");
  v.try_emplace("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
  if (host.interface.empty()) return;
  v.try_emplace("NCCL_SOCKET_IFNAME", host.interface);
  v.try_emplace("GLOO_SOCKET_IFNAME", host.interface);
}

void add_launcher(VariableMap& v, const HostOrder& o, const OrderedTask& task) {
  auto place = place_of(o, task.task);
  v["PET_NNODES"] = number(place.hosts);
  v["PET_NODE_RANK"] = number(place.host_rank);
  v["PET_NPROC_PER_NODE"] = number(place.local_world);
  v["PET_MASTER_ADDR"] = master_address(o);
  if (auto port = master_port(o)) v["PET_MASTER_PORT"] = number(port);
  v["NNODES"] = v["PET_NNODES"];
  v["NPROC_PER_NODE"] = v["PET_NPROC_PER_NODE"];
}

void add_training(VariableMap& v, const HostOrder& o, const HostFacts& host,
                  const OrderedTask& task) {
  auto results = result_dir(o, host);
  auto place = place_of(o, task.task);
  v["RESULT_DIR"] = results;
  v["LOG_DIR"] = log_dir(o, host, task.task);
  v["SAVED_MODEL_DIR"] = results + "/model";
  v["JOB_STATE_DIR"] = results;
  v["DLI_RESULT_FS"] = host.dirs.results.empty() ? o.resolved.home : host.dirs.results;
  v["DLI_SHARED_FS"] = v["DLI_RESULT_FS"];
  v.try_emplace("DATA_DIR", host.dirs.data);
  v["DLI_DATA_FS"] = v["DATA_DIR"];
  v["DLI_EXECID"] = v["APP_ID"] = exec_id(o.job);
  v["DLI_WORK_DIR"] = o.resolved.cwd;
  v["DLI_IS_ELASTIC"] = o.elastic ? "true" : "false";
  v["DLI_LOGGER_LEVEL"] = "INFO";
  v["WMLA_NWORKER"] = number(place.world);
  v["WMLA_WORKER_NDEVICE"] = number(task.gpus.size());
  add_python(v, host);
}

}  // namespace wm::proc
