// The task machine, and what the end of a task means for its job.
//
//   starting ─► running ─► leaving ─► gone          (proven gone: the slot is free)
//        └─────────┴──────────┴──► stuck ─► gone    (killed, not proven gone: no capacity)
#include <algorithm>
#include <csignal>
#include <set>

#include "libwm/fsm/edit.h"
#include "libwm/fsm/fault.h"
#include "libwm/fsm/first_host.h"
#include "libwm/fsm/part.h"
#include "libwm/model/groups.h"

namespace wm::fsm {
namespace {

Task& edit_task(Job& job, TaskNumber number) { return job.tasks.edit(job.tasks.position(number)); }

// The exit code that `status` stands for, when it is one of `codes`.
bool exited_with(std::int32_t status, const std::vector<std::uint32_t>& codes) {
  bool exited = (status & 0x7f) == 0;
  auto code = static_cast<std::uint32_t>(status >> 8 & 0xff);
  return exited && std::find(codes.begin(), codes.end(), code) != codes.end();
}

bool ended_well(const Cluster& c, const Job& job, std::int32_t status, Term term) {
  if (term != Term::None) return false;
  return status == 0 || exited_with(status, app_of(*c.config, job.spec()).success_exits);
}

// Some epoch of this attempt was formed.
bool has_trained(const Job& job) {
  return job.spec().elastic && job.membership.in_place && !job.membership.members.empty();
}

// Its members did not end by themselves: what they trained goes on from the newest checkpoint.
bool lost_all_members(const Job& job) {
  bool killed = job.outcome.term == Term::None && (job.outcome.status & 0x7f) == SIGKILL;
  return has_trained(job) && !job.finishing && (killed || cause_of(job.outcome.term).is_resumed);
}

bool is_limit(Term term) { return cause_of(term).is_limit; }

bool is_first(const Job& job, const Task& task) { return task.number == job.tasks.front().number; }

bool is_member(const Job& job, TaskNumber number) {
  const auto& members = job.membership.members;
  return std::find(members.begin(), members.end(), number) != members.end();
}

// Rank 0's status decides an elastic job; any failure decides a rigid one, the first stays.
void remember_exit(Job& job, const Task& task, bool leaving) {
  if (leaving || is_limit(job.outcome.term)) return;
  const auto& members = job.membership.members;
  bool by_rank = job.membership.in_place && !members.empty() && !is_limit(task.term);
  bool decides = !by_rank || task.number == members.front();
  bool failed_before = job.outcome.status != 0 || job.outcome.term != Term::None;
  if (!decides || (failed_before && !job.membership.in_place)) return;
  job.outcome.status = task.status;
  job.outcome.term = task.term;
}

// How long after its dispatch the end of a task that never spoke still counts as a failed start.
constexpr Duration kStart = std::chrono::minutes(2);

// A task that no epoch has held yet: the others begin, or go on, without it. Before the first epoch
// only if they are enough, and are of a kind that can.
bool is_spared(const Cluster& c, const Job& job, const Task& task, WallTime now) {
  if (is_independent(job)) return !job.kill && !job.ending && !job.waits.preempted;
  if (!job.spec().elastic || job.kill || job.ending || job.waits.preempted) return false;
  if (ended_well(c, job, task.status, task.term) || is_limit(task.term)) return false;
  if (has_trained(job)) return !is_member(job, task.number);
  auto mode = resize_mode_of(*c.config, job);
  bool can = mode == ResizeMode::InPlace || mode == ResizeMode::Tasks;
  bool starts = job.membership.in_place || now - task.since <= kStart;
  return can && starts && tasks_wanted(job) >= std::max(1u, job.spec().min_tasks);
}

// What the end of one task asks of the others.
void decide_job_end(const Cluster& c, Job& job, const Task& task, bool leaving) {
  if (leaving || job.kill || job.ending || job.waits.preempted) return;
  if (ended_well(c, job, task.status, task.term)) {
    job.finishing = job.finishing || job.spec().elastic;
  } else if (!has_trained(job) || is_limit(task.term)) {
    job.ending = true;  // a rigid job lives and dies together
    ++job.generation;
  }
}

// It ended well by itself while all were to start again at another size, so it was of those that
// knew the old size: the work is done. What starts now would do it again, or wait for those that
// have ended.
bool ended_before_restart(const Cluster& c, const Job& job, const Task& task, const TaskEnded& e) {
  bool was_told = task.state == TaskState::Starting || task.state == TaskState::Leaving;
  return was_told && job.size.relaunches > 0 && task.has_process &&
         ended_well(c, job, e.status, e.term) &&
         resize_mode_of(*c.config, job) == ResizeMode::Restart;
}

void let_others_go(const Cluster& c, Job& job, WallTime now) {
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const Task& known = job.tasks[i];
    bool there = known.state == TaskState::Starting || known.state == TaskState::Running;
    if (!there || !known.has_process || known.kill) continue;
    Task& task = job.tasks.edit(i);
    task.state = TaskState::Leaving;
    task.leave_by = now + c.config->cluster.times.reclaim_grace;
  }
  ++job.generation;
}

bool process_may_run(const Job& job, const Task& task) {
  return task.has_process && may_still_run(job, task);
}

// The command is over; its host's other commands elsewhere are to end, too.
void end_parts(Job& job) {
  if (job.ending) return;
  job.ending = true;
  ++job.generation;
}

void free_bare_slots(Cluster& c, Job& job, WallTime now) {
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const Task& task = job.tasks[i];
    if (task.has_process || task.state == TaskState::Gone) continue;
    release_slot(c, job, job.tasks.edit(i), now);
  }
}

