#include "libwm/proc/launch_env.h"

#include <algorithm>
#include <map>
#include <set>

#include "libwm/proc/container.h"
#include "libwm/proc/part_env.h"

namespace wm::proc {
namespace {

using Variables = std::map<std::string, std::string>;

std::string number(std::uint64_t n) { return std::to_string(n); }

/// Host names in the order of their first task, with their tasks.
std::vector<std::pair<std::string, std::vector<TaskNumber>>> by_host(const HostOrder& order) {
  std::vector<std::pair<std::string, std::vector<TaskNumber>>> hosts;
  auto all = order.all;
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.task < b.task; });
  for (const auto& placed : all) {
    auto at =
        std::find_if(hosts.begin(), hosts.end(), [&](auto& h) { return h.first == placed.host; });
    if (at == hosts.end()) at = hosts.insert(hosts.end(), {placed.host, {}});
    at->second.push_back(placed.task);
  }
  return hosts;
}

bool is_private(const std::string& name) {
  static const std::set<std::string> kPrivate = {
      "HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "LS_JOBPID", "LS_EXEC_T", "HOSTNAME"};
  if (kPrivate.contains(name)) return true;
  for (const char* prefix : {"LSB_", "TORCHELASTIC_", "DLI_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

/// A private cluster's users preload nss_wrapper to resolve its host names. Tasks must not:
/// it answers no AI_V4MAPPED question, and torch's TCPStore asks nothing else.
void drop_name_wrapper(Variables& vars) {
  auto preload = vars.find("LD_PRELOAD");
  if (preload == vars.end()) return;
  std::string kept;
  for (std::size_t at = 0; at < preload->second.size();) {
    auto end = std::min(preload->second.find_first_of(": ", at), preload->second.size());
    auto library = preload->second.substr(at, end - at);
    if (library.find("libnss_wrapper.so") == library.npos)
      kept += (kept.empty() ? "" : ":") + library;
    at = end + 1;
  }
  if (kept.empty()) vars.erase(preload);
  else preload->second = kept;
}

/// The submitter's block "A=1\0B=2\0" without what only another job could have meant.
Variables submitted(const std::string& block) {
  Variables vars;
  for (std::size_t at = 0; at < block.size();) {
    auto end = std::min(block.find('\0', at), block.size());
    auto entry = block.substr(at, end - at);
    auto equals = entry.find('=');
    if (equals != 0 && equals != entry.npos && !is_private(entry.substr(0, equals)))
      vars[entry.substr(0, equals)] = entry.substr(equals + 1);
    at = end + 1;
  }
  drop_name_wrapper(vars);
  return vars;
}

/// "12" or "12.4": a job as part of a path or of an exec id.
std::string exec_id(JobId job) {
  return number(job.job) + (job.index ? "." + number(job.index) : "");
}

void add_lsf(Variables& v, const HostOrder& o, const HostFacts& host) {
  const auto& spec = o.resolved;
  std::string hosts, pairs;
  for (const auto& [name, tasks] : by_host(o)) {
    pairs += (pairs.empty() ? "" : " ") + name + " " + number(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) hosts += (hosts.empty() ? "" : " ") + name;
  }
  v["LSB_JOBID"] = number(o.job.job);
  v["LSB_JOBINDEX"] = number(o.job.index);
  v["LSB_BATCH_JID"] = to_string(o.job);
  v["LSB_JOBNAME"] = spec.name;
  v["LSB_QUEUE"] = spec.queue;
  v["LSB_MCPU_HOSTS"] = pairs;
  if (hosts.size() <= 4096) v["LSB_HOSTS"] = hosts;
  v["LSB_DJOB_NUMPROC"] = number(o.all.size());
  v["LSB_MAX_NUM_PROCESSORS"] = number(o.max_tasks);
  if (o.all.size() > 1 || o.elastic) v["LSB_DJOB_HOSTFILE"] = attempt_dir(o, host) + "/hosts";
  v["LSB_SUB_HOST"] = spec.submit_host;
  v["LSB_SUB_USER"] = v["LSB_JOB_EXECUSER"] = v["LSFUSER"] = spec.owner.user;
  v["LS_SUBCWD"] = spec.cwd;
  v["LSB_PROJECT_NAME"] = spec.project;
  v["LSB_EFFECTIVE_RSRCREQ"] = spec.resreq;
  v["LSB_EXIT_PRE_ABORT"] = "99";
  if (!spec.out_file.empty()) v["LSB_OUTPUTFILE"] = expand_output(spec.out_file, o, host.name);
  if (!spec.err_file.empty()) v["LSB_ERRORFILE"] = expand_output(spec.err_file, o, host.name);
  if (!spec.script_hash.empty()) v["LSB_JOBFILENAME"] = attempt_dir(o, host) + "/script";
  if (o.elastic) v["LSB_RESIZABLE"] = "Y";
  if (o.restarts > 0) v["LSB_RESTART"] = "Y";
}

void add_account(Variables& v, const HostOrder& o, const HostFacts& host) {
  const auto& spec = o.resolved;
  v["USER"] = v["LOGNAME"] = spec.owner.user;
  v["HOME"] = spec.home;
  v["SHELL"] = spec.shell.empty() ? "/bin/sh" : spec.shell;
  v["PWD"] = spec.cwd;
  v["HOSTNAME"] = host.name;
  v["LSF_BINDIR"] = host.bin_dir;
  v["LSF_SERVERDIR"] = host.sbin_dir;
  v["LSF_LIBDIR"] = host.lib_dir;
  v["LSF_ENVDIR"] = v["WM_CONF_DIR"] = host.conf_dir;
  auto& path = v["PATH"];
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  if ((":" + path + ":").find(":" + host.bin_dir + ":") == path.npos)
    path = host.bin_dir + ":" + path;
  for (const auto& entry : host.passed_on)
    if (auto equals = entry.find('='); equals != entry.npos)
      v[entry.substr(0, equals)] = entry.substr(equals + 1);
}

bool names_devices(const OrderedTask& task) {
  return std::all_of(task.gpu_uuids.begin(), task.gpu_uuids.end(), [](const auto& uuid) {
    return uuid.starts_with("GPU-") || uuid.starts_with("MIG-");
  });
}

/// A process that stands for several slots has the GPUs of all of them. By uuid, which means the
/// same device to everybody; a declared counter has none that CUDA knows. Empty: it sees none.
void add_gpus(Variables& v, const HostOrder& o, const OrderedTask& task) {
  std::string indexes, uuids;
  bool devices = true;
  auto add = [&](const OrderedTask& slot) {
    for (auto gpu : slot.gpus) indexes += (indexes.empty() ? "" : ",") + number(gpu);
    for (const auto& uuid : slot.gpu_uuids) uuids += (uuids.empty() ? "" : ",") + uuid;
    devices = devices && names_devices(slot);
  };
  add(task);
  for (const auto& slot : o.tasks)
    if (o.launch != Launch::PerSlot && slot.task != task.task && !slot.leave && !slot.kill)
      add(slot);
  v["CUDA_VISIBLE_DEVICES"] = devices && !uuids.empty() ? uuids : indexes;
  v["NVIDIA_VISIBLE_DEVICES"] = uuids.empty() ? "none" : uuids;
}

/// @source torch.distributed.elastic's list of variables passed to a worker
void add_torchrun(Variables& v, const HostOrder& o, const HostFacts& host,
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
  v["MASTER_PORT"] = number(master_port(o, host.limits));
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

/// Defaults of torchrun's own options; what the command line says goes before them.
/// @source torch.distributed.argparse_util: PET_<option>
void add_launcher(Variables& v, const HostOrder& o, const HostFacts& host,
                  const OrderedTask& task) {
  auto place = place_of(o, task.task);
  v["PET_NNODES"] = number(place.hosts);
  v["PET_NODE_RANK"] = number(place.host_rank);
  v["PET_NPROC_PER_NODE"] = number(place.local_world);
  v["PET_MASTER_ADDR"] = master_address(o);
  v["PET_MASTER_PORT"] = number(master_port(o, host.limits));
  v["NNODES"] = v["PET_NNODES"];
  v["NPROC_PER_NODE"] = v["PET_NPROC_PER_NODE"];
}

/// Our modules and FabricModel's archive in front of what the submitter had.
void add_python(Variables& v, const HostFacts& host) {
  auto ours = host.lib_dir + "/python:" + host.fabric_dir + "/libs/fabric.zip";
  auto& path = v["PYTHONPATH"];
  path = path.empty() ? ours : ours + ":" + path;
  v["PYTHONUNBUFFERED"] = "1";
  v["FABRIC_HOME"] = host.fabric_dir;
}

void add_training(Variables& v, const HostOrder& o, const HostFacts& host,
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

std::vector<std::string> entries_of(const Variables& vars) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : vars) entries.push_back(name + "=" + value);
  return entries;
}

std::string elastic_socket(const HostOrder& o, const HostFacts& host) {
  return attempt_dir(o, host) + "/elastic";
}

void add_wm(Variables& v, const HostOrder& o, const HostFacts& host) {
  v[std::string(kAttemptVariable)] = attempt_marker(host.cluster, host.name, {o.job, o.attempt});
  if (o.elastic) v["WM_ELASTIC_SOCKET"] = elastic_socket(o, host);
  v["WM_GENERATION"] = number(o.generation);
}

std::string hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char c : bytes) {
    text += kDigits[c >> 4];
    text += kDigits[c & 15];
  }
  return text;
}

/// The interpreter line of a script as argv, else /bin/sh.
std::vector<std::string> interpreter_of(const std::string& script) {
  if (!script.starts_with("#!")) return {"/bin/sh"};
  auto line = script.substr(2, std::min(script.find('\n'), std::size_t{4096}) - 2);
  auto from = line.find_first_not_of(" \t");
  if (from == line.npos) return {"/bin/sh"};
  auto end = line.find_first_of(" \t\r", from);
  std::vector<std::string> argv{line.substr(from, end - from)};
  auto more = end == line.npos ? line.npos : line.find_first_not_of(" \t\r", end);
  auto last = line.find_last_not_of(" \t\r");
  if (more != line.npos && more <= last) argv.push_back(line.substr(more, last - more + 1));
  return argv;
}

std::vector<std::string> command_of(const HostOrder& o, const HostFacts& host) {
  if (o.script.empty()) return {"/bin/sh", "-c", o.resolved.command};
  auto argv = interpreter_of(o.script);
  argv.push_back(attempt_dir(o, host) + "/script");
  return argv;
}

/// Output that nobody asked to keep: enough for bpeek, bounded.
constexpr std::uint64_t kSpoolLimit = 64u << 20;

OutputFile asked_file(const HostOrder& o, const HostFacts& host, bool err) {
  const auto& spec = o.resolved;
  OutputFile file;
  file.path = expand_output(err ? spec.err_file : spec.out_file, o, host.name);
  file.name = exec_id(o.job) + (err ? ".err" : ".out");
  file.overwrite = err ? spec.err_overwrite : spec.out_overwrite;
  return file;
}

void plan_output(const HostOrder& o, const HostFacts& host, TaskSpec& task) {
  const auto& spec = o.resolved;
  bool batch = o.app.type == AppType::Batch;
  bool writes_asked = o.first_host && place_of(o, task.task).rank == 0;
  if (!batch) {
    auto folder = log_dir(o, host, task.task);
    task.out.push_back({.path = folder + "/stdout", .name = {}, .make_folders = true});
    task.err.push_back({.path = folder + "/stderr", .name = {}, .make_folders = true});
  }
  if (writes_asked && !spec.out_file.empty()) {
    task.out.push_back(asked_file(o, host, false));
    if (spec.err_file.empty() && batch) task.merge_err = true;
    else if (spec.err_file.empty()) task.err.push_back(asked_file(o, host, false));
  }
  if (writes_asked && !spec.err_file.empty()) task.err.push_back(asked_file(o, host, true));
  auto spool = attempt_dir(o, host);
  auto suffix = "-" + number(task.task.value);
  if (task.out.empty())
    task.out.push_back(
        {.path = spool + "/stdout" + suffix, .name = {}, .limit_bytes = kSpoolLimit});
  if (task.err.empty() && !task.merge_err)
    task.err.push_back(
        {.path = spool + "/stderr" + suffix, .name = {}, .limit_bytes = kSpoolLimit});
}

ReportHead report_head(const HostOrder& o, const HostFacts& host) {
  const auto& spec = o.resolved;
  ReportHead head;
  if (!o.first_host || spec.out_file.empty()) return head;
  head.file = asked_file(o, host, false);
  head.product = "WM";
  head.cluster = host.cluster;
  head.admin = "wm@" + host.name;
  head.job_name = spec.name;
  head.job_text = o.script.empty() ? spec.command : o.script;
  head.submit_host = spec.submit_host;
  head.user = spec.owner.user;
  head.queue = spec.queue;
  head.home = spec.home;
  head.cwd = spec.cwd;
  if (!spec.err_file.empty()) head.err_path = expand_output(spec.err_file, o, host.name);
  for (const auto& [name, tasks] : by_host(o))
    head.hosts.push_back((tasks.size() > 1 ? number(tasks.size()) + "*" : "") + name);
  head.submitted = o.submitted;
  head.requested_mem_bytes = static_cast<std::uint64_t>(spec.task.mem.value) * o.all.size();
  return head;
}

}  // namespace

Place place_of(const HostOrder& order, TaskNumber task) {
  Place place;
  auto hosts = by_host(order);
  place.world = static_cast<std::uint32_t>(std::max<std::size_t>(order.all.size(), 1));
  place.hosts = static_cast<std::uint32_t>(std::max<std::size_t>(hosts.size(), 1));
  std::uint32_t before = 0;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    const auto& tasks = hosts[h].second;
    auto at = std::find(tasks.begin(), tasks.end(), task);
    if (at != tasks.end()) {
      place.host_rank = static_cast<std::uint32_t>(h);
      place.local_rank = static_cast<std::uint32_t>(at - tasks.begin());
      place.local_world = static_cast<std::uint32_t>(tasks.size());
      place.rank = before + place.local_rank;
      return place;
    }
    before += static_cast<std::uint32_t>(tasks.size());
  }
  return place;
}

