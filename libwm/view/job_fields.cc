// One row per field; the functions above the table are the texts that need more than a line.
#include "libwm/view/job_fields.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "libwm/base/joined.h"
#include "libwm/base/units.h"
#include "libwm/view/growth.h"

namespace wm::view {
namespace {

const Job& job_of(const ShownJob& s) { return *s.view->job; }
const JobSpec& spec_of(const ShownJob& s) { return s.view->job->spec(); }

std::string time_text(WallTime time, const char* format) {
  if (time == WallTime{}) return "";
  std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

// Of one that is over those count that were there at its end.
bool counts(const Job& job, const Task& task) {
  if (!is_over(job.state)) return task.holds_slot();
  const auto& members = job.membership.members;
  if (members.empty()) return task.term != Term::Left;
  return std::find(members.begin(), members.end(), task.number) != members.end();
}

std::size_t tasks_counted(const Job& job) {
  return static_cast<std::size_t>(
      std::count_if(job.tasks.begin(), job.tasks.end(), [&](auto& t) { return counts(job, t); }));
}

std::string pids_text(const ShownJob& s) {
  std::string text;
  for (const auto& task : job_of(s).tasks)
    if (counts(job_of(s), task)) text += (text.empty() ? "" : ",") + std::to_string(task.pid);
  return text;
}

Duration run_time(const ShownJob& s) {
  const Job& job = job_of(s);
  if (job.started == WallTime{}) return {};
  return (is_over(job.state) ? job.ended : s.now) - job.started;
}

Duration pend_time(const ShownJob& s) {
  const Job& job = job_of(s);
  if (job.dispatched != WallTime{}) return job.dispatched - job.submitted;
  return (is_over(job.state) ? job.ended : s.now) - job.submitted;
}

std::string seconds_text(Duration d) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(d).count()) + " second(s)";
}

std::string tenths_text(Duration d) {
  auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(d).count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " second(s)";
}

std::string mbytes_text(Bytes bytes) {
  if (bytes.value == 0) return "";
  auto tenths = bytes.value * 10 / (1 << 20);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " Mbytes";
}

Duration time_left(const ShownJob& s) {
  auto limit = s.view->run_limit;
  return limit > run_time(s) ? limit - run_time(s) : Duration{};
}

std::string time_left_text(const ShownJob& s) {
  if (s.view->run_limit.count() == 0 || job_of(s).state != JobState::Running) return "";
  auto minutes = std::chrono::duration_cast<std::chrono::minutes>(time_left(s)).count();
  auto rest = std::to_string(minutes % 60);
  return std::to_string(minutes / 60) + ":" + (rest.size() < 2 ? "0" : "") + rest + " L";
}

std::string complete_text(const ShownJob& s) {
  auto limit = s.view->run_limit;
  if (limit.count() == 0 || job_of(s).started == WallTime{}) return "";
  auto hundredths = run_time(s) * 10000 / limit;
  auto rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (rest.size() < 2 ? "0" : "") + rest + "% L";
}

std::string finish_text(const ShownJob& s) {
  const Job& job = job_of(s);
  if (is_over(job.state)) return short_time(job.ended);
  if (job.state != JobState::Running || s.view->run_limit.count() == 0) return "";
  return short_time(job.started + s.view->run_limit) + " L";
}

std::string gpu_text(std::uint32_t milli) {
  if (milli == 0) return "";
  auto text = std::to_string(milli / 1000);
  return milli % 1000 == 0 ? text : text + "." + std::to_string(milli % 1000 + 1000).substr(1);
}

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string when(std::uint64_t value) { return value == 0 ? "" : std::to_string(value); }

std::string killed_by(const ShownJob& s) {
  const auto& kill = job_of(s).kill;
  return kill ? kill->text : "";
}

std::string decimals(double value) {
  auto text = std::to_string(value);
  return text.substr(0, text.find('.') + 5);
}

// Of a number that is negative while it is not known.
std::string known(const ShownJob& s, double WorkerProgress::*number) {
  const double value = s.view->progress ? s.view->progress->progress.*number : -1;
  return value < 0 ? "" : decimals(value);
}

constexpr Shown<ShownJob> kFields[] = {
    {{"jobid", "id", 7}, [](const ShownJob& s) { return job_id_text(*s.view); }},
    {{"jobindex", "", 8}, [](const ShownJob& s) { return number(s.view->id.index); }},
    {{"stat", "", 5}, [](const ShownJob& s) { return std::string(lsf_state(job_of(s))); }},
    {{"user", "", 7}, [](const ShownJob& s) { return spec_of(s).owner.user; }},
    {{"queue", "", 10}, [](const ShownJob& s) { return spec_of(s).queue; }},
    {{"job_name", "name", 10}, [](const ShownJob& s) { return job_name_text(*s.view); }},
    {{"job_description", "description", 17},
     [](const ShownJob& s) { return spec_of(s).description; }},
    {{"proj_name", "proj project", 11}, [](const ShownJob& s) { return spec_of(s).project; }},
    {{"application", "app", 13}, [](const ShownJob& s) { return s.view->app; }},
    {{"service_class", "sla", 13}, [](const ShownJob&) { return std::string(); }},
    {{"job_group", "group", 10}, [](const ShownJob&) { return std::string(); }},
    {{"job_priority", "priority", 12},
     [](const ShownJob& s) { return when(spec_of(s).user_priority); }},
    {{"user_group", "ugroup", 15}, [](const ShownJob&) { return std::string(); }},
    {{"dependency", "", 15}, [](const ShownJob& s) { return spec_of(s).depend; }},
    {{"command", "cmd", 15}, [](const ShownJob& s) { return spec_of(s).command; }},
    {{"from_host", "", 11}, [](const ShownJob& s) { return spec_of(s).submit_host; }},
    {{"first_host", "", 11},
     [](const ShownJob& s) {
       auto hosts = exec_hosts_text(*s.view);
       return hosts.substr(0, hosts.find(':'));
     }},
    {{"exec_host", "", 11}, [](const ShownJob& s) { return exec_hosts_text(*s.view); }},
    {{"nexec_host", "", 10},
     [](const ShownJob& s) {
       auto hosts = s.view->task_hosts;
       std::sort(hosts.begin(), hosts.end());
       return when(
           static_cast<std::uint64_t>(std::unique(hosts.begin(), hosts.end()) - hosts.begin()));
     }},
    {{"ask_hosts", "", 30}, [](const ShownJob& s) { return joined(spec_of(s).ask_hosts); }},
    {{"excluded_hosts", "", 30}, [](const ShownJob& s) { return joined(s.view->excluded_hosts); }},
    {{"slots", "", 5}, [](const ShownJob& s) { return number(tasks_counted(job_of(s))); }},
    {{"nalloc_slot", "", 10}, [](const ShownJob& s) { return number(tasks_counted(job_of(s))); }},
    {{"nreq_slot", "", 10}, [](const ShownJob& s) { return number(spec_of(s).min_tasks); }},
    {{"min_req_proc", "", 12}, [](const ShownJob& s) { return number(spec_of(s).min_tasks); }},
    {{"max_req_proc", "", 12}, [](const ShownJob& s) { return number(spec_of(s).max_tasks); }},
    {{"pids", "", 20}, pids_text},
    {{"submit_time", "", 15}, [](const ShownJob& s) { return short_time(job_of(s).submitted); }},
    {{"start_time", "", 15}, [](const ShownJob& s) { return short_time(job_of(s).started); }},
    {{"finish_time", "", 16}, finish_text},
    {{"time_left", "", 11}, time_left_text},
    {{"%complete", "", 11}, complete_text},
    {{"pend_time", "", 12}, [](const ShownJob& s) { return seconds_text(pend_time(s)); }},
    {{"run_time", "", 15}, [](const ShownJob& s) { return seconds_text(run_time(s)); }},
    {{"cpu_used", "", 10}, [](const ShownJob& s) { return tenths_text(job_of(s).usage.cpu); }},
    {{"mem", "", 15}, [](const ShownJob& s) { return mbytes_text(job_of(s).usage.max_mem); }},
    {{"max_mem", "", 15}, [](const ShownJob& s) { return mbytes_text(job_of(s).usage.max_mem); }},
    {{"memlimit", "", 10}, [](const ShownJob& s) { return mbytes_text(spec_of(s).limits.mem); }},
    {{"swap", "", 15}, [](const ShownJob&) { return std::string(); }},
    {{"combined_resreq", "cresreq", 20}, [](const ShownJob& s) { return spec_of(s).resreq; }},
    {{"effective_resreq", "eresreq", 17}, [](const ShownJob& s) { return spec_of(s).resreq; }},
    {{"input_file", "", 20}, [](const ShownJob& s) { return spec_of(s).in_file; }},
    {{"output_file", "", 20}, [](const ShownJob& s) { return spec_of(s).out_file; }},
    {{"error_file", "", 20}, [](const ShownJob& s) { return spec_of(s).err_file; }},
    {{"sub_cwd", "", 20}, [](const ShownJob& s) { return spec_of(s).cwd; }},
    {{"exec_home", "", 20}, [](const ShownJob& s) { return spec_of(s).home; }},
    {{"exec_cwd", "", 20}, [](const ShownJob& s) { return spec_of(s).cwd; }},
    {{"exit_code", "", 10}, [](const ShownJob& s) { return exit_code_text(*s.view); }},
    {{"exit_reason", "", 50}, [](const ShownJob& s) { return exit_reason_text(*s.view); }},
    {{"kill_reason", "", 50}, killed_by},
    {{"suspend_reason", "", 50}, [](const ShownJob&) { return std::string(); }},
    {{"resume_reason", "", 50}, [](const ShownJob&) { return std::string(); }},
    {{"estimated_start_time", "estart_time", 20},
     [](const ShownJob& s) {
       bool waits = job_of(s).state == JobState::Pending && job_of(s).promised != WallTime{};
       return waits ? short_time(job_of(s).promised) : std::string();
     }},
    {{"pend_reason", "", 11}, [](const ShownJob& s) { return pend_reason_text(*s.view); }},
    {{"gpu_num", "", 10}, [](const ShownJob& s) { return gpu_text(spec_of(s).task.milli_gpus); }},
    {{"gpu_mode", "", 20}, [](const ShownJob& s) { return spec_of(s).gpu; }},
    {{"exclusive", "", 13},
     [](const ShownJob& s) { return std::string(spec_of(s).exclusive ? "Y" : "N"); }},
    {{"interactive", "", 11},
     [](const ShownJob& s) {
       return std::string(spec_of(s).streams == Streams::Files ? "N" : "Y");
     }},
    {{"app_type", "", 10}, [](const ShownJob& s) { return s.view->app_type; }},
    {{"wm_state", "", 10},
     [](const ShownJob& s) { return std::string(state_name(job_of(s).state)); }},
    {{"wmla_state", "", 22},
     [](const ShownJob& s) { return std::string(wmla_state(job_of(s).state)); }},
    {{"plan", "", 20}, [](const ShownJob& s) { return s.view->plan; }},
    {{"resize", "", 8}, [](const ShownJob& s) { return s.view->resize; }},
    {{"epoch", "", 6}, [](const ShownJob& s) { return number(job_of(s).membership.epoch.value); }},
    {{"nresize", "", 7}, [](const ShownJob& s) { return number(job_of(s).membership.resizes); }},
    {{"attempt", "", 7}, [](const ShownJob& s) { return number(job_of(s).attempt.value); }},
    {{"result_dir", "", 40}, [](const ShownJob& s) { return s.view->result_dir; }},
    {{"step", "", 8},
     [](const ShownJob& s) {
       return s.view->progress ? number(s.view->progress->progress.step) : "";
     }},
    {{"loss", "", 10},
     [](const ShownJob& s) {
       return s.view->progress ? decimals(s.view->progress->progress.loss) : "";
     }},
    {{"accuracy", "", 10}, [](const ShownJob& s) { return known(s, &WorkerProgress::accuracy); }},
    {{"samples_per_s", "", 13},
     [](const ShownJob& s) { return known(s, &WorkerProgress::samples_per_s); }},
};

}  // namespace