// @source LSF: LSB_EXIT_PRE_ABORT, with which a pre-execution command ends its job
const std::vector<std::uint32_t> kPreAbort = {99};

// The job's own codes go before its profile's, and those before its queue's.
const RequeueExits& requeue_exits_of(const Cluster& c, const Job& job) {
  static const RequeueExits kNone;
  const auto* queue = c.config->queue(job.spec().queue);
  const auto& own = job.spec().requeue_exits;
  const auto& app = app_of(*c.config, job.spec()).requeue_exits;
  if (!own.empty()) return own;
  if (!app.empty()) return app;
  return queue ? queue->requeue_exits : kNone;
}

bool asks_for_requeue(const Cluster& c, const Job& job) {
  return job.outcome.term == Term::None &&
         exited_with(job.outcome.status, requeue_exits_of(c, job).codes);
}

bool asks_for_other_hosts(const Cluster& c, const Job& job) {
  return asks_for_requeue(c, job) &&
         exited_with(job.outcome.status, requeue_exits_of(c, job).excluding);
}

// Of a job that ran on several hosts nobody knows which of them its code is about: all.
void exclude_hosts(Job& job) {
  std::set<HostId> hosts(job.waits.excluded_hosts.begin(), job.waits.excluded_hosts.end());
  for (const auto& task : job.tasks) hosts.insert(task.host);
  job.waits.excluded_hosts.assign(hosts.begin(), hosts.end());
}

bool is_rerunnable(const Cluster& c, const Job& job) {
  const auto* queue = c.config->queue(job.spec().queue);
  return job.spec().rerunnable || app_of(*c.config, job.spec()).rerunnable ||
         (queue && queue->rerunnable);
}

bool waits_again(const Cluster& c, const Job& job, Again again) {
  switch (again) {
    case Again::Never:
    case Again::OnceSigned: return false;
    case Again::Always:
    case Again::Elsewhere: return true;
    case Again::IfRerunnable: return is_rerunnable(c, job) || lost_all_members(job);
    case Again::IfTrained: return lost_all_members(job);
    case Again::IfAsked: return lost_all_members(job) || asks_for_requeue(c, job);
    case Again::UnlessItAborts: return !exited_with(job.outcome.status, kPreAbort);
  }
  return false;
}

// The fault behind an end after which a job is queued again.
Fault fault_of(const Cluster& c, const Job& job) {
  const Cause& cause = cause_of(job.outcome.term);
  return waits_again(c, job, cause.again) ? cause.fault : Fault::None;
}

bool should_requeue(const Cluster& c, const Job& job) {
  if (job.kill) return false;
  if (job.waits.preempted) return job.waits.preempted->requeue;
  auto again = cause_of(job.outcome.term).again;
  if (is_independent(job) || again == Again::OnceSigned || again == Again::Elsewhere) return true;
  const auto& limits = c.config->cluster.limits;
  auto fault = fault_of(c, job);
  if (fault == Fault::User) return job.returns.user_requeues < max_user_requeue(*c.config, job);
  return fault == Fault::Host &&
         job.returns.requeues - job.returns.user_requeues < limits.max_requeue;
}

