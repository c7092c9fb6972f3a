// One row per field; the functions above the table are the texts that need more than a line.
#include "libwm/view/job_fields.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "libwm/base/joined.h"
#include "libwm/base/units.h"
#include "libwm/model/elements.h"
#include "libwm/view/growth.h"
#include "libwm/view/job_use.h"
#include "libwm/view/lsf_job_fields.h"
#include "libwm/view/sent.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

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
  if (job.times.started == WallTime{}) return {};
  return (is_over(job.state) ? job.times.ended : s.now) - job.times.started;
}

Duration pend_time(const ShownJob& s) {
  const Job& job = job_of(s);
  if (job.times.dispatched != WallTime{}) return job.times.dispatched - job.times.submitted;
  return (is_over(job.state) ? job.times.ended : s.now) - job.times.submitted;
}

// Of a job that runs nothing, until its hosts have told.
std::optional<Duration> cpu_used(const ShownJob& s) {
  auto use = use_of(s);
  if (use) return use->cpu;
  return is_over(job_of(s).state) ? std::optional(Duration{}) : std::nullopt;
}

std::string cpu_text(const ShownJob& s) {
  auto cpu = cpu_used(s);
  return cpu ? tenths_of_seconds(*cpu) + " second(s)" : "";
}

template <Bytes JobUse::*Member>
std::optional<Bytes> used(const ShownJob& s) {
  auto use = use_of(s);
  return use ? if_set((*use).*Member) : std::nullopt;
}

std::optional<Bytes> average_mem(const ShownJob& s) {
  auto use = use_of(s);
  return use ? use->mean_mem : std::nullopt;
}

std::string idle_text(const ShownJob& s) {
  auto factor = idle_factor(s);
  if (!factor) return "";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", *factor);
  return text.data();
}

std::optional<Duration> time_left(const ShownJob& s) {
  auto limit = s.view->run_limit;
  if (limit.count() == 0 || job_of(s).state != JobState::Running) return std::nullopt;
  return std::max(Duration{}, limit - run_time(s));
}

std::string time_left_text(const ShownJob& s) {
  auto left = time_left(s);
  if (!left) return "";
  auto minutes = std::chrono::duration_cast<std::chrono::minutes>(*left).count();
  auto rest = std::to_string(minutes % 60);
  return std::to_string(minutes / 60) + ":" + (rest.size() < 2 ? "0" : "") + rest + " L";
}

std::optional<std::int64_t> complete_hundredths(const ShownJob& s) {
  auto limit = s.view->run_limit;
  if (limit.count() == 0 || job_of(s).times.started == WallTime{}) return std::nullopt;
  return run_time(s) * 10000 / limit;
}

std::string complete_text(const ShownJob& s) {
  auto hundredths = complete_hundredths(s);
  if (!hundredths) return "";
  auto rest = std::to_string(*hundredths % 100);
  return std::to_string(*hundredths / 100) + "." + (rest.size() < 2 ? "0" : "") + rest + "% L";
}

std::string finish_text(const ShownJob& s) {
  const Job& job = job_of(s);
  if (is_over(job.state)) return short_time(job.times.ended);
  if (job.state != JobState::Running || s.view->run_limit.count() == 0) return "";
  return short_time(job.times.started + s.view->run_limit) + " L";
}

std::string gpu_text(const ShownJob& s) {
  auto milli = spec_of(s).task.milli_gpus;
  if (milli == 0) return "";
  auto text = std::to_string(milli / 1000);
  return milli % 1000 == 0 ? text : text + "." + std::to_string(milli % 1000 + 1000).substr(1);
}

std::optional<int> exit_code(const Job& job) {
  int status = job.outcome.status;
  bool ran = status != 0 || job.state == JobState::Finished;
  if (!is_over(job.state) || !ran) return std::nullopt;
  return shell_status(status);
}

std::optional<std::int64_t> hosts_used(const ShownJob& s) {
  auto hosts = s.view->task_hosts;
  std::sort(hosts.begin(), hosts.end());
  return if_set<std::int64_t>(std::unique(hosts.begin(), hosts.end()) - hosts.begin());
}

// Of a number that is negative while it is not known.
std::optional<double> known(const ShownJob& s, double WorkerProgress::*number) {
  const double value = s.view->progress ? s.view->progress->progress.*number : -1;
  return value < 0 ? std::nullopt : std::optional(value);
}

