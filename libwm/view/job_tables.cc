// job tables: what its header promises, smallest pieces first.
#include "libwm/view/job_tables.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "libwm/base/joined.h"
#include "libwm/model/stoppers.h"
#include "libwm/view/job_use.h"
#include "libwm/view/priority.h"
#include "libwm/view/table.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

// What clients split on blanks must have none.
std::string one_word(std::string text) {
  text = printable(text);
  std::replace(text.begin(), text.end(), ' ', '_');
  return or_dash(text);
}

std::vector<std::string> split_hosts(const std::string& text) {
  std::vector<std::string> hosts;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find(':', at), text.size());
    hosts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return hosts;
}

std::string state_of(const ShownJob& s) { return std::string(lsf_state(*s.view->job)); }

std::string narrow_row(const ShownJob& s, bool short_hosts) {
  const auto& spec = s.view->job->spec();
  auto hosts = split_hosts(exec_hosts_text(*s.view));
  if (short_hosts) hosts = shortened(hosts);
  std::string line =
      fit(std::to_string(s.view->id.job), 7) + " " + fit(spec.owner.user, 7) + " " +
      fit(state_of(s), 5) + " " + fit(spec.queue, 10) + " " + fit(spec.program.submit_host, 11) +
      " " + fit(hosts.empty() ? "" : hosts[0], 11) + " " + fit_name(job_name_text(*s.view), 10) +
      " " + short_time(s.view->job->times.submitted) + "\n";
  for (std::size_t i = 1; i < hosts.size(); ++i)
    line += std::string(45, ' ') + fit(hosts[i], 11) + "\n";
  return line;
}

std::vector<std::string> wide_cells(const ShownJob& s) {
  const auto& spec = s.view->job->spec();
  return {job_id_text(*s.view),
          or_dash(spec.owner.user),
          state_of(s),
          or_dash(spec.queue),
          or_dash(spec.program.submit_host),
          or_dash(joined(shortened(split_hosts(exec_hosts_text(*s.view))), ":")),
          one_word(job_name_text(*s.view)),
          short_time(s.view->job->times.submitted)};
}

std::string cpu_clock(Duration d) {
  auto hundredths = std::chrono::duration_cast<std::chrono::milliseconds>(d).count() / 10;
  auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  auto hours = std::to_string(hundredths / 360000);
  return std::string(hours.size() < 3 ? 3 - hours.size() : 0, '0') + hours + ":" +
         two(hundredths / 6000 % 60) + ":" + two(hundredths / 100 % 60) + "." +
         two(hundredths % 100);
}

std::string pids_of(const Job& job) {
  std::string text;
  for (const auto& task : job.tasks)
    if (task.pid > 0) text += (text.empty() ? "" : ",") + std::to_string(task.pid);
  return text;
}

std::vector<std::string> more_cells(const ShownJob& s) {
  const Job& job = *s.view->job;
  auto cells = wide_cells(s);
  cells.front() = std::to_string(s.view->id.job);  // JOB_NAME tells the element, as in LSF
  cells.back() = dated_time(job.times.submitted);
  const auto use = use_of(s).value_or(JobUse{});
  for (auto&& cell : {one_word(job.spec().project), cpu_clock(use.cpu),
                      std::to_string(use.mem.value >> 20), std::to_string(use.swap.value >> 20),
                      or_dash(pids_of(job)), or_dash(dated_time(job.times.started)),
                      or_dash(is_over(job.state) ? dated_time(job.times.ended) : "")})
    cells.push_back(cell);
  return cells;
}

std::string wide_table(std::span<const ShownJob> jobs, bool more, bool with_header) {
  std::vector<std::vector<std::string>> rows;
  if (with_header) {
    rows.push_back(
        {"JOBID", "USER", "STAT", "QUEUE", "FROM_HOST", "EXEC_HOST", "JOB_NAME", "SUBMIT_TIME"});
    if (more)
      for (auto name :
           {"PROJ_NAME", "CPU_USED", "MEM", "SWAP", "PIDS", "START_TIME", "FINISH_TIME"})
        rows.back().emplace_back(name);
  }
  for (const auto& job : jobs) rows.push_back(more ? more_cells(job) : wide_cells(job));
  constexpr int kWidest = 40;  // one job's long name is no reason for long lines of all
  return aligned(rows, kWidest);
}

void add(std::string& line, const char* name, const std::string& value) {
  if (!value.empty()) line += std::string(", ") + name + " <" + value + ">";
}

