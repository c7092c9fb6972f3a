// What the launcher is told of an order: commands, output, files of the attempt.
#include <algorithm>
#include <set>

#include "libwm/launch/container.h"
#include "libwm/launch/job_command.h"
#include "libwm/launch/launch_env.h"
#include "libwm/launch/mpi_env.h"
#include "libwm/launch/part_env.h"
#include "libwm/model/cluster.h"
#include "libwm/model/config/recipients.h"
#include "libwm/model/launcher_size.h"

namespace wm::launch {
namespace {

using Words = std::vector<std::string>;

/// A service runs for months: of what its tasks say the newest is kept, this twice at most.
constexpr std::uint64_t kServiceLimit = 64u << 20;

OutputFile asked_file(const HostOrder& o, const HostFacts& host, bool err) {
  const auto& spec = o.resolved;
  OutputFile file;
  file.path = output_path(err ? spec.files.err : spec.files.out, o, host);
  file.name = id_part(o.job) + (err ? ".err" : ".out");
  // what it wrote before it was started again at another size stays
  file.overwrite =
      (err ? spec.files.err_overwrite : spec.files.out_overwrite) && o.control.relaunches == 0;
  file.at_start = true;
  return file;
}

/// Of a batch job that named no file: nothing is made before its first byte, and nothing is lost.
void plan_default_output(const HostOrder& o, const HostFacts& host, TaskSpec& task) {
  if (host.dirs.default_output != "file") return;
  task.out.push_back({.path = "wm-" + id_part(o.job) + ".out", .name = {}});
  task.merge_err = task.err.empty();
}

/// May another task come to write its output to the files of -o and -e?
bool writer_moves(const HostOrder& o) {
  return o.team.elastic && o.team.writer && o.app.type != AppType::Batch && !o.resolved.files.tag;
}

void plan_asked(const HostOrder& o, const HostFacts& host, TaskSpec& task) {
  const auto& spec = o.resolved;
  bool batch = o.app.type == AppType::Batch;
  bool first = o.first_host && place_of(o, task.task).rank == 0;
  bool moves = writer_moves(o);
  task.writer = moves ? task.task == o.team.writer : first;
  if (!moves && !first) return;
  auto& out = moves ? task.asked_out : task.out;
  auto& err = moves ? task.asked_err : task.err;
  if (!spec.files.out.empty()) {
    out.push_back(asked_file(o, host, false));
    if (spec.files.err.empty() && batch) task.merge_err = true;
    else if (spec.files.err.empty()) err.push_back(asked_file(o, host, false));
  }
  if (!spec.files.err.empty()) err.push_back(asked_file(o, host, true));
}

/// The last words of a training's failed process go where its owner looks. What a batch job says on
/// stderr goes there whole.
void plan_last_words(const HostOrder& o, const HostFacts& host, TaskSpec& task) {
  const auto& spec = o.resolved;
  bool batch = o.app.type == AppType::Batch;
  task.says_why = !batch || o.launch == Launch::PerHost || starts_training(spec);
  bool asked = !spec.files.out.empty() || !spec.files.err.empty();
  if (batch || !asked) return;
  auto file = asked_file(o, host, !spec.files.err.empty());
  file.overwrite = file.at_start = false;  // what is there stays
  task.last_words.push_back(std::move(file));
}

void bound_service(TaskSpec& task) {
  for (auto* files : {&task.out, &task.err})
    for (auto& file : *files) {
      file.newest = file.limit_bytes == 0;
      file.limit_bytes = kServiceLimit;
    }
}

void plan_output(const HostOrder& o, const HostFacts& host, TaskSpec& task) {
  if (o.app.type != AppType::Batch) {
    auto folder = log_dir(o, host, task.task);
    task.out.push_back({.path = folder + "/stdout", .name = {}, .make_folders = true});
    task.err.push_back({.path = folder + "/stderr", .name = {}, .make_folders = true});
  }
  plan_asked(o, host, task);
  plan_last_words(o, host, task);
  bool first = o.first_host && place_of(o, task.task).rank == 0;
  if (first && task.out.empty()) plan_default_output(o, host, task);
  auto spool = attempt_dir(o, host);
  auto suffix = "-" + std::to_string(task.task.value);
  if (task.out.empty())
    task.out.push_back(
        {.path = spool + "/stdout" + suffix, .name = {}, .limit_bytes = host.spool_limit});
  if (task.err.empty() && !task.merge_err)
    task.err.push_back(
        {.path = spool + "/stderr" + suffix, .name = {}, .limit_bytes = host.spool_limit});
  if (!o.resolved.exec.service.empty()) bound_service(task);
}

/// Is the report to be mailed because nobody named a file?
bool is_mailed_instead(const HostOrder& o, const HostFacts& host) {
  return o.app.type == AppType::Batch && o.resolved.files.out.empty() &&
         o.resolved.console.streams == Streams::Files && host.dirs.default_output == "mail";
}

/// What is mailed to whom; nothing where another host writes the report.
void plan_mail(const HostOrder& o, const HostFacts& host, ReportHead& head) {
  const auto& mail = o.resolved.mail;
  head.mail_at_start = mail.at_start && o.first_host;
  head.mail_at_end = mail.at_end || is_mailed_instead(o, host);
  if (!head.mail_at_start && !head.mail_at_end) return;
  head.mail_to = mail_list(mail.to);
  if (head.mail_to.empty()) head.mail_to = o.resolved.owner.user;
  head.sendmail = host.dirs.sendmail;
  bool own_file = o.app.type == AppType::Batch && o.resolved.console.streams == Streams::Files &&
                  host.dirs.default_output == "file";
  if (o.resolved.files.out.empty() && own_file) head.out_path = "wm-" + id_part(o.job) + ".out";
  if (!o.resolved.files.out.empty()) head.out_path = output_path(o.resolved.files.out, o, host);
}

ReportHead report_head(const HostOrder& o, const HostFacts& host) {
  const auto& spec = o.resolved;
  ReportHead head;
  bool writes = o.first_host || writer_moves(o);
  if (writes) plan_mail(o, host, head);
  if (!writes || (spec.files.out.empty() && head.mail_to.empty())) return head;
  if (!head.mail_at_end && !spec.files.out.empty()) head.file = asked_file(o, host, false);
  head.product = host.dirs.report_sender;
  head.cluster = host.cluster;
  head.admin = "wm@" + host.name;
  head.job_name = spec.name;
  head.job_text = o.blobs.script.empty() ? spec.program.command : o.blobs.script;
  head.submit_host = spec.program.submit_host;
  head.user = spec.owner.user;
  head.queue = spec.queue;
  head.home = spec.program.home;
  head.cwd = work_dir(o, host);
  if (!spec.files.err.empty()) head.err_path = output_path(spec.files.err, o, host);
  for (const auto& [name, tasks] : by_host(o))
    head.hosts.push_back((tasks > 1 ? std::to_string(tasks) + "*" : "") + name);
  head.submitted = o.submitted;
  auto holders = spec.task.mem_per_host ? host_count(o.hosts) : task_count(o.hosts);
  head.requested_mem_bytes = static_cast<std::uint64_t>(spec.task.mem.value) * holders;
  return head;
}

}  // namespace

std::string expand_output(const std::string& path, const HostOrder& order,
                          const std::string& host) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    char next = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : 0;
    if (next == 'J') text += std::to_string(order.job.job);
    else if (next == 'I') text += std::to_string(order.job.index);
    else if (next == 'Z') text += std::to_string(order.job.index ? order.job.index - 1 : 0);
    else if (next == 'U') text += order.resolved.owner.user;
    else if (next == 'H') text += host;
    else if (next == 'P') text += order.resolved.project;
    else if (next == '%') text += '%';
    else {
      text += path[i];
      continue;
    }
    ++i;
  }
  return text;
}