// Slot or GPU time of all its attempts up to now.
Duration held_time(const ShownJob& s, Duration Holding::*until, std::uint32_t Holding::*now) {
  const Holding& held = job_of(s).holding;
  if (held.*now == 0 || s.now < held.as_of) return held.*until;
  return held.*until + (s.now - held.as_of) * (held.*now);
}

// The newest message of each index.
std::string notes_text(const Job& job) {
  std::string text;
  for (const JobNote& note : job.notes)
    text += (text.empty() ? "" : "; ") + std::to_string(note.index) + ": " + note.text;
  return text;
}

using J = ShownJob;

constexpr Field<J> kJobFields[] = {
    {{"jobid", "id", 7}, kBrief, [](const J& s) { return job_id_text(*s.view); }},
    {{"jobindex", "", 8}, kFull, [](const J& s) { return s.view->id.index; }},
    {{"stat", "", 5}, kBrief, [](const J& s) { return lsf_state(job_of(s)); }},
    {{"user", "", 7}, kBrief, [](const J& s) { return spec_of(s).owner.user; }},
    {{"queue", "", 10}, kBrief, [](const J& s) { return spec_of(s).queue; }},
    {{"job_name", "name", 10},
     kBrief | kPrivate,
     [](const J& s) { return job_name_text(*s.view); }},
    {{"job_description", "description", 17},
     kFull | kPrivate,
     [](const J& s) { return spec_of(s).description; }},
    {{"proj_name", "proj project", 11}, kBrief, [](const J& s) { return spec_of(s).project; }},
    {{"application", "app", 13}, kBrief, [](const J& s) { return s.view->app; }},
    {{"service_class", "sla", 13}, kText, [](const J& s) { return spec_of(s).service_class; }},
    {{"reservation", "rsvid", 12}, kFull, [](const J& s) { return spec_of(s).reservation; }},
    {{"ext_msg", "external_msg", 20},
     kFull | kPrivate,
     [](const J& s) { return notes_text(job_of(s)); }},
    {{"chkpnt_dir", "", 20},
     kFull | kPrivate,
     [](const J& s) { return spec_of(s).checkpoint.dir; }},
    {{"job_group", "group", 10}, kFull | kPrivate, [](const J& s) { return spec_of(s).job_group; }},
    {{"job_priority", "priority", 12},
     kFull,
     [](const J& s) { return if_set(spec_of(s).user_priority); }},
    {{"dependency", "", 15}, kFull | kPrivate, [](const J& s) { return spec_of(s).when.depend; }},
    {{"command", "cmd", 15},
     kFull | kPrivate,
     [](const J& s) { return spec_of(s).program.command; }},
    {{"from_host", "", 11}, kBrief, [](const J& s) { return spec_of(s).program.submit_host; }},
    {{"first_host", "", 11},
     kFull,
     [](const J& s) {
       auto hosts = exec_hosts(*s.view);
       return hosts.empty() ? std::string() : hosts.front();
     }},
    {{"exec_host", "", 11},
     kBrief,
     [](const J& s) { return exec_hosts(*s.view); },
     [](const J& s) {
       auto hosts = exec_hosts(*s.view);
       return joined(s.short_hosts ? shortened(hosts) : hosts, ":");
     }},
    {{"nexec_host", "", 10}, kFull, [](const J& s) { return hosts_used(s); }},
    {{"ask_hosts", "", 30}, kFull | kPrivate, [](const J& s) { return spec_of(s).asked.hosts; }},
    {{"excluded_hosts", "", 30}, kFull, [](const J& s) { return s.view->excluded_hosts; }},
    {{"slots", "", 5}, kText, [](const J& s) { return tasks_counted(job_of(s)); }},
    {{"nalloc_slot", "", 10}, kBrief, [](const J& s) { return tasks_counted(job_of(s)); }},
    {{"nreq_slot", "", 10}, kText, [](const J& s) { return spec_of(s).min_tasks; }},
    {{"min_req_proc", "", 12}, kBrief, [](const J& s) { return spec_of(s).min_tasks; }},
    {{"max_req_proc", "", 12}, kBrief, [](const J& s) { return spec_of(s).max_tasks; }},
    {{"pids", "", 20}, kText, pids_text},
    {{"submit_time", "", 15}, kBrief, [](const J& s) { return job_of(s).times.submitted; }},
    {{"start_time", "", 15}, kBrief, [](const J& s) { return job_of(s).times.started; }},
    {{"finish_time", "", 16},
     kBrief,
     [](const J& s) { return job_of(s).times.ended; },
     finish_text},
    {{"time_left", "", 11}, kFull, [](const J& s) { return time_left(s); }, time_left_text},
    {{"%complete", "", 11},
     kFull,
     [](const J& s) {
       auto hundredths = complete_hundredths(s);
       return hundredths ? std::optional(static_cast<double>(*hundredths) / 100) : std::nullopt;
     },
     complete_text},
    {{"pend_time", "", 12}, kBrief, [](const J& s) { return pend_time(s); }},
    {{"run_time", "", 15}, kBrief, [](const J& s) { return run_time(s); }},
    {{"cpu_used", "", 10}, kFull, [](const J& s) { return cpu_used(s); }, cpu_text},
    {{"mem", "", 15},
     kFull,
     [](const J& s) { return used<&JobUse::mem>(s); },
     [](const J& s) { return mbytes_text(used<&JobUse::mem>(s).value_or(Bytes{})); }},
    {{"max_mem", "", 15},
     kFull,
     [](const J& s) { return used<&JobUse::max_mem>(s); },
     [](const J& s) { return mbytes_text(used<&JobUse::max_mem>(s).value_or(Bytes{})); }},
    {{"avg_mem", "", 15},
     kFull,
     [](const J& s) { return average_mem(s); },
     [](const J& s) { return mbytes_text(average_mem(s).value_or(Bytes{})); }},
    {{"memlimit", "", 10},
     kFull | kPrivate,
     [](const J& s) { return if_set(spec_of(s).limits.mem); },
     [](const J& s) { return mbytes_text(spec_of(s).limits.mem); }},
    {{"swap", "", 15},
     kFull,
     [](const J& s) { return used<&JobUse::swap>(s); },
     [](const J& s) {
       auto use = use_of(s);
       return !use ? "" : use->swap.value == 0 ? "0 Mbytes" : mbytes_text(use->swap);
     }},
    {{"idle_factor", "", 11}, kFull, [](const J& s) { return idle_factor(s); }, idle_text},
    {{"nthreads", "", 10},
     kFull,
     [](const J& s) {
       auto use = use_of(s);
       return use ? if_set(use->threads) : std::nullopt;
     }},
    {{"combined_resreq", "cresreq", 20},
     kFull | kPrivate,
     [](const J& s) { return spec_of(s).asked.resreq; }},
    {{"effective_resreq", "eresreq", 17},
     kText,
     [](const J& s) { return spec_of(s).asked.resreq; }},
    {{"input_file", "", 20}, kFull | kPrivate, [](const J& s) { return spec_of(s).files.in; }},
    {{"output_file", "", 20}, kFull | kPrivate, [](const J& s) { return spec_of(s).files.out; }},
    {{"error_file", "", 20}, kFull | kPrivate, [](const J& s) { return spec_of(s).files.err; }},
    {{"output_dir", "", 20}, kFull | kPrivate, [](const J& s) { return spec_of(s).files.outdir; }},
    {{"sub_cwd", "", 20}, kFull | kPrivate, [](const J& s) { return spec_of(s).program.cwd; }},
    {{"exec_home", "", 20}, kText, [](const J& s) { return spec_of(s).program.home; }},
    {{"exec_cwd", "", 20}, kText, [](const J& s) { return spec_of(s).program.cwd; }},
    {{"exit_code", "", 10},
     kBrief,
     [](const J& s) { return exit_code(job_of(s)); },
     [](const J& s) { return exit_code_text(*s.view); }},
    {{"exit_reason", "", 50},
     kBrief | kPrivate,
     [](const J& s) { return exit_reason_text(*s.view); }},
    {{"kill_reason", "", 50},
     kFull | kPrivate,
     [](const J& s) { return job_of(s).kill ? job_of(s).kill->text : ""; }},
    {{"estimated_start_time", "estart_time", 20},
     kBrief,
     [](const J& s) {
       return job_of(s).state == JobState::Pending ? job_of(s).waits.promised : WallTime{};
     }},
    {{"pend_reason", "", 11},
     kBrief | kPrivate,
     [](const J& s) { return pend_reason_text(*s.view); }},
    {{"gpu_num", "gnum", 10},
     kBrief,
     [](const J& s) { return if_set(spec_of(s).task.milli_gpus / 1000.0); },
     gpu_text},
    {{"gpu_mode", "gmode", 20}, kFull | kPrivate, [](const J& s) { return spec_of(s).asked.gpu; }},
    {{"exclusive", "", 13}, kFull, [](const J& s) { return spec_of(s).exclusive; }},
    {{"interactive", "", 11},
     kFull,
     [](const J& s) { return spec_of(s).console.streams != Streams::Files; }},
    {{"app_type", "", 10}, kBrief, [](const J& s) { return s.view->app_type; }},
    {{"wm_state", "", 10}, kBrief, [](const J& s) { return state_name(job_of(s).state); }},
    {{"wmla_state", "", 22}, kFull, [](const J& s) { return wmla_state(job_of(s).state); }},
    {{"plan", "", 20}, kBrief, [](const J& s) { return s.view->plan; }},
    {{"resize", "", 8}, kFull, [](const J& s) { return s.view->resize; }},
    {{"epoch", "", 6}, kFull, [](const J& s) { return job_of(s).membership.epoch.value; }},
    {{"nresize", "", 7}, kBrief, [](const J& s) { return job_of(s).membership.resizes; }},
    {{"exec_id", "", 20}, kBrief, [](const J& s) { return s.view->exec_id; }},
    {{"group", "", 12},
     kBrief,
     [](const J& s) {
       const TaskGroup* group = group_of(job_of(s));
       return group ? group->name : std::string();
     }},
    {{"report", "", 30}, kFull | kPrivate, [](const J& s) { return job_of(s).trial.report; }},
    {{"attempt", "", 7}, kBrief, [](const J& s) { return job_of(s).attempt.value; }},
    {{"result_dir", "", 40}, kFull | kPrivate, [](const J& s) { return s.view->result_dir; }},
    {{"step", "", 8},
     kBrief | kPrivate,
     [](const J& s) {
       const auto& p = s.view->progress;
       return p ? std::optional(p->progress.step) : std::nullopt;
     }},
    {{"loss", "", 10},
     kBrief | kPrivate,
     [](const J& s) {
       const auto& p = s.view->progress;
       return p ? std::optional(p->progress.loss) : std::nullopt;
     }},
    {{"accuracy", "", 10},
     kBrief | kPrivate,
     [](const J& s) { return known(s, &WorkerProgress::accuracy); }},
    {{"samples_per_s", "", 13},
     kBrief | kPrivate,
     [](const J& s) { return known(s, &WorkerProgress::samples_per_s); }},
};