std::string head_line(const ShownJob& s) {
  const Job& job = *s.view->job;
  const auto& spec = job.spec();
  std::string line = "Job <" + job_id_text(*s.view) + ">";
  add(line, "Job Name", job_name_text(*s.view));
  add(line, "User", spec.owner.user);
  add(line, "Project", spec.project);
  add(line, "Job Group", spec.job_group);
  add(line, "Service Class", spec.service_class);
  add(line, "Advance Reservation", spec.reservation);
  add(line, "Application", s.view->app);
  add(line, "Status", state_of(s));
  add(line, "Queue", spec.queue);
  add(line, "Plan", s.view->plan);
  add(line, "Command", spec.program.command);
  add(line, "Description", spec.description);
  return line;
}

std::string notify_words(const NotifyAt& at) {
  std::string words;
  auto word = [&](bool is, const char* name) {
    if (is) words += (words.empty() ? "" : " ") + std::string(name);
  };
  word(at.start, "start");
  word(at.done, "done");
  word(at.exit, "exit");
  word(at.suspend, "suspend");
  return words;
}

std::string submit_line(const ShownJob& s) {
  const Job& job = *s.view->job;
  const auto& spec = job.spec();
  std::string line =
      long_time(job.times.submitted) + ": Submitted from host <" + spec.program.submit_host + ">";
  add(line, "CWD", spec.program.cwd);
  add(line, "Input File", spec.files.in);
  add(line, spec.files.out_overwrite ? "Output File (overwrite)" : "Output File", spec.files.out);
  add(line, spec.files.err_overwrite ? "Error File (overwrite)" : "Error File", spec.files.err);
  add(line, "Output Directory", spec.files.outdir);
  auto tasks = std::to_string(spec.min_tasks);
  if (spec.max_tasks > spec.min_tasks) tasks += "-" + std::to_string(spec.max_tasks);
  line += ", " + tasks + " Task(s)" + (spec.elastic ? ", Elastic" : "");
  if (spec.mail.at_start) line += ", Notify when job begins";
  if (spec.mail.at_end) line += ", Notify when job ends";
  add(line, "Notify on", notify_words(spec.mail.notify));
  add(line, "Mail User", spec.mail.to);
  add(line, "Checkpoint directory", spec.checkpoint.dir);
  add(line, "Specified Start Time", year_time(spec.when.begin));
  add(line, "Specified Termination Time", year_time(spec.when.deadline));
  add(line, "Requested Resources", spec.asked.resreq);
  add(line, "Requested GPU", spec.asked.gpu);
  return line + ";";
}

std::string start_line(const ShownJob& s) {
  const Job& job = *s.view->job;
  auto hosts = split_hosts(exec_hosts_text(*s.view));
  if (job.times.dispatched == WallTime{} || hosts.empty()) return "";  // or it waits again
  std::string list;
  for (const auto& host : shortened(hosts)) list += " <" + host + ">";
  return long_time(job.times.started == WallTime{} ? job.times.dispatched : job.times.started) +
         ": Started " + std::to_string(hosts.size()) + " Task(s) on Host(s)" + list +
         ", Allocated " + std::to_string(hosts.size()) + " Slot(s) on Host(s)" + list +
         ", Execution Home <" + job.spec().program.home + ">, Execution CWD <" +
         job.spec().program.cwd + ">;";
}

std::string with_one_dot(std::string text) {
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text + ".";
}

// How its processes ended; of one that was ended, below that why. @source LSF bjobs -l
std::vector<std::string> end_lines(const ShownJob& s) {
  const Job& job = *s.view->job;
  if (!is_over(job.state)) return {};
  const auto at = long_time(job.times.ended) + ": ";
  const auto reason = exit_reason_text(*s.view), code = exit_code_text(*s.view);
  std::string line = at;
  if (job.state == JobState::Finished) line += "Done successfully.";
  else if ((job.outcome.status & 0x7f) != 0)
    line += "Exited by signal " + std::to_string(job.outcome.status & 0x7f) + ".";
  else line += code.empty() ? "Exited." : "Exited with exit code " + code + ".";
  bool told = job.outcome.text.empty() || reason.find(job.outcome.text) != std::string::npos;
  if (!told) line += " " + with_one_dot(job.outcome.text);
  line += " The CPU time used is " + tenths_of_seconds(job.usage.cpu) + " seconds.";
  if (job.state == JobState::Finished || reason.empty()) return {line};
  return {line, at + "Completed <exit>; " + with_one_dot(reason)};
}