std::string master_address(const HostOrder& order) {
  auto first = std::min_element(order.all.begin(), order.all.end(),
                                [](auto& a, auto& b) { return a.task < b.task; });
  return first == order.all.end() ? "127.0.0.1" : first->address;
}

std::uint32_t master_port(const HostOrder& order, const LimitConf& limits) {
  std::uint32_t range = limits.job_port_last - limits.job_port_first + 1;
  // another port at each restart: what is left of the one before must not be met there
  std::uint64_t mix = order.job.job * 7919ull + order.job.index * 31ull + order.attempt.value +
                      order.relaunches * 1013ull;
  return limits.job_port_first + static_cast<std::uint32_t>(mix % range);
}

std::string result_dir(const HostOrder& order, const HostFacts& host) {
  const auto& spec = order.resolved;
  auto root = host.dirs.results.empty() ? spec.home : host.dirs.results;
  return root + "/" + spec.owner.user + "/batchworkdir/" + exec_id(order.job);
}

std::string log_dir(const HostOrder& order, const HostFacts& host, TaskNumber task) {
  return result_dir(order, host) + "/log/" + number(task.value);
}

std::string attempt_dir(const HostOrder& order, const HostFacts& host) {
  return host.run + "/" + to_string(AttemptKey{order.job, order.attempt}) + ".d";
}