constexpr Field<J> kMoreJobFields[] = {
    {{"elastic", ""}, kBrief, [](const J& s) { return spec_of(s).elastic; }},
    {{"task_cap", ""}, kFull, [](const J& s) { return task_cap(job_of(s)); }},
    {{"task_mem", ""}, kFull, [](const J& s) { return if_set(spec_of(s).task.mem); }},
    {{"task_cpus", ""}, kFull, [](const J& s) { return spec_of(s).task.milli_cpus / 1000.0; }},
    {{"run_limit", ""}, kFull, [](const J& s) { return if_set(s.view->run_limit); }},
    {{"begin_time", ""}, kFull | kPrivate, [](const J& s) { return spec_of(s).when.begin; }},
    {{"deadline", ""}, kFull | kPrivate, [](const J& s) { return spec_of(s).when.deadline; }},
    {{"dispatch_time", ""}, kFull, [](const J& s) { return job_of(s).times.dispatched; }},
    {{"first_estimated_start_time", ""},
     kFull,
     [](const J& s) { return job_of(s).waits.first_promised; }},
    {{"is_array", ""}, kBrief, [](const J& s) { return job_of(s).state == JobState::Array; }},
    {{"elements", ""},
     kFull,
     [](const J& s) {
       bool is_base = s.view->id.index == 0;
       return is_base ? if_set(element_count(spec_of(s))) : std::nullopt;
     }},
    {{"array_limit", ""}, kFull, [](const J& s) { return if_set(spec_of(s).array_limit); }},
    {{"requeues", ""}, kFull, [](const J& s) { return job_of(s).returns.requeues; }},
    {{"preemptions", ""}, kFull, [](const J& s) { return job_of(s).returns.preemptions; }},
    {{"suspended_by", ""}, kFull, [](const J& s) { return job_of(s).suspension.by; }},
    {{"slot_time", ""},
     kFull,
     [](const J& s) { return held_time(s, &Holding::slot_time, &Holding::slots); }},
    {{"gpu_time", ""},
     kFull,
     [](const J& s) { return held_time(s, &Holding::gpu_time, &Holding::milli_gpus) / 1000; }},
    {{"samples", ""},
     kFull | kPrivate,
     [](const J& s) {
       const auto& p = s.view->progress;
       return p ? std::optional(p->progress.samples) : std::nullopt;
     }},
    {{"pass", ""},
     kFull | kPrivate,
     [](const J& s) {
       const auto& p = s.view->progress;
       return p ? std::optional(p->progress.data_epoch) : std::nullopt;
     }},
};

}  // namespace