// What its hosts have told; until they have, nothing. @source LSF bjobs -l: Resource usage
// collected
std::string usage_line(const ShownJob& s) {
  const Job& job = *s.view->job;
  auto use = use_of(s);
  if (!use) return "";
  auto mega = [](Bytes bytes) { return std::to_string(bytes.value >> 20) + " Mbytes"; };
  std::string line = long_time(is_over(job.state) ? job.times.ended : s.now) +
                     ": Resource usage collected. The CPU time used is " +
                     tenths_of_seconds(use->cpu) + " seconds.";
  if (auto factor = idle_factor(s)) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), " IDLE_FACTOR(cputime/runtime):   %.2f.", *factor);
    line += text.data();
  }
  line += " MEM: " + mega(use->mem) + ";  SWAP: " + mega(use->swap);
  if (use->threads > 0) line += ";  NTHREAD: " + std::to_string(use->threads);
  std::string pids;
  for (auto pid : use->pids) pids += " " + std::to_string(pid);
  return line + (pids.empty() ? "" : ";  PIDs:" + pids);
}

// What it has shown of its speed, size by size, and what a change of its size costs it.
std::string pace_line(const Job& job) {
  auto number = [](double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return std::string(text);
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> sizes;
  for (const auto& r : job.pace.reports)
    sizes[{r.tasks, r.hosts}] =
        " " + std::to_string(r.tasks) + " on " + std::to_string(r.hosts) + " hosts " +
        number(std::chrono::duration<double, std::milli>(r.step).count(), 1) + "ms a step of " +
        number(r.local_batch * r.tasks, 0) + ";";
  std::string text;
  for (const auto& [size, line] : sizes) text += line;
  if (job.pace.resizes > 0)
    text += " a change costs " +
            number(std::chrono::duration<double>(job.pace.resize_cost).count(), 1) + "s;";
  return text.empty() ? "" : " Pace" + text + "\n";
}

std::string wm_lines(const ShownJob& s) {
  const Job& job = *s.view->job;
  std::string text = "\n WM:\n State " + std::string(state_name(job.state)) + " (WMLA " +
                     std::string(wmla_state(job.state)) + "), attempt " +
                     std::to_string(job.attempt.value) + ", type " + s.view->app_type;
  if (job.spec().elastic)
    text += "\n Resize " + s.view->resize + ", epoch " +
            std::to_string(job.membership.epoch.value) + ", resizes " +
            std::to_string(job.membership.resizes) + ", at most " + std::to_string(task_cap(job)) +
            " tasks";
  text += "\n";
  if (s.view->progress) {
    const auto& p = s.view->progress->progress;
    text += " Step " + std::to_string(p.step) + ", samples " + std::to_string(p.samples) +
            ", loss " + std::to_string(p.loss) + ", samples/s " +
            std::to_string(std::int64_t(p.samples_per_s)) + "\n";
  }
  text += pace_line(job);
  if (!s.view->result_dir.empty()) text += " Results in " + s.view->result_dir + "\n";
  return text;
}

std::string reasons_section(const ShownJob& s) {
  auto text = pend_reason_text(*s.view);
  if (text.empty()) return "";
  bool waits = !s.view->reasons.empty();
  std::string lines = s.view->job->parked       ? "\n SUSPENDING REASONS:\n"
                      : waits                   ? "\n PENDING REASONS:\n"
                      : text == s.view->meeting ? "\n RENDEZVOUS:\n"
                                                : "\n RESIZE:\n";
  if (!waits) return lines + " " + text + ";\n";
  for (const auto& reason : s.view->reasons) {
    lines += " " + reason.text + ";";
    auto count = std::to_string(reason.hosts_removed) + " host";
    bool says = reason.text.find(": " + count) != std::string::npos;
    if (reason.hosts_removed > 0 && !says) lines += " " + count + "s;";
    lines += "\n";
  }
  return lines;
}

std::string more_limits(const JobLimits& l) {
  std::string text;
  auto add = [&](const char* name, const std::string& value) {
    text += std::string(" ") + name + " " + value + "\n";
  };
  auto size = [&](const char* name, Bytes value) {
    if (value.value > 0) add(name, format_bytes(value));
  };
  if (l.cpu.count() > 0) add("CPULIMIT", tenths_of_seconds(l.cpu / 60) + " min");
  size("FILELIMIT", l.file);
  size("DATALIMIT", l.data);
  size("STACKLIMIT", l.stack);
  if (l.core) add("CORELIMIT", format_bytes(*l.core));
  size("SWAPLIMIT", l.swap);
  if (l.processes != 0) add("PROCESSLIMIT", std::to_string(l.processes));
  if (l.threads != 0) add("THREADLIMIT", std::to_string(l.threads));
  return text;
}

// Its tasks that use more of a GPU than they asked for.
std::string gpu_overuse_section(const ShownJob& s) {
  if (!s.view->use || s.view->use->gpu_over.empty() || is_over(s.view->job->state)) return "";
  std::string text = "\n GPU MEMORY:\n";
  for (const auto& over : s.view->use->gpu_over)
    text += " task " + std::to_string(over.task.value) + " uses " + format_bytes(over.used) +
            " of " + over.gpu + ", its gmem is " + format_bytes(over.asked) + "\n";
  return text;
}

// Of its GPUs, as LSF words it.
std::string gpu_energy_section(const ShownJob& s) {
  auto use = use_of(s);
  if (!use || use->gpu_energy_mj <= 0) return "";
  char text[64];
  std::snprintf(text, sizeof text, "\n GPU Energy Consumed: %.1f Joules\n",
                static_cast<double>(use->gpu_energy_mj) / 1e3);
  return text;
}

std::string limits_section(const ShownJob& s) {
  const auto& spec = s.view->job->spec();
  std::string text;
  if (auto limit = s.view->run_limit; limit.count() > 0)
    text += "\n RUNLIMIT\n " + tenths_of_seconds(limit / 60) + " min\n";
  if (spec.limits.mem.value > 0) text += "\n MEMLIMIT\n " + format_bytes(spec.limits.mem) + "\n";
  if (auto more = more_limits(spec.limits); !more.empty()) text += "\n LIMITS\n" + more;
  if (auto use = use_of(s); use && use->max_mem.value > 0) {
    auto mega = [](Bytes bytes) { return std::to_string(bytes.value >> 20) + " Mbytes"; };
    text += "\n MEMORY USAGE:\n MAX MEM: " + mega(use->max_mem) +
            ";  AVG MEM: " + mega(use->mean_mem.value_or(use->max_mem));
    if (is_over(s.view->job->state))
      text += s.view->job->usage.by_cgroup ? "; counted by the kernel" : "; sampled from /proc";
    text += "\n";
  }
  text += gpu_energy_section(s) + gpu_overuse_section(s);
  if (!spec.asked.resreq.empty())
    text += "\n RESOURCE REQUIREMENT DETAILS:\n Combined: " + spec.asked.resreq +
            "\n Effective: " + spec.asked.resreq + "\n";
  return text;
}

std::string excluded_section(const ShownJob& s) {
  if (s.view->excluded_hosts.empty()) return "";
  std::string text = "\n EXCLUDED HOSTS:\n";
  for (const auto& host : s.view->excluded_hosts) text += " <" + host + ">";
  return text + " by exit codes of earlier runs\n";
}

std::string order_section(const ShownJob& s) {
  auto priority = priority_text(*s.view), estimate = estimate_text(*s.view);
  std::string text = estimate.empty() ? "" : "\n ESTIMATION:\n " + estimate + "\n";
  return priority.empty() ? text : text + "\n PRIORITY:\n" + priority;
}

// What was left at it. @source LSF bjobs -l, EXTERNAL MESSAGES
std::string notes_section(const ShownJob& s) {
  const JobNotes& notes = s.view->job->notes;
  if (notes.empty()) return "";
  std::string text = "\n EXTERNAL MESSAGES:\n MSG_ID FROM       POST_TIME      MESSAGE" +
                     std::string(29, ' ') + "ATTACHMENT\n";
  for (const JobNote& note : notes)
    text += " " + fit(std::to_string(note.index), 6) + " " + fit(printable(note.by), 10) + " " +
            fit(short_time(note.at), 14) + " " + fit(printable(note.text), 35) + " " +
            (note.file.empty() ? "N" : printable(note.file)) + "\n";
  return text;
}

template <class Wrap>
std::string long_form(const ShownJob& s, Wrap wrap) {
  std::string text = "\n" + wrap(head_line(s)) + wrap(submit_line(s));
  for (const auto& line : {start_line(s), usage_line(s)})
    if (!line.empty()) text += wrap(line);
  for (const auto& line : end_lines(s)) text += wrap(line);
  return text + reasons_section(s) + excluded_section(s) + order_section(s) + limits_section(s) +
         notes_section(s) + wm_lines(s);
}

struct ArrayCounts {
  std::string name, owner;
  std::map<std::string, int> states;
  int jobs = 0;
};

}  // namespace