std::vector<std::string> task_environment(const HostOrder& order, const HostFacts& host,
                                          const OrderedTask& task) {
  auto vars = submitted(order.env);
  for (const auto& [name, value] : order.app.env) vars[name] = value;
  add_lsf(vars, order, host);
  add_account(vars, order, host);
  add_gpus(vars, order, task);
  bool launcher = order.launch == Launch::PerHost;
  if (order.app.type != AppType::Batch || launcher) add_torchrun(vars, order, host, task);
  if (order.app.type != AppType::Batch) add_training(vars, order, host, task);
  if (launcher) add_launcher(vars, order, host, task);
  add_wm(vars, order, host);
  add_launch(vars, order, host);
  vars[std::string(kTaskVariable)] = number(task.task.value);
  vars["LSF_PM_TASKID"] = number(place_of(order, task.task).rank + 1);
  return entries_of(vars);
}

std::vector<std::string> agent_environment(const HostOrder& order, const HostFacts& host) {
  Variables vars;
  add_account(vars, order, host);
  add_wm(vars, order, host);
  add_agent_part(vars, order, host);
  vars["WM_NODE_SOCKET"] = host.run + "/node.sock";
  vars["WM_AGENT_JOB"] = to_string(order.job);
  vars["WM_AGENT_ATTEMPT"] = number(order.attempt.value);
  vars["WM_AGENT_HOST"] = number(host.id.value);
  vars["WM_AGENT_ADDRESS"] = host.address;
  vars["WM_AGENT_KEY"] = hex(order.key);
  return entries_of(vars);
}

