#include "libwm/launch/framework_env.h"

#include <algorithm>
#include <cstdio>

#include "libwm/launch/group_team.h"
#include "libwm/model/launcher_size.h"

namespace wm::launch {
namespace {

/// A job as WMLA's scripts see it, who give these to torchrun: so many workers, which of them this
/// process is, and how many processes each may have, at least one. Where a process is started for
/// every task that is a task; a launcher's is its host; a command started once is all there is.
struct Workers {
  std::size_t count = 1, rank = 0, devices = 1;
};

Workers workers_of(const HostOrder& o, const OrderedTask& task) {
  auto place = team_place(o, task.task);
  if (o.launch == Launch::PerSlot)
    return {place.world, place.rank, std::max<std::size_t>(task.gpus.size(), 1)};
  std::size_t gpus = 0;
  for (const auto& slot : o.tasks)
    if (!slot.leave && !slot.kill) gpus += slot.gpus.size();
  auto devices = gpus > 0 ? gpus : place.local_world;
  if (o.launch == Launch::Once) return {1, 0, devices};
  return {place.hosts, place.host_rank, devices};
}

/// Which job this is among all that ever had its number: checkpoints name it. The same in all its
/// attempts.
std::string identity(const HostOrder& o, const HostFacts& host) {
  auto submitted = o.submitted.time_since_epoch().count();
  return host.cluster + ":" + id_part(results_id(o)) + ":" + std::to_string(submitted);
}

/// What -resume asked for by a job's number, as the folder that is meant.
void add_resumption(VariableMap& v, const HostOrder& o, const HostFacts& host) {
  auto asked = v.find("WM_RESUME_FROM");
  if (asked == v.end()) return;
  if (auto job = parse_job_id(asked->second)) asked->second = result_dir(o, host, *job);
  else v.erase(asked);
}

/// As its submitter's files said (submit/torch_version.h); false: not known.
bool is_before_torch_2_2(const VariableMap& v) {
  auto version = v.find("WM_TORCH");
  int major = 0, minor = 0;
  char dot = 0;
  return version != v.end() &&
         std::sscanf(version->second.c_str(), "%9d%c%9d", &major, &dot, &minor) == 3 &&
         dot == '.' && (major < 2 || (major == 2 && minor < 2));
}

}  // namespace

void add_python(VariableMap& v, const HostFacts& host) {
  auto ours = host.lib_dir + "/python";
  auto& path = v["PYTHONPATH"];
  path = ours + ":" + path + (path.empty() ? "" : ":") + ours + "/last";
  v["PYTHONUNBUFFERED"] = "1";
  v["FABRIC_HOME"] = host.fabric_dir;
}

void add_torchrun(VariableMap& v, const HostOrder& o, const HostFacts& host,
                  const OrderedTask& task) {
  auto place = team_place(o, task.task);
  v["RANK"] = v["ROLE_RANK"] = std::to_string(place.rank);
  v["WORLD_SIZE"] = v["ROLE_WORLD_SIZE"] = std::to_string(place.world);
  // Scripts take the device of that number of those that they see: a task sees its own alone.
  bool sees_own = o.launch == Launch::PerSlot && !task.gpus.empty() && !o.resolved.task.gpu_see_all;
  v["LOCAL_RANK"] = sees_own ? "0" : std::to_string(place.local_rank);
  v["WM_LOCAL_RANK"] = std::to_string(place.local_rank);
  v["LOCAL_WORLD_SIZE"] = std::to_string(place.local_world);
  auto found = training_launcher_of(o.resolved.program.command);
  // What accelerate starts alone takes these for its own.
  if (o.launch == Launch::PerHost && starts_one_process(found, o.resolved)) {
    v["RANK"] = v["ROLE_RANK"] = std::to_string(place.host_rank);
    v["WORLD_SIZE"] = v["ROLE_WORLD_SIZE"] = std::to_string(place.hosts);
    v["LOCAL_RANK"] = "0";
  }
  v["GROUP_RANK"] = v["NODE_RANK"] = std::to_string(place.host_rank);
  v["GROUP_WORLD_SIZE"] = std::to_string(place.hosts);
  v["ROLE_NAME"] = "default";
  auto meeting = meeting_of(o);
  v["MASTER_ADDR"] = meeting.address;
  if (meeting.port != 0) v["MASTER_PORT"] = std::to_string(meeting.port);
  v["TORCHELASTIC_RUN_ID"] = id_part(results_id(o));
  v["TORCHELASTIC_RESTART_COUNT"] = std::to_string(o.team.restarts);
  v["TORCHELASTIC_MAX_RESTARTS"] = std::to_string(host.limits.max_requeue);
  v["TORCHELASTIC_USE_AGENT_STORE"] = "False";
  v["TORCHELASTIC_ERROR_FILE"] =
      attempt_dir(o, host) + "/error-" + std::to_string(task.task.value) + ".json";
  v.try_emplace("OMP_NUM_THREADS", std::to_string(std::max(1u, o.resolved.task.milli_cpus / 1000)));
  // By this name 2.2 and later know it no more, and warn of it.
  if (is_before_torch_2_2(v)) v.try_emplace("NCCL_ASYNC_ERROR_HANDLING", "1");
  v.try_emplace("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
  // Debian 13's torch is built without libuv, and asks for it unless this says no.
  v.try_emplace("USE_LIBUV", "0");
  if (host.interface.empty()) return;
  v.try_emplace("NCCL_SOCKET_IFNAME", host.interface);
  v.try_emplace("GLOO_SOCKET_IFNAME", host.interface);
}

void add_launcher(VariableMap& v, const HostOrder& o, const OrderedTask& task) {
  auto place = team_place(o, task.task);
  auto meeting = meeting_of(o);
  v["PET_NNODES"] = std::to_string(place.hosts);
  v["PET_NODE_RANK"] = std::to_string(place.host_rank);
  v["PET_NPROC_PER_NODE"] = std::to_string(place.local_world);
  v["PET_MASTER_ADDR"] = meeting.address;
  if (meeting.port != 0) v["PET_MASTER_PORT"] = std::to_string(meeting.port);
  v["NNODES"] = v["PET_NNODES"];
  v["NPROC_PER_NODE"] = v["PET_NPROC_PER_NODE"];
}

namespace {

// Scripts join it with the path that DATA_DIR has already: it is the root that DATA_DIR lies below.
const std::string& data_root(const std::string& data_dir, const std::string& clusters) {
  bool below = !clusters.empty() && data_dir.starts_with(clusters) &&
               (data_dir.size() == clusters.size() || data_dir[clusters.size()] == '/');
  return below ? clusters : data_dir;
}

}  // namespace

void add_training(VariableMap& v, const HostOrder& o, const HostFacts& host,
                  const OrderedTask& task) {
  auto results = named_result_dir(o, host);
  auto workers = workers_of(o, task);
  v["RESULT_DIR"] = results;
  v["LOG_DIR"] = results + "/log/" + std::to_string(log_number(o, task.task));
  v["SAVED_MODEL_DIR"] = results + "/model";
  v["JOB_STATE_DIR"] = results;
  v["DLI_RESULT_FS"] = host.dirs.results.empty() ? o.resolved.program.home : host.dirs.results;
  v["DLI_SHARED_FS"] = v["DLI_RESULT_FS"];
  v.try_emplace("DATA_DIR", host.dirs.data);
  v.try_emplace("DLI_DATA_FS", data_root(v["DATA_DIR"], host.dirs.data));
  v["DLI_EXECID"] = v["APP_ID"] = own_name(o, host);
  v["DLI_WORK_DIR"] = work_dir(o, host);
  v["DLI_IS_ELASTIC"] = o.team.elastic ? "true" : "false";
  v["DLI_LOGGER_LEVEL"] = "INFO";
  v["WMLA_NWORKER"] = std::to_string(workers.count);
  v["NODE_RANK"] = std::to_string(workers.rank);
  v["WMLA_WORKER_NDEVICE"] = std::to_string(workers.devices);
  v["WM_JOB"] = identity(o, host);
  add_resumption(v, o, host);
}

}  // namespace wm::launch
