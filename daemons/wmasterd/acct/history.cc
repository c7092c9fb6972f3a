#include "daemons/wmasterd/acct/history.h"

#include <algorithm>

#include "daemons/wmasterd/hosts/host_names.h"
#include "daemons/wmasterd/verbs/selection.h"
#include "libwm/fsm/fsm.h"

namespace wm::master {
namespace {

using store::AcctRows;
using store::JobEventRow;

/// What stays known of a job when its next attempt begins.
JobLine restarted(const JobLine& before) {
  JobLine line;
  line.requeues = before.requeues;
  return line;
}

// "CPU 1.5s, peak memory 12M, sampled from /proc".
std::string usage_words(const Usage& usage) {
  auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(usage.cpu).count() / 100;
  auto text = "CPU " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
              " s, peak memory " + format_bytes(usage.max_mem);
  if (usage.read.value > 0 || usage.written.value > 0)
    text += ", read " + format_bytes(usage.read) + ", written " + format_bytes(usage.written);
  if (usage.gpu_energy_mj > 0)
    text += ", GPU energy " + std::to_string(usage.gpu_energy_mj / 1000) + " J";
  return text + (usage.by_cgroup ? ", counted by the kernel" : ", sampled from /proc");
}

// "Pid 4711": of its first task.
std::string pid_words(const Job& job) {
  for (const Task& task : job.tasks)
    if (task.pid > 0) return "Pid " + std::to_string(task.pid);
  return "";
}

/// Collects the rows of one event.
class Fold {
 public:
  Fold(JobLines& lines, const Event& event, const Cluster& after)
      : lines_(lines), event_(event), after_(after), id_(job_of(event.body)) {}

  AcctRows run() {
    rows_.seq = event_.seq;
    if (!id_) return std::move(rows_);
    const Job* job = find_job(after_, id_);
    bool was_over = !lines_.count(id_) && !begins(job);
    std::visit([this](const auto& e) { note(lines_[id_], e); }, event_.body);
    if (job && !fsm::is_array(*job)) keep_job(*job, was_over);
    if (job && fsm::is_array(*job) && changes_range()) keep_range(*job);
    if (std::holds_alternative<JobPurged>(event_.body)) lines_.erase(id_);
    return std::move(rows_);
  }

 private:
  // An element that is killed while it waits begins and ends with that event.
  bool begins(const Job* job) const {
    if (std::holds_alternative<JobSubmitted>(event_.body)) return true;
    return id_.index && job && !job->attempt && std::holds_alternative<KillRequested>(event_.body);
  }

  bool changes_range() const {
    const EventBody& body = event_.body;
    return std::holds_alternative<JobSubmitted>(body) || std::holds_alternative<JobHeld>(body) ||
           std::holds_alternative<JobReleased>(body) || std::holds_alternative<JobModified>(body) ||
           std::holds_alternative<KillRequested>(body);
  }

  JobEventRow& add(std::string word, std::int64_t from = 0, std::int64_t to = 0,
                   std::string reason = "") {
    JobEventRow row;
    row.job = id_;
    row.seq = event_.seq;
    row.part = part_++;
    row.time = event_.time;
    row.event = std::move(word);
    row.from = from;
    row.to = to;
    row.reason = std::move(reason);
    return rows_.events.emplace_back(std::move(row));
  }

  void note(JobLine&, const JobSubmitted& e) { add("SUBMIT", 0, e.sealed->spec.max_tasks); }
  void note(JobLine&, const JobHeld& e) { add("HOLD", 0, 0, "by " + e.by); }
  void note(JobLine&, const JobReleased& e) { add("RELEASE", 0, 0, "by " + e.by); }

  void note(JobLine& line, const JobDispatched& e) {
    line = restarted(line);
    line.tasks = static_cast<std::uint32_t>(e.tasks.size());
    add("DISPATCH", 0, line.tasks, "on " + hosts_words(e.tasks));
    note_promise();
  }

  // "<2*node1> <node2>", host by host as the tasks go.
  std::string hosts_words(const std::vector<Task>& tasks) const {
    std::string text;
    for (std::size_t i = 0, n = 0; i < tasks.size(); i += n) {
      for (n = 0; i + n < tasks.size() && tasks[i + n].host == tasks[i].host;) ++n;
      const Host* host = after_.hosts.find(tasks[i].host.value);
      text += (text.empty() ? "<" : " <") + (n > 1 ? std::to_string(n) + "*" : "") +
              (host ? host->name : "") + ">";
    }
    return text;
  }

  void note(JobLine&, const StartPromised& e) { add("PROMISE", 0, seconds(e.at)); }