std::string job_table(std::span<const ShownJob> jobs, TableStyle style, bool with_header,
                      bool short_hosts) {
  if (style != TableStyle::Narrow)
    return wide_table(jobs, style == TableStyle::WideMore, with_header);
  std::string text;
  if (with_header)
    text = "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n";
  for (const auto& job : jobs) text += narrow_row(job, short_hosts);
  return text;
}

namespace {

// A job on a silent host counts as what it was before. @source LSF: UNKWN is a mark beside RUN
std::string counted_state(const ShownJob& shown) {
  const Job& job = *shown.view->job;
  if (job.state != JobState::Unknown) return std::string(state_of(shown));
  if (!is_stopped(job)) return "RUN";
  return is_stopped_by_system(job) ? "SSUSP" : "USUSP";
}

}  // namespace

std::string array_table(std::span<const ShownJob> jobs, bool with_header) {
  std::map<std::uint32_t, ArrayCounts> arrays;
  for (const auto& job : jobs) {
    if (job.view->id.index == 0) continue;
    auto& counts = arrays[job.view->id.job];
    counts.name = job.view->job->spec().name;
    counts.owner = job.view->job->spec().owner.user;
    ++counts.jobs;
    ++counts.states[counted_state(job)];
  }
  std::string text;
  if (with_header)
    text = "JOBID    ARRAY_SPEC  OWNER   NJOBS PEND DONE  RUN EXIT SSUSP USUSP PSUSP\n";
  for (auto& [id, c] : arrays) {
    auto n = [&states = c.states](const char* state, int width) {
      return fit(std::to_string(states[state]), width, true);
    };
    text += fit(std::to_string(id), 8) + " " + fit_name(c.name, 11) + " " + fit(c.owner, 7) + " " +
            fit(std::to_string(c.jobs), 5, true) + " " + n("PEND", 4) + " " + n("DONE", 4) + " " +
            n("RUN", 4) + " " + n("EXIT", 4) + " " + n("SSUSP", 5) + " " + n("USUSP", 5) + " " +
            n("PSUSP", 5) + "\n";
  }
  return text;
}