std::span<const Field<ShownJob>> job_fields() {
  static const auto kAll = [] {
    std::vector<Field<ShownJob>> all(std::begin(kJobFields), std::end(kJobFields));
    for (const auto& field : lsf_job_fields()) all.push_back(field);
    return all;
  }();
  return kAll;
}
std::span<const Field<ShownJob>> more_job_fields() { return kMoreJobFields; }

bool is_summary(const JobView& view) {
  const JobSpec& spec = view.job->spec();
  return spec.name == kNoName && spec.program.command.empty();
}

std::string job_id_text(const JobView& view) { return to_string(view.id); }

std::string job_name_text(const JobView& view) {
  const auto& name = view.job->spec().name;
  return view.id.index == 0 ? name : name + "[" + std::to_string(view.id.index) + "]";
}

bool is_ineligible(const JobView& view) {
  constexpr std::array kCodes = {PendCode::Held,      PendCode::Dependency, PendCode::NeverMet,
                                 PendCode::BeginTime, PendCode::ArrayLimit, PendCode::NoneWanted};
  return std::ranges::any_of(view.reasons, [&](const PendReason& reason) {
    return std::ranges::find(kCodes, reason.code) != kCodes.end();
  });
}

std::vector<std::string> exec_hosts(const JobView& view) {
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < view.job->tasks.size() && i < view.task_hosts.size(); ++i)
    if (counts(*view.job, view.job->tasks[i])) hosts.push_back(view.task_hosts[i]);
  return hosts;
}