std::string expand_output(const std::string& path, const HostOrder& order,
                          const std::string& host) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    char next = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : 0;
    if (next == 'J') text += number(order.job.job);
    else if (next == 'I') text += number(order.job.index);
    else if (next == 'U') text += order.resolved.owner.user;
    else if (next == 'H') text += host;
    else if (next == '%') text += '%';
    else {
      text += path[i];
      continue;
    }
    ++i;
  }
  return text;
}

namespace {

/// With gpu_check, wm-ncclcheck goes first and becomes the command when all is well. Not for
/// elastic jobs: their newcomers would wait for members that train.
void check_gpus_first(const HostOrder& order, const HostFacts& host, const OrderedTask& task,
                      TaskSpec& spec) {
  bool devices = !task.gpu_uuids.empty() && names_devices(task);
  if (!order.app.gpu_check || order.elastic || !devices) return;
  std::vector<std::string> check{host.bin_dir + "/wm-ncclcheck"};
  if (order.app.type != AppType::Batch) {
    check.push_back("-r");
    check.push_back(result_dir(order, host) + "/gpu_check.json");
  }
  check.push_back("--");
  spec.argv.insert(spec.argv.begin(), check.begin(), check.end());
}

}  // namespace

std::vector<SmallFile> small_files(const HostOrder& o) {
  std::vector<SmallFile> files;
  if (!o.script.empty()) files.push_back({"script", o.script, true});
  if (o.all.size() <= 1 && !o.elastic) return files;
  std::string hosts;
  for (const auto& [name, tasks] : by_host(o))
    for (std::size_t i = 0; i < tasks.size(); ++i) hosts += name + "\n";
  files.push_back({"hosts", hosts, false});
  if (auto mpi = mpi_host_file(o); !mpi.empty()) files.push_back({"mpi-hosts", mpi, false});
  return files;
}