std::string pend_sum_text(std::span<const ShownJob> jobs) {
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t pending = 0;
  for (const auto& job : jobs) {
    pending += job.view->job->state == JobState::Pending;
    for (const auto& reason : job.view->reasons) ++counts[reason.text];
  }
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (auto& [text, n] : counts) order.push_back({n, text});
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string text = "Pending reason summary: " + std::to_string(pending) + " pending job(s)\n";
  for (const auto& [n, reason] : order)
    text += "  " + printable(reason) + ": " + std::to_string(n) + "\n";
  return text;
}

std::string sum_table(std::span<const ShownJob> jobs, bool with_header) {
  std::map<std::string, std::uint32_t, std::less<>> slots;
  for (const auto& shown : jobs) {
    const Job& job = *shown.view->job;
    auto held = shown.view->id == job.id ? slots_held(job) : 0;
    slots[std::string(state_of(shown))] += std::max(held, held ? 0 : job.spec().min_tasks);
  }
  std::string text;
  if (with_header) text = "RUN        SSUSP      USUSP      UNKNOWN    PEND       FWD_PEND\n";
  for (auto n : {slots["RUN"], slots["SSUSP"], slots["USUSP"], slots["UNKWN"],
                 slots["PEND"] + slots["PSUSP"]})
    text += fit(std::to_string(n), 10) + " ";
  return text + "0\n";
}

std::string long_text(const ShownJob& job) { return long_form(job, wrapped); }

std::string long_texts(std::span<const ShownJob> jobs, bool unwrapped) {
  std::string text;
  for (const auto& job : jobs) {
    if (!text.empty()) text += std::string(78, '-') + "\n";
    text += unwrapped
                ? long_form(job, [](const std::string& line) { return printable(line) + "\n"; })
                : long_text(job);
  }
  return text;
}

}  // namespace wm::view