// The tasks stay, all gone, until the next dispatch: their hosts are still to be told to forget.
void requeue(const Cluster& c, Job& job) {
  // Its tasks come and go, the job does not.
  bool all_gone = is_independent(job) && !job.waits.preempted;
  // No host can start it before its owner has signed it anew: no try of anybody's.
  auto again = job.waits.preempted ? Again::Never : cause_of(job.outcome.term).again;
  bool not_signed = again == Again::OnceSigned, not_started = again == Again::Elsewhere;
  if (!job.waits.preempted && !all_gone && !not_signed && !not_started) ++job.returns.requeues;
  if (job.waits.preempted && !job.waits.preempted->for_nobody()) ++job.returns.preemptions;
  if (!job.waits.preempted && fault_of(c, job) == Fault::User) ++job.returns.user_requeues;
  if (lost_all_members(job))
    job.outcome.text = "all members were lost; goes on from the newest checkpoint";
  if (!job.waits.preempted && asks_for_other_hosts(c, job)) exclude_hosts(job);
  bool gives_up = not_started && !all_gone && has_failed_everywhere(c, job);
  bool hold = not_signed || gives_up || (job.waits.preempted && job.waits.preempted->hold);
  job.state = hold ? JobState::Held : JobState::Pending;
  job.outcome.status = 0;
  job.outcome.term = not_signed || gives_up ? job.outcome.term : Term::None;
  job.ending = job.finishing = false;
  if (!all_gone && !not_started) forget_setbacks(job);
  job.parked.reset();
  job.waits.promised = job.waits.first_promised = {};
  job.waits.places.clear();
}

void finish(const Cluster& c, Job& job, WallTime now) {
  if (job.waits.preempted && !job.kill) {
    job.outcome.term = job.waits.preempted->for_nobody() ? Term::RequeueOwner : Term::Preempt;
    job.outcome.text = job.waits.preempted->text;
  }
  bool failed = !ended_well(c, job, job.outcome.status, job.outcome.term);
  job.state = job.kill ? job.kill->end() : failed ? JobState::Failed : JobState::Finished;
  if (job.kill) job.outcome.term = job.kill->term;
  if (job.kill && job.kill->done) job.outcome.status = 0;
  job.times.ended = now;
  if (slots_held(job) == 0) job.parked.reset();
}

}  // namespace

void settle(Cluster& c, Job& job, WallTime now) {
  if (is_over(job.state) || waits(job)) return;
  auto any = [&](bool (*runs)(const Job&, const Task&)) {
    return std::any_of(job.tasks.begin(), job.tasks.end(),
                       [&](const Task& task) { return runs(job, task); });
  };
  if (any(process_may_run)) return;
  if (any(may_still_run)) return end_parts(job);
  free_bare_slots(c, job, now);
  if (job.outcome.delivers_on) return;
  if (job.id.index) --c.jobs.edit(job.id.job).elements.active;
  bool stuck = slots_held(job) > 0;
  if (should_requeue(c, job) && !stuck) requeue(c, job);
  else finish(c, job, now);
  end_draw(c, job);
}

namespace {

// What an end says of the job's. One that was ended because of another has nothing to add to it.
void note_why(Job& job, const TaskEnded& e) {
  bool adds = e.term != Term::TaskFailed || job.outcome.text.empty();
  if (adds && !e.text.empty()) job.outcome.text = e.text;
}

// Launched in full once no process is awaited any more.
void note_launched(Job& job, WallTime now, Touched& t) {
  bool starting = std::any_of(job.tasks.begin(), job.tasks.end(), [](auto& x) {
    return x.has_process && x.state == TaskState::Starting;
  });
  if (job.state != JobState::Launching || starting) return;
  job.state = running_state(job);
  if (job.times.started == WallTime{}) job.times.started = now;
  if (job.size.relaunches > 0) t.orders.insert(job.id);  // room that leaves is not in use any more
  t.schedule = true;
}

// Tasks elsewhere were told of the chosen port; those at `host` of the one that it leased. Workers
// that speak to their agent meet at no port.
bool have_another_port(const Job& job, HostId host) {
  if (job.membership.in_place) return false;
  return std::any_of(job.tasks.begin(), job.tasks.end(), [&](const Task& task) {
    return task.has_process && task.holds_slot() && task.host != host;
  });
}

}  // namespace