TaskSpec plan_task(const HostOrder& order, const HostFacts& host, const OrderedTask& task) {
  TaskSpec spec;
  spec.task = task.task;
  spec.argv = command_of(order, host);
  spec.env = task_environment(order, host, task);
  if (place_of(order, task.task).rank == 0)
    spec.in = expand_output(order.resolved.in_file, order, host.name);
  if (order.app.type != AppType::Batch) {
    auto results = result_dir(order, host);
    spec.folders = {log_dir(order, host, task.task), results + "/model", results + "/checkpoint"};
  }
  check_gpus_first(order, host, task, spec);
  spec.argv = contained(order, host, task, std::move(spec.argv));
  plan_output(order, host, spec);
  plan_console(order, host, spec);
  return spec;
}

AttemptSpec plan_attempt(const HostOrder& order, const HostFacts& host, const Account& account,
                         const TimeConf& times) {
  AttemptSpec spec;
  spec.cluster = host.cluster;
  spec.key = {order.job, order.attempt};
  spec.account = account;
  spec.umask = order.resolved.umask;
  spec.cwd = order.resolved.cwd;
  spec.run_limit = order.run_left;
  spec.kill_interval = spec.kill_grace = order.app.kill_grace.value_or(times.kill_grace);
  spec.files = small_files(order);
  spec.report = report_head(order, host);
  spec.ends_with_last_task = !order.elastic && !is_bare_part(order);
  plan_around(order, host, spec);
  if (wants_agent(order)) {
    spec.agent_argv = {host.sbin_dir + "/welastic"};
    spec.agent_env = agent_environment(order, host);
  }
  for (const auto& task : order.tasks)
    if (task.has_process && !task.kill) spec.tasks.push_back(plan_task(order, host, task));
  return spec;
}

}  // namespace wm::proc
