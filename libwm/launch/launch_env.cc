#include "libwm/launch/launch_env.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "libwm/base/hash.h"
#include "libwm/launch/framework_env.h"
#include "libwm/launch/group_env.h"
#include "libwm/launch/group_team.h"
#include "libwm/launch/mpi_env.h"
#include "libwm/launch/own_variables.h"
#include "libwm/launch/part_env.h"
#include "libwm/launch/slurm_env.h"
#include "libwm/model/cluster.h"
#include "libwm/model/exec_id.h"
#include "libwm/model/inheritance.h"

namespace wm::launch {
namespace {

using Variables = VariableMap;

bool is_private(const std::string& name) {
  static const std::set<std::string> kPrivate = {
      "HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "LS_JOBPID", "LS_EXEC_T", "HOSTNAME"};
  if (kPrivate.contains(name)) return true;
  if (name == "DLI_DATA_FS") return false;  // an execution with a volume as its data says it
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
  drop_other_jobs_words(vars);
  return vars;
}

/// Scripts divide their work by them.
void add_array(Variables& v, const std::vector<IndexRange>& array) {
  auto last = std::ranges::max(array, {}, &IndexRange::to);
  v["LSB_JOBINDEX_END"] = std::to_string(last.to);
  v["LSB_JOBINDEX_STEP"] = std::to_string(array.front().step);
}

void add_lsf(Variables& v, const HostOrder& o, const HostFacts& host) {
  const auto& spec = o.resolved;
  std::string hosts, pairs;
  for (const auto& [name, tasks] : by_host(o)) {
    pairs += (pairs.empty() ? "" : " ") + name + " " + std::to_string(tasks);
    for (std::uint32_t i = 0; i < tasks; ++i) hosts += (hosts.empty() ? "" : " ") + name;
  }
  v["LSB_JOBID"] = std::to_string(o.job.job);
  v["LSB_JOBINDEX"] = std::to_string(o.job.index);
  if (!spec.array.empty()) add_array(v, spec.array);
  v["LSB_BATCH_JID"] = to_string(o.job);
  v["LSB_JOBNAME"] = spec.name;
  v["LSB_QUEUE"] = spec.queue;
  v["LSB_MCPU_HOSTS"] = pairs;
  if (hosts.size() <= 4096) v["LSB_HOSTS"] = hosts;
  v["LSB_DJOB_NUMPROC"] = std::to_string(task_count(o.hosts));
  v["LSB_MAX_NUM_PROCESSORS"] = std::to_string(o.team.max_tasks);
  for (const char* name : {"LSB_DJOB_HOSTFILE", "LSB_DJOB_RANKFILE"})
    v[name] = attempt_dir(o, host) + "/hosts";
  v["LSB_SUB_HOST"] = spec.program.submit_host;
  v["LSB_SUB_USER"] = v["LSB_JOB_EXECUSER"] = v["LSFUSER"] = spec.owner.user;
  v["LS_SUBCWD"] = spec.program.cwd;
  v["LSB_PROJECT_NAME"] = spec.project;
  v["LSB_EFFECTIVE_RSRCREQ"] = spec.asked.resreq;
  v["LSB_EXIT_PRE_ABORT"] = "99";
  if (!spec.files.outdir.empty()) v["LSB_OUTDIR"] = out_dir(o, host);
  if (!spec.files.out.empty()) v["LSB_OUTPUTFILE"] = output_path(spec.files.out, o, host);
  if (!spec.files.err.empty()) v["LSB_ERRORFILE"] = output_path(spec.files.err, o, host);
  if (!spec.program.script_hash.empty()) v["LSB_JOBFILENAME"] = attempt_dir(o, host) + "/script";
  if (o.team.elastic) v["LSB_RESIZABLE"] = "Y";
  if (o.team.restarts > 0) v["LSB_RESTART"] = "Y";
  if (!spec.checkpoint.dir.empty()) {
    v["LSB_CHKPNT_DIR"] = spec.checkpoint.dir + "/" + id_part(o.job);
    v["LSB_ECHKPNT_METHOD"] = spec.checkpoint.method;
  }
}

/// The trial that one of a search goes on from, by what it was given; 0: none.
std::uint32_t resumed_from(std::string_view data) {
  constexpr std::string_view kKey = "\"wm_resume\":";
  auto at = data.find(kKey);
  if (at == data.npos) return 0;
  auto text = data.substr(at + kKey.size(), 10);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint32_t index = 0;
  std::from_chars(text.data(), text.data() + text.size(), index);
  return index;
}

/// Where an element of an open array finds what it was given, and a trial that goes on from an
/// earlier one what that left.
void add_data(Variables& v, const HostOrder& o, const HostFacts& host) {
  if (o.blobs.data.empty()) return;
  v["WM_ELEMENT_DATA"] = attempt_dir(o, host) + "/config.json";
  if (auto from = resumed_from(o.blobs.data))
    v["WM_RESUME_DIR"] = result_dir(o, host, {o.job.job, from});
}

/// WM's commands go before what the submitter had, unless they lie among the system's own programs:
/// its python3 must not come before that of the submitter's environment.
std::string with_commands(const std::string& path, const std::string& bin_dir) {
  static const std::set<std::string> kSystem = {"/bin", "/usr/bin", "/usr/local/bin"};
  if ((":" + path + ":").find(":" + bin_dir + ":") != path.npos) return path;
  return kSystem.contains(bin_dir) ? path + ":" + bin_dir : bin_dir + ":" + path;
}

void add_account(Variables& v, const HostOrder& o, const HostFacts& host) {
  const auto& spec = o.resolved;
  v["USER"] = v["LOGNAME"] = spec.owner.user;
  v["HOME"] = spec.program.home;
  v["SHELL"] = spec.program.shell.empty() ? "/bin/sh" : spec.program.shell;
  v["PWD"] = work_dir(o, host);
  v["HOSTNAME"] = host.name;
  v["LSF_BINDIR"] = host.bin_dir;
  v["LSF_SERVERDIR"] = host.sbin_dir;
  v["LSF_LIBDIR"] = host.lib_dir;
  v["LSF_ENVDIR"] = v["WM_CONF_DIR"] = host.conf_dir;
  auto& path = v["PATH"];
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  path = with_commands(path, host.bin_dir);
  for (const auto& entry : host.passed_on)
    if (auto equals = entry.find('='); equals != entry.npos)
      v[entry.substr(0, equals)] = entry.substr(equals + 1);
}

/// A process that stands for several slots has the GPUs of all of them. By uuid, which means the
/// same device to everybody; a declared counter has none that CUDA knows. Empty: it sees none.
void add_gpus(Variables& v, const HostOrder& o, const OrderedTask& task) {
  std::string indexes, uuids;
  bool devices = true;
  auto add = [&](const OrderedTask& slot) {
    for (auto gpu : slot.gpus) indexes += (indexes.empty() ? "" : ",") + std::to_string(gpu);
    for (const auto& uuid : slot.gpu_uuids) uuids += (uuids.empty() ? "" : ",") + uuid;
    devices = devices && names_devices(slot);
  };
  bool in_order = o.resolved.task.gpu_see_all;  // its own stands at LOCAL_RANK
  if (!in_order) add(task);
  for (const auto& slot : o.tasks)
    if (sees_gpus(o, task, slot) && (in_order || slot.task != task.task)) add(slot);
  v["CUDA_VISIBLE_DEVICES"] = devices && !uuids.empty() ? uuids : indexes;
  v["NVIDIA_VISIBLE_DEVICES"] = uuids.empty() ? "none" : uuids;
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
  if (o.team.elastic) v["WM_ELASTIC_SOCKET"] = elastic_socket(o, host);
  v["WM_GENERATION"] = std::to_string(o.generation);
  v["WM_START"] = std::to_string(o.control.relaunches + 1);
}

}  // namespace

bool sees_gpus(const HostOrder& order, const OrderedTask& task, const OrderedTask& slot) {
  if (slot.task == task.task || order.resolved.task.gpu_see_all) return true;
  return order.launch != Launch::PerSlot && !slot.leave && !slot.kill;
}

bool names_devices(const OrderedTask& task) {
  return std::all_of(task.gpu_uuids.begin(), task.gpu_uuids.end(), [](const auto& uuid) {
    return uuid.starts_with("GPU-") || uuid.starts_with("MIG-");
  });
}

const std::string& results_root(const HostOrder& order, const HostFacts& host) {
  return host.dirs.results.empty() ? order.resolved.program.home : host.dirs.results;
}

std::string result_dir(const HostOrder& order, const HostFacts& host) {
  return result_dir(order, host, results_id(order));
}

std::string result_dir(const HostOrder& order, const HostFacts& host, JobId job) {
  return results_root(order, host) + "/" + order.resolved.owner.user + "/batchworkdir/" +
         id_part(job);
}

std::string incoming_dir(const HostOrder& order, const HostFacts& host) {
  return results_root(order, host) + "/" + order.resolved.owner.user + "/incoming/" +
         order.resolved.exec.bundle;
}

std::string bundle_dir(const HostOrder& order, const HostFacts& host) {
  JobId job = order.resolved.open ? order.job : JobId{order.job.job, 0};
  return result_dir(order, host, job) + "/_submitted_code";
}

std::string work_dir(const HostOrder& order, const HostFacts& host) {
  const auto& exec = order.resolved.exec;
  if (exec.bundle.empty()) return order.resolved.program.cwd;
  auto top = bundle_dir(order, host);
  return exec.bundle_dir.empty() ? top : top + "/" + exec.bundle_dir;
}

std::string own_name(const HostOrder& order, const HostFacts& host) {
  auto id = results_id(order);
  return order.resolved.exec.bundle.empty() ? id_part(id) : exec_id(host.cluster, id);
}

std::string named_result_dir(const HostOrder& order, const HostFacts& host) {
  return results_root(order, host) + "/" + order.resolved.owner.user + "/batchworkdir/" +
         own_name(order, host);
}

std::string log_dir(const HostOrder& order, const HostFacts& host, TaskNumber task) {
  return result_dir(order, host) + "/log/" + std::to_string(log_number(order, task));
}

std::string attempt_dir(const HostOrder& order, const HostFacts& host) {
  return host.run + "/" + to_string(AttemptKey{order.job, order.attempt}) + ".d";
}

std::vector<std::string> task_environment(const HostOrder& order, const HostFacts& host,
                                          const OrderedTask& task) {
  const auto before = submitted(order.blobs.env);
  auto vars = before;
  for (const auto& [name, value] : order.app.env) vars[name] = value;
  add_lsf(vars, order, host);
  add_account(vars, order, host);
  add_gpus(vars, order, task);
  if (meets_at_port(order)) add_torchrun(vars, order, host, task);
  bool batch = order.app.type == AppType::Batch, launches = starts_training(order.resolved);
  if (!batch) add_training(vars, order, host, task);
  if (!batch || launches) add_python(vars, host);
  bool per_host = order.launch == Launch::PerHost;
  if (per_host || (launches && order.launch == Launch::PerSlot)) add_launcher(vars, order, task);
  add_wm(vars, order, host);
  add_data(vars, order, host);
  add_groups(vars, order, task);
  add_launch(vars, order, host);
  add_web(vars, order, host);
  vars[std::string(kTaskVariable)] = std::to_string(task.task.value);
  vars["LSF_PM_TASKID"] = std::to_string(place_of(order, task.task).rank + 1);
  add_slurm(vars, order, host, task);
  vars.erase("WM_TORCH");  // for add_torchrun: a job inside this one has a torch of its own
  vars[kOwnList] = own_list(before, vars);
  return entries_of(vars);
}

std::vector<std::string> agent_environment(const HostOrder& order, const HostFacts& host) {
  Variables vars;
  add_account(vars, order, host);
  add_wm(vars, order, host);
  add_agent_part(vars, order, host);
  vars["WM_NODE_SOCKET"] = host.run + "/node.sock";
  vars["WM_AGENT_JOB"] = to_string(order.job);
  vars["WM_AGENT_ATTEMPT"] = std::to_string(order.attempt.value);
  vars["WM_AGENT_HOST"] = std::to_string(host.id.value);
  vars["WM_AGENT_ADDRESS"] = host.address;
  vars["WM_AGENT_KEY"] = hex(order.key);
  return entries_of(vars);
}

}  // namespace wm::launch