void apply_to(Cluster& c, const TaskStarted& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  Task& task = edit_task(job, e.task);
  task.pid = e.pid;
  bool other_port = e.port != 0 && job.port != 0 && e.port != job.port;
  if (e.port != 0) job.port = e.port;
  if (task.state == TaskState::Starting) task.state = TaskState::Running;
  if (other_port && job.state == JobState::Launching && have_another_port(job, task.host)) {
    relaunch(c, job);
    ++job.generation;
    t.orders.insert(e.job);
  }
  note_launched(job, now, t);
  if (has_moving_task(job)) t.schedule = true;  // it may have the place of one
  if (is_first(job, task) && first_host_goes_first(*c.config, job.spec())) t.orders.insert(e.job);
  t.jobs.insert(e.job);
}

void apply_to(Cluster& c, const TaskEnded& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  Task& task = edit_task(job, e.task);
  auto writer = writer_of(job);
  bool ended_before = ended_before_restart(c, job, task, e);
  bool was_finishing = job.finishing;
  bool was_lost = is_lost(task) || task.moves;  // its place has been given to another since
  bool leaving = task.state == TaskState::Leaving && !cause_of(e.term).is_loss && !ended_before;
  bool others_wait = task.state == TaskState::Starting && is_first(job, task) &&
                     first_host_goes_first(*c.config, job.spec());
  note_end(c, job, task, e);
  note_host_end(c, job, task, e.term);
  release_slot(c, job, task, now);
  if (e.delivers && !is_over(job.state)) job.outcome.delivers_on = task.host;
  task.status = e.status;
  task.term = e.term == Term::Left ? Term::None : e.term;
  job.usage.cpu += e.usage.cpu;
  job.usage.max_mem = std::max(job.usage.max_mem, e.usage.max_mem);
  job.usage.mean_mem = std::max(job.usage.mean_mem, e.usage.mean_mem);
  job.usage.max_swap = std::max(job.usage.max_swap, e.usage.max_swap);
  job.usage.read.value += e.usage.read.value;
  job.usage.written.value += e.usage.written.value;
  job.usage.gpu_energy_mj += e.usage.gpu_energy_mj;
  job.usage.by_cgroup = e.usage.by_cgroup;
  bool was_ending = job.ending;
  bool goes_on = leaving;  // without it, whatever became of it
  if (is_over(job.state)) {
    note_why(job, e);
  } else if (!leaving && !others_wait && is_spared(c, job, task, now)) {
    goes_on = true;
    if (!is_independent(job)) note_setback(c, job, task, e.text);
    else if (!was_lost) note_restart(c, job, task, e.text);
    note_launched(job, now, t);
    settle(c, job, now);
  } else {
    note_why(job, e);
    if (cause_of(e.term).again == Again::Elsewhere && !cause_of(e.term).is_gap)
      note_failed_start(c, job, task, e.text);
    bool decides = task.has_process || !job.ending;  // not a part that was told to end
    if (decides) remember_exit(job, task, leaving);
    decide_job_end(c, job, task, leaving);
    if (ended_before && job.finishing) let_others_go(c, job, now);
    settle(c, job, now);
  }
  if (only_delivers(job)) {
    ++job.generation;  // its hosts cannot know that no task will come
    t.orders.insert(e.job);
  }
  if (goes_on) task.term = Term::Left;
  if (job.ending != was_ending || job.finishing != was_finishing || is_over(job.state) ||
      waits(job) || others_wait || writer_of(job) != writer)
    t.orders.insert(e.job);
  t.agents.insert(e.job);
  t.jobs.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster& c, const TaskStuck& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  Task& task = edit_task(job, e.task);
  draw(c, job, -draw_of(c, job, task));
  task.state = TaskState::Stuck;
  if (!job.parked) ++edit_host(c, task.host).stuck_slots;
  job.outcome.text = e.why;
  settle(c, job, now);
  t.jobs.insert(e.job);
  t.agents.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster& c, const TaskCondemned& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  Task& task = edit_task(job, e.task);
  task.kill = true;
  task.term = e.term;
  job.outcome.text = e.why;
  if (is_independent(job) && e.term == Term::HostLost) {
    note_failed_start(c, job, task, e.why);  // its replacement goes elsewhere
    t.schedule = true;
  }
  ++job.generation;
  t.orders.insert(e.job);
  t.agents.insert(e.job);
  t.jobs.insert(e.job);
}

}  // namespace wm::fsm
