#include "libwm/launch/part_env.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "libwm/base/joined.h"
#include "libwm/launch/container.h"
#include "libwm/launch/group_env.h"
#include "libwm/launch/mpi_env.h"

namespace wm::launch {
namespace {

/// Output that is passed on is in the job's files: here is enough for bpeek and the reason of a
/// failure, this twice at most.
constexpr std::uint64_t kPassedOnLimit = 4u << 20;

bool is_interactive(const HostOrder& order) {
  return order.resolved.console.streams != Streams::Files;
}

/// "node1 2 node2 1": hosts and their tasks.
std::string rank_hosts(const HostOrder& order) {
  std::string text;
  for (const auto& [name, tasks] : by_host(order))
    text += (text.empty() ? "" : " ") + name + " " + std::to_string(tasks);
  return text;
}

/// A file of the job's as the agent finds it.
void add_file(VariableMap& vars, const std::string& name, const std::vector<OutputFile>& files,
              const std::string& folder) {
  if (files.empty()) return;
  const auto& file = files.front();
  bool absolute = file.path.starts_with('/');
  vars[name + "_FILE"] = absolute ? file.path : folder + "/" + file.path;
  vars[name + "_NAME"] = file.name;
  vars[name + "_LIMIT"] = std::to_string(file.limit_bytes);
}

/// The files of the job's first task: any host may come to be the first when the job is resized.
void add_shared_output(VariableMap& vars, const HostOrder& order, const HostFacts& host) {
  if (!shares_output(order)) return;
  vars["WM_AGENT_OUTPUT_SOCKET"] = attempt_dir(order, host) + kOutputSocket;
  if (order.first_host)
    vars["WM_AGENT_OUTPUT_OTHERS"] = std::to_string(host_count(order.hosts) - 1);
  auto first = order;
  first.first_host = true;
  first.hosts.tasks_before = 0;
  OrderedTask none;
  auto task = plan_task(first, host, order.tasks.empty() ? none : order.tasks.front());
  add_file(vars, "WM_AGENT_OUTPUT", task.out, work_dir(order, host));
  add_file(vars, "WM_AGENT_ERRORS", task.err, work_dir(order, host));
}

/// What the job may use of this host's GPUs, for commands that belong to no task.
std::string gpus_here(const HostOrder& order) {
  std::set<std::uint16_t> gpus;
  for (const auto& task : order.tasks) gpus.insert(task.gpus.begin(), task.gpus.end());
  std::string text;
  for (auto gpu : gpus) text += (text.empty() ? "" : ",") + std::to_string(gpu);
  return text;
}

}  // namespace

bool wants_agent(const HostOrder& order) {
  return order.team.elastic || order.control.attach || order.resolved.open ||
         is_interactive(order) || starts_ranks(order) || host_count(order.hosts) > 1 ||
         order.team.groups.size() > 1;
}

bool shares_output(const HostOrder& order) {
  bool several = order.team.elastic || host_count(order.hosts) > 1;
  return order.launch == Launch::PerHost && order.app.type == AppType::Batch && several &&
         !is_interactive(order) && !starts_ranks(order);
}

bool is_bare_part(const HostOrder& order) {
  return !order.tasks.empty() && std::none_of(order.tasks.begin(), order.tasks.end(),
                                              [](const auto& t) { return t.has_process; });
}

std::string launch_socket(const HostOrder& order, const HostFacts& host) {
  return attempt_dir(order, host) + "/launch";
}

std::string rank_socket(const HostOrder& order, const HostFacts& host) {
  return attempt_dir(order, host) + "/ranks";
}

std::string console_socket(const HostOrder& order, const HostFacts& host) {
  return attempt_dir(order, host) + "/console";
}

void add_launch(VariableMap& vars, const HostOrder& order, const HostFacts& host) {
  if (wants_agent(order)) vars["WM_LAUNCH_SOCKET"] = launch_socket(order, host);
  else vars.erase("WM_LAUNCH_SOCKET");
  vars["WM_HOST"] = host.name;
  if (is_interactive(order)) vars["LSB_INTERACTIVE"] = "Y";
  add_mpi(vars, order, host);
}

void add_web(VariableMap& vars, const HostOrder& order, const HostFacts& host) {
  if (order.app.type != AppType::Notebook) return;
  const auto& idle = order.app.idle;
  vars["WM_WEB_SOCKET"] = attempt_dir(order, host) + "/web";
  if (auto port = web_port(order)) vars["WM_WEB_PORT"] = std::to_string(port);
  if (host.owns_web_port) vars["WM_WEB_PORT_OWNED"] = "yes";
  vars["WM_IDLE_LIMIT"] = format_duration(idle.limit);
  vars["WM_IDLE_WARNING"] = format_duration(idle.warning);
  vars["WM_IDLE_CPU"] = std::to_string(idle.cpu);
}

void add_agent_part(VariableMap& vars, const HostOrder& order, const HostFacts& host) {
  add_launch(vars, order, host);
  if (task_count(order.hosts) > 1) vars["LSB_DJOB_HOSTFILE"] = attempt_dir(order, host) + "/hosts";
  add_group_places(vars, order);
  vars["CUDA_VISIBLE_DEVICES"] = gpus_here(order);
  vars["WM_AGENT_NAME"] = host.name;
  vars["WM_AGENT_CONSOLE"] = console_socket(order, host);
  vars["WM_AGENT_MUNGE"] = host.munge_socket;
  add_mpi_daemon(vars, order, host);
  if (order.resolved.open && order.first_host) vars["WM_AGENT_RESULTS"] = result_dir(order, host);
  add_shared_output(vars, order, host);
  vars["WM_AGENT_CONTAINER"] = joined(container_of_part(order, host), "\n");
  if (!starts_ranks(order)) return;
  vars["WM_AGENT_RANKS"] = rank_hosts(order);
  vars["WM_AGENT_RANK_SOCKET"] = rank_socket(order, host);
  if (order.resolved.files.tag) vars["WM_AGENT_TAG"] = "1";
}

void plan_rank(const HostOrder& order, const HostFacts& host, TaskSpec& task) {
  if (!starts_ranks(order)) return;
  task.rank_socket = rank_socket(order, host);
  task.rank = place_of(order, task.task).rank;
  task.tag = order.resolved.files.tag;
}

void plan_shared_output(const HostOrder& order, TaskSpec& task) {
  if (!shares_output(order)) return;
  task.tag = true;  // and no rank
  if (task.writer) return;
  for (auto* files : {&task.out, &task.err})
    for (auto& file : *files) file.newest = true, file.limit_bytes = kPassedOnLimit;
}

void plan_console(const HostOrder& order, const HostFacts& host, TaskSpec& task) {
  if (!is_interactive(order) || place_of(order, task.task).rank != 0) return;
  task.console = console_socket(order, host);
  task.terminal = order.resolved.console.streams != Streams::Pipes;
  task.rows = order.resolved.console.rows;
  task.columns = order.resolved.console.columns;
}

}  // namespace wm::launch