  // How far off the first promise was: from = seconds of wait promised, to = seconds late
  // (negative: early).
  void note_promise() {
    const Job* job = find_job(after_, id_);
    if (!job || job->waits.first_promised == WallTime{}) return;
    add("PROMISE_ERROR", seconds(job->waits.first_promised) - seconds(job->times.submitted),
        seconds(event_.time) - seconds(job->waits.first_promised));
  }
  static std::int64_t seconds(WallTime time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  }

  void note(JobLine& line, const TasksAdded& e) {
    auto to = line.tasks + static_cast<std::uint32_t>(e.tasks.size());
    add("RESIZE", line.tasks, to, e.reason);
    line.tasks = to;
  }

  void note(JobLine& line, const TasksLeaving& e) {
    auto before = line.tasks;
    for (auto task : e.tasks) miss(line, task);
    add("RESIZE", before, line.tasks, e.reason);
  }

  // One task fewer is wanted, or there; told twice it is missed once.
  static void miss(JobLine& line, TaskNumber task) {
    if (line.unwanted.insert(task).second && line.tasks > 0) --line.tasks;
  }
  // Those that end one after the other with their job are no change of its size.
  static bool goes_on(const Job& job) {
    return job.spec().elastic && !is_over(job.state) && !job.kill && !job.ending &&
           !job.waits.preempted && !job.finishing && job.state != JobState::Pending &&
           job.state != JobState::Held;
  }

  // An epoch is told again once its pause is known: its row is written again, whole. After a
  // restart between the two the row is not known any more and stays without its pause.
  void note(JobLine& line, const EpochEntered& e) {
    const auto& formed = e.epoch;
    auto to = static_cast<std::uint32_t>(formed.members.size());
    if (line.epoch == formed.epoch && !line.epoch_row.job) return;
    if (line.epoch == formed.epoch) rows_.events.push_back(line.epoch_row);
    else add("EPOCH", line.world, to, formed.reason);
    auto& row = rows_.events.back();
    if (formed.pause_known) row.pause = formed.pause;
    row.steps_lost = formed.steps_lost;
    line.epoch_row = row;
    line.epoch = formed.epoch;
    line.world = to;
  }

  void note(JobLine& line, const JobPreempted& e) {
    add("PREEMPT", line.tasks, 0, e.preempted.text);
  }
  void note(JobLine&, const JobRequeued& e) {
    add("REQUEUE", 0, 0, "by " + e.by + (e.hold ? ", held" : ""));
  }
  void note(JobLine& line, const TaskCondemned& e) {
    add("CONDEMN", e.task.value, 0, e.why);
    const Job* job = find_job(after_, id_);
    if (job && goes_on(*job)) miss(line, e.task);
  }
  void note(JobLine&, const TaskStuck& e) { add("STUCK", e.task.value, 0, e.why); }
  void note(JobLine&, const LeadAppointed& e) { add("LEAD", e.lead.value - 1, e.lead.value); }
  void note(JobLine&, const JobSuspended& e) { add("SUSPEND", 0, 0, "by " + e.by); }
  void note(JobLine&, const JobResumed& e) { add("RESUME", 0, 0, "by " + e.by); }
  void note(JobLine&, const JobParked& e) { add("PARK", 0, 0, e.parked.text); }
  void note(JobLine&, const JobModified& e) {
    add("MODIFY", 0, 0, "by " + e.by + (e.what.empty() ? "" : ": " + e.what));
  }
  void note(JobLine&, const JobUnparked&) { add("RESUME", 0, 0, "its slots are free again"); }
  // Refused, what was to come or to go is not.
  void note(JobLine& line, const ResizeAnswered& e) {
    add("NOTIFY", 0, 0, e.ok ? "accepted" : e.text);
    const Job* job = find_job(after_, id_);
    if (job && !is_over(job->state)) line.tasks = tasks_wanted(*job);
  }
  void note(JobLine&, const CapChanged& e) { add("CAP", 0, e.cap, "by " + e.by); }
  void note(JobLine&, const KillRequested& e) {
    add("KILL", 0, 0, "by " + e.wish.by + (e.wish.text.empty() ? "" : ": " + e.wish.text));
  }
  void note(JobLine& line, const TaskEnded& e) {
    bool told = e.status != 0 || e.term != Term::None || !e.text.empty();
    if (told) add("TASK_END", e.task.value, e.status, e.text);
    const Job* job = find_job(after_, id_);
    if (job && goes_on(*job)) miss(line, e.task);
    line.unwanted.erase(e.task);
    // Slots that others have while the rest of the job still runs, or while its host writes what it
    // leaves: END comes later. While tasks run no more than once a second.
    if (!job || is_over(job->state) || job->spec().elastic || is_independent(*job)) return;
    ++line.ended;
    // Of a command that runs once for all of its slots the one task's end is all of them.
    auto holds = [](const Task& task) { return task.holds_slot(); };
    bool delivers = job->outcome.delivers_on && std::ranges::none_of(job->tasks, holds);
    if (delivers) line.ended = std::max(line.ended, line.tasks);
    bool all = line.ended >= line.tasks;
    if (!all && event_.time - line.freed < std::chrono::seconds(1)) return;
    add("FREE", line.tasks - std::min(line.told_free, line.tasks),
        line.tasks - std::min(line.ended, line.tasks));
    line.told_free = line.ended;
    line.freed = event_.time;
  }
  template <class E>
  void note(JobLine&, const E& e) {
    if constexpr (std::is_same_v<E, JobDelivered>)
      if (!e.text.empty()) add("OUTPUT", 0, 0, e.text);
  }