std::vector<std::string> shortened(const std::vector<std::string>& hosts) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < hosts.size();) {
    auto end = i;
    while (end < hosts.size() && hosts[end] == hosts[i]) ++end;
    result.push_back((end - i > 1 ? std::to_string(end - i) + "*" : "") + hosts[i]);
    i = end;
  }
  return result;
}

std::string exec_hosts_text(const JobView& view) { return joined(exec_hosts(view), ":"); }

std::string exit_reason_text(const JobView& view) {
  const Job& job = *view.job;
  if (!is_over(job.state) || job.outcome.term == Term::None) return "";
  std::string text =
      std::string(term_name(job.outcome.term)) + ": " + std::string(term_text(job.outcome.term));
  if (job.outcome.text.empty() || job.outcome.text == term_text(job.outcome.term)) return text;
  // A host tells the whole, with what was used of how much.
  bool whole = job.outcome.text.starts_with(term_name(job.outcome.term));
  return whole ? job.outcome.text : text + " (" + job.outcome.text + ")";
}

std::string exit_code_text(const JobView& view) {
  auto code = exit_code(*view.job);
  return code && *code != 0 ? std::to_string(*code) : "";
}

/// Members that are ended because they hang, and why that is known.
std::string hanging_text(const Job& job) {
  std::string text;
  for (const auto& task : job.tasks)
    if (task.kill && task.term == Term::Hung && task.holds_slot())
      text += (text.empty() ? "task " : ", task ") + std::to_string(task.number.value);
  return text.empty() ? text : text + " hangs: " + job.outcome.text;
}

std::string pend_reason_text(const JobView& view) {
  std::string text;
  for (const auto& reason : view.reasons) text += (text.empty() ? "" : "; ") + reason.text;
  bool alive = !is_over(view.job->state);
  if (text.empty() && alive) text = hanging_text(*view.job);
  if (text.empty() && alive) text = view.meeting;
  if (text.empty() && alive) text = growth_text(view);
  return text;
}

}  // namespace wm::view
