#include "libwm/view/lsf_job_fields.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "libwm/base/joined.h"
#include "libwm/model/job.h"
#include "libwm/view/job_use.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

using J = ShownJob;

std::string decimal(double value, const char* unit = "") {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f%s", value, unit);
  return text;
}

std::string minutes_text(Duration d) {
  return d.count() > 0 ? decimal(std::chrono::duration<double, std::ratio<60>>(d).count()) : "";
}

std::string number_text(std::uint32_t n) { return n > 0 ? std::to_string(n) : ""; }

// "node1:0,1 node2:0": the GPUs of the tasks that hold a slot, host by host.
std::string gpus_held(const J& s) {
  std::map<std::string, std::vector<std::string>> by_host;
  for (std::size_t i = 0; i < job_of(s).tasks.size() && i < s.view->task_hosts.size(); ++i) {
    const Task& task = job_of(s).tasks[i];
    if (!task.holds_slot()) continue;
    for (auto gpu : task.gpus) by_host[s.view->task_hosts[i]].push_back(std::to_string(gpu));
  }
  std::string text;
  for (const auto& [host, gpus] : by_host)
    text += (text.empty() ? "" : " ") + host + ":" + joined(gpus, ",");
  return text;
}

// Nothing but its place in the queue keeps an eligible one. @source LSF: EPEND, IPEND
std::string pend_state(const J& s) {
  const Job& job = job_of(s);
  if (job.state != JobState::Pending && job.state != JobState::Held) return "";
  return is_ineligible(*s.view) ? "IPEND" : "EPEND";
}

// CPU time of the time that its slots were there for.
std::string cpu_efficiency(const J& s) {
  const Job& job = job_of(s);
  auto use = use_of(s);
  if (!use || use->cpu.count() == 0 || job.times.started == WallTime{}) return "";
  auto ran = (is_over(job.state) ? job.times.ended : s.now) - job.times.started;
  double slots = std::max(slots_held(job), spec_of(s).min_tasks);
  if (ran.count() <= 0) return "";
  return decimal(100.0 * seconds(use->cpu) / (seconds(ran) * slots), "%");
}

std::string mem_efficiency(const J& s) {
  auto asked = static_cast<double>(spec_of(s).task.mem.value) * spec_of(s).min_tasks;
  auto use = use_of(s);
  if (!use || asked <= 0 || use->max_mem.value == 0) return "";
  return decimal(100.0 * static_cast<double>(use->max_mem.value) / asked, "%");
}

std::string gpu_energy(const J& s) {
  auto use = use_of(s);
  if (!use || use->gpu_energy_mj <= 0) return "";
  return decimal(static_cast<double>(use->gpu_energy_mj) / 1e3, " J");
}

std::string yes_if(bool is) { return is ? "Y" : "N"; }

std::string nothing(const J&) { return ""; }