  // "disk full; not again on <node1> <node2>".
  std::string requeue_words(const Job& job) const {
    std::string text = job.outcome.text;
    if (job.waits.excluded_hosts.empty()) return text;
    text += text.empty() ? "not again on" : "; not again on";
    for (const auto& host : names_of(after_, job.waits.excluded_hosts)) text += " <" + host + ">";
    return text;
  }

  // Starts and ends are states the job has reached by the end of the group.
  void keep_job(const Job& job, bool was_over) {
    auto& line = lines_[id_];
    if (std::exchange(line.requeues, job.returns.requeues) < job.returns.requeues)
      add("REQUEUE", 0, job.returns.requeues, requeue_words(job));
    // A short job may have started and ended within one group.
    bool runs = job.state == JobState::Running || job.state == JobState::Suspended;
    bool ran = runs || (is_over(job.state) && job.times.started != WallTime{});
    if (!line.started && ran) {
      line.started = true;
      add("START", 0, line.tasks, pid_words(job));
    }
    rows_.jobs.push_back(row_of(job));
    if (!is_over(job.state)) return;
    if (!was_over) {
      if (job.times.started != WallTime{})
        add("USAGE", job.usage.max_mem.value, job.usage.mean_mem.value, usage_words(job.usage));
      add("END", line.tasks, 0, std::string(state_name(job.state)));
      rows_.usage.push_back(usage_of(job));
    }
    lines_.erase(id_);
  }

  // What happens to an array happens to those of its elements that have not begun. Their history
  // until then is the array's (acct_query.cc).
  void keep_range(const Job& base) {
    bool ends = std::holds_alternative<KillRequested>(event_.body);
    std::uint32_t ended = 0;
    for (std::uint32_t p = 0; p < elements_there(base); ++p) {
      if (after_.elements.find(base.elements.first + p)) continue;
      Job element = base;
      element.id = {base.id.job, element_index(base.spec(), p)};
      element.state = state_of(base, element.id);
      if (base.kill) element.outcome.term = base.kill->term, element.times.ended = base.kill->at;
      rows_.jobs.push_back(row_of(element));
      if (!ends) continue;
      add("END", 0, 0, std::string(state_name(element.state))).job = element.id;
      if (ended++ == 0) rows_.usage.push_back(usage_of(element));
    }
    if (ended > 0) rows_.usage.back().jobs_exited = ended;
  }

  store::JobRow row_of(const Job& job) const;
  static store::UsageRow usage_of(const Job& job);