std::string out_dir(const HostOrder& order, const HostFacts& host) {
  if (order.resolved.files.outdir.empty()) return "";
  auto dir = expand_output(order.resolved.files.outdir, order, host.name);
  return dir.starts_with('/') ? dir : work_dir(order, host) + "/" + dir;
}

std::string output_path(const std::string& asked, const HostOrder& order, const HostFacts& host) {
  auto path = expand_output(asked, order, host.name), dir = out_dir(order, host);
  return dir.empty() || path.starts_with('/') ? path : dir + "/" + path;
}

namespace {

/// With gpu_check, wm-ncclcheck goes first and becomes the command when all is well. Not for
/// elastic jobs: their newcomers would wait for members that train.
void check_gpus_first(const HostOrder& order, const HostFacts& host, const OrderedTask& task,
                      TaskSpec& spec) {
  bool devices = !task.gpu_uuids.empty() && names_devices(task);
  if (!order.app.gpu_check || order.team.elastic || !devices) return;
  std::vector<std::string> check{host.bin_dir + "/wm-ncclcheck"};
  if (order.app.type != AppType::Batch) {
    check.push_back("-r");
    check.push_back(result_dir(order, host) + "/gpu_check.json");
  }
  check.push_back("--");
  spec.argv.insert(spec.argv.begin(), check.begin(), check.end());
}

/// A launcher with options that contradict the job's size says so before it begins: on stderr,
/// once.
void warn_of_size(const HostOrder& order, TaskSpec& spec) {
  if (order.launch != Launch::PerHost || !order.first_host) return;
  std::size_t gpus = 0;
  for (const auto& slot : order.tasks) gpus += slot.gpus.size();
  LauncherRoom room;
  room.hosts = host_count(order.hosts);
  room.per_host = static_cast<std::uint32_t>(std::max(gpus, order.hosts.here.size()));
  for (const auto& [name, tasks] : by_host(order)) room.in_all += std::max(tasks, room.per_host);
  auto found = training_launcher_of(order.resolved.program.command);
  auto words = size_contradiction(found, room);
  if (words.empty()) return;
  spec.argv.insert(spec.argv.begin(), {"/bin/sh", "-c", R"(printf '%s\n' "$0" >&2; exec "$@")",
                                       "WM: the command says " + words});
}

}  // namespace