constexpr Field<J> kSaidOtherwise[] = {
    {{"alloc_slot", "", 20},
     kText,
     [](const J& s) { return joined(shortened(exec_hosts(*s.view)), ":"); }},
    {{"pendstate", "", 9}, kText, pend_state},
    {{"pre_exec_command", "pre_cmd", 16}, kText, [](const J& s) { return spec_of(s).side.pre; }},
    {{"post_exec_command", "post_cmd", 17}, kText, [](const J& s) { return spec_of(s).side.post; }},
    {{"resize_notification_command", "resize_cmd", 27},
     kText,
     [](const J& s) { return spec_of(s).side.notify; }},
    {{"specified_start_time", "sstart_time", 20},
     kText,
     [](const J& s) { return short_time(spec_of(s).when.begin); }},
    {{"specified_terminate_time", "sterminate_time", 24},
     kText,
     [](const J& s) { return short_time(spec_of(s).when.deadline); }},
    {{"estimated_run_time", "ertime", 18},
     kText,
     [](const J& s) { return minutes_text(spec_of(s).run_estimate); }},
    {{"runtimelimit", "rtlimit", 12},
     kText,
     [](const J& s) { return minutes_text(s.view->run_limit); }},
    {{"warning_action", "warn_act", 15},
     kText,
     [](const J& s) { return spec_of(s).side.warn_action; }},
    {{"action_warning_time", "warn_time", 19},
     kText,
     [](const J& s) { return minutes_text(spec_of(s).side.warn_time); }},
    {{"cpulimit", "", 10}, kText, [](const J& s) { return minutes_text(spec_of(s).limits.cpu); }},
    {{"swaplimit", "", 10}, kText, [](const J& s) { return mbytes_text(spec_of(s).limits.swap); }},
    {{"corelimit", "", 10},
     kText,
     [](const J& s) { return mbytes_text(spec_of(s).limits.core.value_or(Bytes{})); }},
    {{"datalimit", "", 10}, kText, [](const J& s) { return mbytes_text(spec_of(s).limits.data); }},
    {{"filelimit", "", 10}, kText, [](const J& s) { return mbytes_text(spec_of(s).limits.file); }},
    {{"stacklimit", "", 10},
     kText,
     [](const J& s) { return mbytes_text(spec_of(s).limits.stack); }},
    {{"processlimit", "", 12},
     kText,
     [](const J& s) { return number_text(spec_of(s).limits.processes); }},
    {{"threadlimit", "", 11},
     kText,
     [](const J& s) { return number_text(spec_of(s).limits.threads); }},
    {{"gpu_alloc", "galloc", 30}, kText, gpus_held},
    {{"j_exclusive", "j_excl", 15},
     kText,
     [](const J& s) {
       return yes_if(spec_of(s).asked.gpu.find("j_exclusive=yes") != std::string::npos);
     }},
    {{"cpu_efficiency", "", 14}, kText, cpu_efficiency},
    {{"mem_efficiency", "", 14}, kText, mem_efficiency},
    {{"energy", "", 15}, kText, gpu_energy},
};

// What WM has no value for.
constexpr FieldName kNothingHere[] = {
    {"user_group", "ugroup", 15},
    {"esub", "", 20},
    {"suspend_reason", "", 50},
    {"resume_reason", "", 50},
    {"kill_issue_host", "", 50},
    {"suspend_issue_host", "", 50},
    {"resume_issue_host", "", 50},
    {"exception_status", "except_stat", 16},
    {"host_file", "", 10},
    {"ru_utime", "", 12},
    {"ru_stime", "", 12},
    {"ependtime", "", 12},
    {"ipendtime", "", 12},
    {"estimated_sim_start_time", "esstart_time", 24},
    {"effective_plimit", "plimit", 16},
    {"plimit_remain", "premain", 13},
    {"effective_eplimit", "eplimit", 17},
    {"eplimit_remain", "epremain", 14},
    {"hrusage", "", 50},
    {"cpu_peak", "", 10},
    {"cpu_peak_efficiency", "", 20},
    {"cpu_peak_reached_duration", "", 26},
    {"average_cpu_efficiency", "avg_cpu_efficiency", 22},
    {"network_req", "", 15},
    {"container_name", "", 20},
    {"image_name", "", 20},
    {"ctxuser", "", 10},
    {"data_req", "", 15},
    {"licproject", "lic_proj", 15},
    {"gpfsio", "", 15},
    {"forward_cluster", "fwd_cluster", 15},
    {"forward_time", "fwd_time", 15},
    {"srcjobid", "", 8},
    {"dstjobid", "", 8},
    {"source_cluster", "srcluster", 15},
    {"submit_clustername", "", 18},
    {"plan_start_time", "pstart_time", 15},
    {"plan_finish_time", "pfinish_time", 16},
};

}  // namespace

std::string mbytes_text(Bytes bytes) {
  constexpr double kKilo = 1024, kMega = 1024 * 1024;
  auto value = static_cast<double>(bytes.value);
  if (bytes.value == 0) return "";
  return value < kMega ? decimal(value / kKilo, " Kbytes") : decimal(value / kMega, " Mbytes");
}

std::span<const Field<ShownJob>> lsf_job_fields() {
  static const auto kAll = [] {
    std::vector<Field<J>> all(std::begin(kSaidOtherwise), std::end(kSaidOtherwise));
    for (const auto& name : kNothingHere) all.emplace_back(name, kText, nothing);
    return all;
  }();
  return kAll;
}

}  // namespace wm::view