  JobLines& lines_;
  const Event& event_;
  const Cluster& after_;
  JobId id_;
  std::uint32_t part_ = 0;
  AcctRows rows_;
};

store::JobRow Fold::row_of(const Job& job) const {
  const auto& spec = job.spec();
  store::JobRow row;
  row.id = job.id;
  row.user = spec.owner.user;
  row.name = spec.name;
  row.queue = spec.queue;
  row.app = spec.app;
  row.plan = spec.plan;
  row.project = spec.project;
  row.command = spec.program.command;
  row.cwd = spec.program.cwd;
  row.submit_host = spec.program.submit_host;
  for (const auto& task : job.tasks)
    if (const Host* host = after_.hosts.find(task.host.value))
      row.exec_hosts += (row.exec_hosts.empty() ? "" : " ") + host->name;
  row.state = state_name(job.state);
  row.reason = job.outcome.text;
  row.submitted = job.times.submitted;
  row.dispatched = job.times.dispatched;
  row.started = job.times.started;
  row.ended = job.times.ended;
  row.exit_status = job.outcome.status;
  row.term = static_cast<std::int32_t>(job.outcome.term);
  row.attempt = job.attempt;
  row.resizes = job.membership.resizes;
  row.slots = job.holding.most_slots;
  row.gpus = job.holding.most_milli_gpus;
  row.cpu = job.usage.cpu;
  row.slot_time = job.holding.slot_time;
  row.gpu_time = job.holding.gpu_time;
  row.max_mem = job.usage.max_mem;
  row.gpu_energy_mj = job.usage.gpu_energy_mj;
  row.service_class = spec.service_class;
  row.reservation = spec.reservation;
  return row;
}

store::UsageRow Fold::usage_of(const Job& job) {
  store::UsageRow row;
  row.day = WallTime(std::chrono::floor<std::chrono::days>(job.times.ended.time_since_epoch()));
  row.user = job.spec().owner.user;
  row.plan = job.spec().plan;
  row.queue = job.spec().queue;
  (job.state == JobState::Finished ? row.jobs_done : row.jobs_exited) = 1;
  row.cpu = job.usage.cpu;
  row.slot_time = job.holding.slot_time;
  row.gpu_time = job.holding.gpu_time;
  return row;
}

}  // namespace

JobLine line_of(const Job& job) {
  JobLine line;
  line.tasks = tasks_wanted(job);
  for (const auto& task : job.tasks)
    if (task.holds_slot() && (task.kill || task.state == TaskState::Leaving))
      line.unwanted.insert(task.number);
  for (const auto& task : job.tasks) line.ended += task.holds_slot() ? 0 : 1;
  line.told_free = line.ended;
  line.world = static_cast<std::uint32_t>(job.membership.members.size());
  line.epoch = job.membership.epoch;
  line.started = job.times.started != WallTime{};
  line.requeues = job.returns.requeues;
  line.unknown = job.state == JobState::Unknown;
  return line;
}

// "slots: Not enough job slot(s) …; hosts_closed: …": all that binds, the deciding one first.
AcctRows wait_rows(const Event& event, const WaitRecorded& wait) {
  AcctRows rows;
  rows.seq = event.seq;
  std::string text;
  for (const auto& reason : wait.reasons)
    text +=
        (text.empty() ? "" : "; ") + std::string(pend_code_name(reason.code)) + ": " + reason.text;
  for (JobId job : wait.jobs) {
    JobEventRow row;
    row.job = job;
    row.seq = event.seq;
    row.time = event.time;
    row.event = "PEND_REASON";
    row.reason = text;
    rows.events.push_back(std::move(row));
  }
  return rows;
}

// A host that falls silent, or is heard again, makes its jobs unknown, or known.
AcctRows standing_rows(JobLines& lines, const Event& event, HostId id, const Cluster& after) {
  AcctRows rows;
  rows.seq = event.seq;
  const Host* host = after.hosts.find(id.value);
  each_job_on(after, id, [&](const Job& job) {
    bool unknown = job.state == JobState::Unknown;
    auto line = lines.find(job.id);
    if (line == lines.end() || std::exchange(line->second.unknown, unknown) == unknown) return;
    JobEventRow row;
    row.job = job.id;
    row.seq = event.seq;
    row.time = event.time;
    row.event = unknown ? "UNKNOWN" : "KNOWN";
    row.reason = "host <" + (host ? host->name : "") + (unknown ? "> is silent" : "> is heard");
    rows.events.push_back(std::move(row));
  });
  return rows;
}

AcctRows fold(JobLines& lines, const Event& event, const Cluster& after) {
  if (const auto* silent = std::get_if<HostSilent>(&event.body))
    return standing_rows(lines, event, silent->host, after);
  if (const auto* heard = std::get_if<HostHeard>(&event.body))
    return standing_rows(lines, event, heard->host, after);
  if (const auto* up = std::get_if<HostRegistered>(&event.body))
    return standing_rows(lines, event, up->host, after);
  if (const auto* wait = std::get_if<WaitRecorded>(&event.body)) return wait_rows(event, *wait);
  return Fold(lines, event, after).run();
}

std::string name_of(const store::JobRow& row) {
  return row.id.index ? row.name + "[" + std::to_string(row.id.index) + "]" : row.name;
}

HistoryJob history_of(const store::JobRow& row, const std::vector<JobEventRow>& events) {
  HistoryJob job;
  job.id = row.id;
  job.user = row.user;
  job.name = name_of(row);
  job.queue = row.queue;
  job.project = row.project;
  job.command = row.command;
  job.app = row.app;
  job.plan = row.plan;
  job.submitted = row.submitted;
  job.started = row.started;
  job.ended = row.ended;
  job.state = row.state;
  job.exit_status = row.exit_status;
  job.term = term_name(static_cast<Term>(row.term));
  job.term_number = row.term;
  job.submit_host = row.submit_host, job.cwd = row.cwd;
  job.cpu = row.cpu, job.max_mem = row.max_mem;
  for (const auto& e : events) {
    if (e.event == "USAGE") job.mean_mem = Bytes{e.to};
    double pause_ms = e.pause.count() < 0 ? -1 : static_cast<double>(e.pause.count()) / 1000;
    job.events.push_back({e.time, e.event, e.from, e.to, e.reason, pause_ms, e.steps_lost});
  }
  return job;
}

}  // namespace wm::master
