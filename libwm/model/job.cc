#include "libwm/model/job.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "libwm/model/stoppers.h"

namespace wm {
namespace {

struct StateRow {
  std::string_view ours, lsf, wmla;
};

// In the order of JobState. @source DESIGN §4
constexpr std::array<StateRow, 11> kStates = {{
    {"pending", "PEND", "PENDING_JOB_SCHEDULER"},
    {"held", "PSUSP", "PENDING_JOB_SCHEDULER"},
    {"launching", "RUN", "LAUNCHING"},
    {"running", "RUN", "RUNNING"},
    {"unknown", "UNKWN", "UNKNOWN"},
    {"finished", "DONE", "FINISHED"},
    {"failed", "EXIT", "ERROR"},
    {"killed", "EXIT", "KILLED"},
    {"error", "EXIT", "ERROR"},
    {"array", "PEND", "PENDING_JOB_SCHEDULER"},
    {"suspended", "USUSP", "RUNNING"},
}};

const StateRow& row(JobState state) { return kStates.at(static_cast<std::size_t>(state)); }

}  // namespace

bool is_over(JobState state) {
  return state == JobState::Finished || state == JobState::Failed || state == JobState::Killed ||
         state == JobState::Error;
}

std::string_view state_name(JobState state) { return row(state).ours; }
std::string_view lsf_state(JobState state) { return row(state).lsf; }
std::string_view lsf_state(const Job& job) {
  bool by_system = job.state == JobState::Suspended && is_stopped_by_system(job);
  return by_system ? "SSUSP" : lsf_state(job.state);
}
std::string_view wmla_state(JobState state) { return row(state).wmla; }

bool Job::operator==(const Job& o) const {
  auto same_spec = sealed == o.sealed || (sealed && o.sealed && *sealed == *o.sealed);
  auto tie = [](const Job& j) {
    return std::tie(
        j.id, j.state, j.attempt, j.tasks, j.last_task, j.key, j.membership, j.size.cap,
        j.size.script_cap, j.size.failed_starts, j.size.grow_blocked, j.kill, j.finishing, j.ending,
        j.generation, j.returns.requeues, j.times.submitted, j.times.dispatched, j.times.started,
        j.times.ended, j.outcome.status, j.outcome.term, j.outcome.text, j.usage, j.elements.first,
        j.elements.next_position, j.elements.active, j.waits.promised, j.waits.first_promised,
        j.waits.place, j.account, j.alternative, j.mem_released, j.waits.preempted, j.suspension.by,
        j.suspension.since, j.suspension.earlier, j.size.relaunches, j.size.notices, j.size.notice,
        j.size.notify_command, j.returns.user_requeues, j.returns.preemptions, j.waits.places,
        j.pace, j.parked, j.waits.excluded_hosts, j.revision, j.size.grow_again, j.size.setbacks,
        j.elements.closed, j.trial.data_hash, j.trial.report, j.trial.reported, j.size.wants_none,
        j.outcome.delivers_on);
  };
  return same_spec && tie(*this) == tie(o);
}

JobSpec group_spec(const JobSpec& whole, std::uint32_t number) {
  const TaskGroup& group = whole.groups.at(number - 1);
  JobSpec spec = whole;
  spec.groups.clear();
  spec.group = number;
  spec.program.command = group.command;
  spec.program.script_hash.clear();
  spec.min_tasks = std::max(1u, group.min_tasks);
  spec.max_tasks = group.max_tasks;
  spec.asked.resreq = group.resreq;
  spec.asked.gpu = group.gpu;
  // An independent group goes on with fewer tasks than it has: it is resized like any elastic job.
  spec.elastic = group.elastic || group.restart == Restart::Independent;
  return spec;
}

const TaskGroup* group_of(const Job& job) {
  const auto& groups = job.sealed->spec.groups;
  return job.id.index && job.id.index <= groups.size() ? &groups[job.id.index - 1] : nullptr;
}

bool is_independent(const Job& job) {
  const TaskGroup* group = group_of(job);
  return group && group->restart == Restart::Independent;
}

bool is_stopped(const Job& job) { return !job.suspension.by.empty() || job.parked; }

JobState running_state(const Job& job) {
  return is_stopped(job) ? JobState::Suspended : JobState::Running;
}

std::uint32_t slots_held(const Job& job) {
  return static_cast<std::uint32_t>(
      std::count_if(job.tasks.begin(), job.tasks.end(), [](auto& t) { return t.holds_slot(); }));
}

std::uint32_t tasks_wanted(const Job& job) {
  return static_cast<std::uint32_t>(std::count_if(job.tasks.begin(), job.tasks.end(), [](auto& t) {
    return !t.kill && !t.moves && (t.state == TaskState::Starting || t.state == TaskState::Running);
  }));
}

std::uint32_t task_cap(const Job& job) {
  auto cap = job.spec().max_tasks;
  if (job.size.cap) cap = std::min(cap, job.size.cap);
  if (job.size.script_cap) cap = std::min(cap, job.size.script_cap);
  return cap;
}

TaskNumber writer_of(const Job& job) {
  const auto& members = job.membership.members;
  if (job.tasks.empty()) return {};
  TaskNumber first = members.empty() ? job.tasks.front().number : members.front();
  if (!job.spec().elastic || job.finishing || is_over(job.state)) return first;
  auto lives = [](const Task* task) {
    return task && task->has_process && task->state != TaskState::Gone;
  };
  for (auto number : members)
    if (lives(find_task(job, number))) return number;
  for (const auto& task : job.tasks)
    if (members.empty() && lives(&task)) return task.number;
  return first;
}

const Task* find_task(const Job& job, TaskNumber number) {
  auto at = job.tasks.position(number);
  return at == job.tasks.size() ? nullptr : &job.tasks[at];
}

}  // namespace wm