std::vector<SmallFile> small_files(const HostOrder& o) {
  std::vector<SmallFile> files;
  if (!o.blobs.script.empty()) files.push_back({"script", o.blobs.script, true});
  if (!o.blobs.data.empty()) files.push_back({"config.json", o.blobs.data, false});
  // The folder is there before the task, which makes its socket in it.
  if (o.app.type == AppType::Notebook)
    files.push_back({"about", "the socket of wm-notebook\n", false});
  std::string hosts;
  for (const auto& [name, tasks] : by_host(o))
    for (std::uint32_t i = 0; i < tasks; ++i) hosts += name + "\n";
  files.push_back({"hosts", hosts, false});
  if (auto mpi = mpi_host_file(o); !mpi.empty()) files.push_back({"mpi-hosts", mpi, false});
  return files;
}

namespace {

void add_devices(const HostFacts& host, const OrderedTask& slot, TaskSpec& spec) {
  for (const auto& uuid : slot.gpu_uuids)
    if (auto device = host.gpu_devices.find(uuid); device != host.gpu_devices.end())
      spec.devices.push_back(device->second);
}

}  // namespace

TaskSpec plan_task(const HostOrder& order, const HostFacts& host, const OrderedTask& task) {
  TaskSpec spec;
  spec.task = task.task;
  spec.argv = command_of(order, host);
  spec.env = task_environment(order, host, task);
  if (place_of(order, task.task).rank == 0)
    spec.in = expand_output(order.resolved.files.in, order, host.name);
  if (order.app.type != AppType::Batch) {
    auto results = result_dir(order, host);
    spec.results = results_root(order, host);
    spec.folders = {log_dir(order, host, task.task), results + "/model", results + "/checkpoint"};
  }
  if (auto dir = out_dir(order, host); !dir.empty()) spec.folders.push_back(dir);
  if (order.resolved.open)
    spec.report_by = {host.sbin_dir + "/wagent", "--report", result_dir(order, host)};
  check_gpus_first(order, host, task, spec);
  spec.argv = contained(order, host, task, std::move(spec.argv));
  warn_of_size(order, spec);
  plan_output(order, host, spec);
  plan_console(order, host, spec);
  plan_rank(order, host, spec);
  plan_shared_output(order, spec);
  for (const auto& slot : order.tasks)
    if (slot.task == task.task || order.resolved.task.gpu_see_all) add_devices(host, slot, spec);
  return spec;
}

namespace {

/// The files that nobody asked for of the rank that would write those which were.
Words spooled_of_rank_0(const HostOrder& order, const std::vector<TaskSpec>& tasks) {
  Words paths;
  for (const auto& task : tasks) {
    if (place_of(order, task.task).rank != 0) continue;
    for (const auto* files : {&task.out, &task.err})
      for (const auto& file : *files)
        if (file.limit_bytes != 0 && !file.newest) paths.push_back(file.path);
  }
  return paths;
}

}  // namespace

AttemptSpec plan_attempt(const HostOrder& order, const HostFacts& host, const Account& account,
                         const TimeConf& times) {
  AttemptSpec spec;
  spec.cluster = host.cluster;
  spec.key = {order.job, order.attempt};
  spec.account = account;
  spec.umask = order.resolved.program.umask;
  spec.cwd = work_dir(order, host);
  spec.run_limit = order.run_left;
  spec.kill_interval = spec.kill_grace = order.app.kill_grace.value_or(times.kill_grace);
  spec.files = small_files(order);
  spec.report = report_head(order, host);
  spec.stray_grace = times.stray_grace;
  spec.usage_interval = times.usage_interval;
  spec.lost_output_fails = host.lost_output_fails;
  spec.folder_limit = host.folder_limit.value > 0
                          ? host.folder_limit
                          : Bytes{static_cast<std::int64_t>(host.folder_share)};
  spec.folder_spool = Bytes{2 * static_cast<std::int64_t>(host.spool_limit)};
  spec.ends_with_last_task = !order.team.elastic && !is_bare_part(order);
  plan_around(order, host, spec);
  std::set<CharDevice> gpus;
  for (const auto& [uuid, device] : host.gpu_devices) gpus.insert(device);
  spec.guarded.assign(gpus.begin(), gpus.end());
  if (wants_agent(order)) {
    spec.agent_argv = {host.sbin_dir + "/wagent"};
    spec.agent_env = agent_environment(order, host);
  }
  for (const auto& task : order.tasks)
    if (task.has_process && !task.kill) spec.tasks.push_back(plan_task(order, host, task));
  if (spec.report.mail_at_end) spec.report.mailed = spooled_of_rank_0(order, spec.tasks);
  for (const auto& task : spec.tasks)
    if (task.tag && task.rank == 0) {  // what all say goes where rank 0's would
      spec.out = task.out;
      spec.err = task.err;
      spec.merge_err = task.merge_err;
    }
  return spec;
}

}  // namespace wm::launch