std::span<const Shown<ShownJob>> job_fields() { return kFields; }

std::string job_id_text(const JobView& view) { return to_string(view.id); }

std::string job_name_text(const JobView& view) {
  const auto& name = view.job->spec().name;
  return view.id.index == 0 ? name : name + "[" + std::to_string(view.id.index) + "]";
}

std::string exec_hosts_text(const JobView& view) {
  std::string text;
  for (std::size_t i = 0; i < view.job->tasks.size() && i < view.task_hosts.size(); ++i)
    if (counts(*view.job, view.job->tasks[i]))
      text += (text.empty() ? "" : ":") + view.task_hosts[i];
  return text;
}

std::string exit_reason_text(const JobView& view) {
  const Job& job = *view.job;
  if (!is_over(job.state) || job.term == Term::None) return "";
  std::string text = std::string(term_name(job.term)) + ": " + std::string(term_text(job.term));
  if (job.end_text.empty() || job.end_text == term_text(job.term)) return text;
  // A host tells the whole, with what was used of how much.
  bool whole = job.end_text.starts_with(term_name(job.term));
  return whole ? job.end_text : text + " (" + job.end_text + ")";
}

std::string exit_code_text(const JobView& view) {
  const Job& job = *view.job;
  if (!is_over(job.state) || job.exit_status == 0) return "";
  int code =
      WIFSIGNALED(job.exit_status) ? 128 + WTERMSIG(job.exit_status) : WEXITSTATUS(job.exit_status);
  return std::to_string(code);
}

/// Members that are ended because they hang, and why that is known.
std::string hanging_text(const Job& job) {
  std::string text;
  for (const auto& task : job.tasks)
    if (task.kill && task.term == Term::Hung && task.holds_slot())
      text += (text.empty() ? "task " : ", task ") + std::to_string(task.number.value);
  return text.empty() ? text : text + " hangs: " + job.end_text;
}

std::string pend_reason_text(const JobView& view) {
  std::string text;
  for (const auto& reason : view.reasons) text += (text.empty() ? "" : "; ") + reason.text;
  bool alive = !is_over(view.job->state);
  if (text.empty() && alive) text = hanging_text(*view.job);
  if (text.empty() && alive) text = growth_text(view);
  return text;
}

std::string short_time(WallTime time) { return time_text(time, "%b %e %H:%M"); }
std::string long_time(WallTime time) { return time_text(time, "%a %b %e %H:%M:%S"); }
std::string dated_time(WallTime time) { return time_text(time, "%m/%d-%H:%M:%S"); }

}  // namespace wm::view
