#include "daemons/wmasterd/history.h"

namespace wm::master {
namespace {

using Lines = std::map<JobId, JobLine>;

HistoryEvent moment(const Event& event, std::string word, std::int64_t from = 0, std::int64_t to = 0,
                    std::string reason = "") {
  return {event.time, std::move(word), from, to, std::move(reason), -1, -1};
}

// The line of a job; an array's element gets its own from its base's.
JobLine* line_of(Lines& lines, JobId id) {
  auto it = lines.find(id);
  if (it != lines.end()) return &it->second;
  auto base = lines.find({id.job, 0});
  if (base == lines.end()) return nullptr;
  JobLine line;
  line.job = base->second.job;
  line.job.id = id;
  return &lines.emplace(id, std::move(line)).first->second;
}

void note(Lines& lines, const Event& event, const JobSubmitted& e) {
  const auto& spec = e.sealed->spec;
  JobLine line;
  auto& job = line.job;
  job.id = e.job;
  job.user = spec.owner.user;
  job.name = spec.name;
  job.queue = spec.queue;
  job.project = spec.project;
  job.command = spec.command;
  job.app = spec.app;
  job.plan = spec.plan;
  job.submitted = event.time;
  job.events = {moment(event, "SUBMIT", 0, spec.max_tasks)};
  lines[e.job] = std::move(line);
}

void note(JobLine& line, const Event& event, const JobDispatched& e) {
  auto n = static_cast<std::uint32_t>(e.tasks.size());
  line.job.events.push_back(moment(event, "DISPATCH", 0, n));
  line.tasks = n;
  line.world = 0;
  line.epoch = {};
  line.started = false;
}

void note(JobLine& line, const Event& event, const TasksAdded& e) {
  auto to = line.tasks + static_cast<std::uint32_t>(e.tasks.size());
  line.job.events.push_back(moment(event, "RESIZE", line.tasks, to, e.reason));
  line.tasks = to;
}

void note(JobLine& line, const Event& event, const TasksLeaving& e) {
  auto n = static_cast<std::uint32_t>(e.tasks.size());
  auto to = line.tasks > n ? line.tasks - n : 0;
  line.job.events.push_back(moment(event, "RESIZE", line.tasks, to, e.reason));
  line.tasks = to;
}

// An epoch is reported again once its pause is known: the same line gets the value.
void note(JobLine& line, const Event& event, const EpochEntered& e) {
  auto to = static_cast<std::uint32_t>(e.epoch.members.size());
  auto& events = line.job.events;
  bool again = line.epoch == e.epoch.epoch && !events.empty();
  if (!again) events.push_back(moment(event, "EPOCH", line.world, to, e.epoch.reason));
  for (auto it = events.rbegin(); it != events.rend(); ++it) {
    if (it->event != "EPOCH") continue;
    if (e.epoch.pause_known) it->pause_ms = static_cast<double>(e.epoch.pause.count()) / 1000;
    it->steps_lost = e.epoch.steps_lost;
    break;
  }
  line.world = to;
  line.epoch = e.epoch.epoch;
}

void note(JobLine& line, const Event& event, const TaskCondemned& e) {
  line.job.events.push_back(moment(event, "CONDEMN", e.task.value, 0, e.why));
}

void note(JobLine& line, const Event& event, const KillRequested& e) {
  line.job.events.push_back(moment(event, "KILL", 0, 0, "by " + e.wish.by + (e.wish.text.empty() ? "" : ": " + e.wish.text)));
}

void note(JobLine& line, const Event& event, const LeadAppointed& e) {
  line.job.events.push_back(moment(event, "LEAD", e.lead.value - 1, e.lead.value));
}

void note(JobLine& line, const Event& event, const CapChanged& e) {
  line.job.events.push_back(moment(event, "CAP", 0, e.cap, "by " + e.by));
}

void note(JobLine& line, const Event& event, const JobHeld& e) {
  line.job.events.push_back(moment(event, "HOLD", 0, 0, "by " + e.by));
}

void note(JobLine& line, const Event& event, const JobReleased& e) {
  line.job.events.push_back(moment(event, "RELEASE", 0, 0, "by " + e.by));
}

void note(JobLine& line, const Event& event, const TaskEnded& e) {
  bool failed = e.status != 0 || e.term != Term::None;
  if (failed) line.job.events.push_back(moment(event, "TASK_END", e.task.value, e.status, e.text));
}

template <class E>
void note(JobLine&, const Event&, const E&) {}

// Starts and ends are states the job has reached by the end of the group.
void note_state(JobLine& line, const Event& event, const Job& now) {
  if (!line.started && now.state == JobState::Running) {
    line.started = true;
    line.job.started = now.started;
    line.job.events.push_back(moment(event, "START", 0, line.tasks));
  }
  line.job.state = state_name(now.state);
  if (line.ended || !is_over(now.state)) return;
  line.ended = true;
  line.job.ended = now.ended;
  line.job.exit_status = now.exit_status;
  line.job.term = term_name(now.term);
  line.job.events.push_back(moment(event, "END", line.tasks, 0, line.job.state));
}

}  // namespace

void fold(Lines& lines, const Event& event, const Cluster& after) {
  if (const auto* e = std::get_if<JobSubmitted>(&event.body)) note(lines, event, *e);
  JobId id = job_of(event.body);
  if (!id) return;
  JobLine* line = line_of(lines, id);
  if (!line) return;
  std::visit(
      [&](const auto& e) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(e)>, JobSubmitted>) note(*line, event, e);
      },
      event.body);
  if (const Job* now = find_job(after, id); now && now->spec().array.empty()) note_state(*line, event, *now);
  else if (now && now->id.index) note_state(*line, event, *now);
}

}  // namespace wm::master
