// The job machine: submitted, held, dispatched, resized, killed, purged (model/job.h has
// the diagram). What the end of a task means for its job is in task_fsm.cc.
#include <algorithm>
#include <set>

#include "libwm/fsm/edit.h"
#include "libwm/fsm/part.h"

namespace wm::fsm {
namespace {

// Active elements are what an array's %n bounds.
void count_active(Cluster& c, JobId id, int change) {
  if (id.index == 0) return;
  Job& base = c.jobs.edit(id.job);
  base.elements.active += static_cast<std::uint32_t>(change);
}

// Of memory per host the first of a job's tasks there holds all.
void add_tasks(Cluster& c, Job& job, const std::vector<Task>& tasks, WallTime now) {
  const bool per_host = job.spec().task.mem_per_host;
  std::set<HostId> paid;
  for (const Task& task : job.tasks)
    if (per_host && task.holds_slot()) paid.insert(task.host);
  for (Task task : tasks) {
    task.since = now;
    task.mem_elsewhere = per_host && !paid.insert(task.host).second;
    job.last_task = std::max(job.last_task, task.number);
    job.tasks.push_back(task);
    take_slot(c, job, task);
  }
  ++job.generation;
}

// Epoch numbers rise from attempt to attempt, so that step records of all attempts have an order:
// each lead has a block of 100 numbers above those before (libwm/elastic/PROTOCOL.md, L-6).
LeadNumber first_lead_after(const Membership& before) {
  constexpr std::uint32_t kBlock = 100;
  return LeadNumber{before.lead.value + before.epoch.value / kBlock + 1};
}

// The lead found no member that carries the training's state: new tasks began from a checkpoint.
bool begins_anew(const Job& job, const EpochFormed& epoch) {
  const auto& before = job.membership.members;
  auto stays = [&](TaskNumber m) {
    return std::find(before.begin(), before.end(), m) != before.end();
  };
  return !before.empty() && std::none_of(epoch.members.begin(), epoch.members.end(), stays) &&
         epoch.cause == EpochCause::Start;
}

// What it was promised it was for what it asked before; so was its place in its queue, and the
// plan that it was charged to.
void ask_anew(Job& job, const std::shared_ptr<const SealedSpec>& sealed) {
  if (sealed->spec.queue != job.spec().queue) job.waits.place = 0, job.waits.turn = 0;
  job.sealed = sealed;
  ++job.revision;
  job.alternative = sealed->spec.groups.empty() ? 0 : job.id.index;
  job.waits.promised = job.waits.first_promised = {};
  job.waits.places.clear();
  job.account = 0;
}

// Its hosts are told what is left of another run limit, and what tells it of another size: what was
// said of that before, unsigned, no longer counts.
void go_on_as(Job& job, const std::shared_ptr<const SealedSpec>& sealed, Touched& t) {
  if (sealed->spec.side.notify != job.spec().side.notify) job.size.notify_command.clear();
  job.sealed = sealed;
  ++job.revision;
  ++job.generation;
  if (!is_independent(job)) forget_setbacks(job);  // hosts may have refused what was signed before
  t.orders.insert(job.id);
}

// Gone tasks are kept for display, the newest 256 of them.
void forget_old_tasks(Job& job) {
  constexpr std::ptrdiff_t kKept = 256;
  auto gone = [](const Task& t) { return t.state == TaskState::Gone; };
  auto excess = std::count_if(job.tasks.begin(), job.tasks.end(), gone) - kKept;
  if (excess <= 0) return;
  job.tasks.remove_if([&](const Task& t) { return gone(t) && excess-- > 0; });
}

// An attempt may be over before its owner's command has asked for its output.
void keep_console(Job& job) {
  constexpr std::size_t kKept = 16;
  if (job.spec().console.streams == Streams::Files || job.tasks.empty()) return;
  const Task& first = job.tasks.front();
  auto doors = job.membership.doors.find(first.host);
  if (doors == job.membership.doors.end() || doors->second.owner.empty()) return;
  auto& kept = job.membership.consoles;
  if (kept.size() == kKept) kept.erase(kept.begin());
  kept.push_back({job.attempt, first.number, first.host, doors->second.owner});
}

// What stays of the membership of the attempt before.
Membership membership_after(Job& job) {
  keep_console(job);
  Membership next;
  next.lead = first_lead_after(job.membership);
  next.consoles = std::move(job.membership.consoles);
  return next;
}

}  // namespace

void apply_to(Cluster& c, const JobSubmitted& e, WallTime now, Touched& t) {
  Job job;
  job.id = e.job;
  job.sealed = e.sealed;
  job.times.submitted = e.at == WallTime{} ? now : e.at;
  bool array = !job.spec().array.empty();
  if (array) {
    job.elements.first = c.next_element;
    c.next_element += element_count(job.spec());
  }
  job.state = job.spec().when.hold ? JobState::Held : array ? JobState::Array : JobState::Pending;
  c.last_job = std::max(c.last_job, e.job.job);
  c.jobs.set(e.job.job, std::move(job));
  t.jobs.insert(e.job);
  t.schedule = true;
  for (std::uint32_t n = 1; n <= e.sealed->spec.groups.size(); ++n) {
    edit_job(c, {e.job.job, n});
    t.jobs.insert({e.job.job, n});
  }
}

void apply_to(Cluster& c, const JobHeld& e, WallTime, Touched& t) {
  edit_job(c, e.job).state = JobState::Held;
  t.jobs.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster& c, const JobReleased& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  job.state = is_array(job) ? JobState::Array : JobState::Pending;
  if (job.outcome.term != Term::None) {  // what it was held for, if not by a person
    job.outcome = {};
    forget_setbacks(job);
  }
  t.jobs.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster& c, const JobDispatched& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  job.membership = membership_after(job);
  job.attempt = e.attempt;
  job.key = e.key;
  job.state = JobState::Launching;
  job.tasks.clear();
  job.membership.lead_host = e.tasks.front().host;
  if (!is_independent(job)) forget_failed_growth(job);
  job.finishing = job.ending = job.mem_released = false;
  job.outcome.text.clear();  // of what came before
  if (!group_of(job)) job.alternative = e.alternative;
  job.waits.preempted.reset();
  job.waits.only_hosts.clear();
  job.suspension.by.clear();
  job.suspension.earlier = {};
  job.size.relaunches = 0;
  job.waits.turn = 0;
  job.port = e.port;
  job.size.notice.reset();
  job.times.dispatched = now;
  job.generation = std::max(job.generation, e.generation);
  begin_draw(job);
  if (!job.account) job.account = account_of(c, job.spec());
  add_tasks(c, job, e.tasks, now);
  count_active(c, e.job, 1);
  t.orders.insert(e.job);
  t.jobs.insert(e.job);
}

void apply_to(Cluster& c, const TasksAdded& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  add_tasks(c, job, e.tasks, now);
  ++job.membership.resizes;
  std::vector<TaskNumber> added;
  for (const auto& task : e.tasks) added.push_back(task.number);
  note_resize(c, job, true, added);
  forget_old_tasks(job);
  t.orders.insert(e.job);
  t.agents.insert(e.job);
  t.jobs.insert(e.job);
}

void apply_to(Cluster& c, const TasksLeaving& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  for (TaskNumber number : e.tasks) {
    auto at = job.tasks.position(number);
    if (at == job.tasks.size()) continue;
    auto state = job.tasks[at].state;
    if (state != TaskState::Running && state != TaskState::Starting) continue;
    Task& task = job.tasks.edit(at);
    task.state = TaskState::Leaving;
    task.leave_by = e.leave_by;
  }
  ++job.membership.resizes;
  note_resize(c, job, false, e.tasks);
  ++job.generation;
  t.orders.insert(e.job);
  t.agents.insert(e.job);
  t.jobs.insert(e.job);
}

void apply_to(Cluster& c, const AgentSeen& e, WallTime, Touched& t) {
  auto& membership = edit_job(c, e.job).membership;
  membership.agents[e.host] = e.address;
  if (e.doors == AgentDoors{}) membership.doors.erase(e.host);
  else membership.doors[e.host] = e.doors;
  t.agents.insert(e.job);
  t.jobs.insert(e.job);
}

void apply_to(Cluster& c, const LeadAppointed& e, WallTime, Touched& t) {
  auto& membership = edit_job(c, e.job).membership;
  membership.lead = e.lead;
  membership.lead_host = e.host;
  t.agents.insert(e.job);
  t.jobs.insert(e.job);
}

void apply_to(Cluster& c, const EpochEntered& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  if (begins_anew(job, e.epoch)) {
    job.ending = true;  // that is what a new attempt is for; its members stay those that were lost
    ++job.generation;
    t.orders.insert(e.job);
    t.jobs.insert(e.job);
    return;
  }
  auto writer = writer_of(job);
  note_joined(job, e.epoch.members);
  job.membership.epoch = e.epoch.epoch;
  job.membership.members = e.epoch.members;
  job.membership.in_place = true;
  note_pause(job, e.epoch);
  if (writer_of(job) != writer) t.orders.insert(e.job);
  t.jobs.insert(e.job);
  t.schedule = true;  // once its epoch stands, the job can be resized again
}

void apply_to(Cluster& c, const InPlaceSeen& e, WallTime, Touched& t) {
  edit_job(c, e.job).membership.in_place = true;
  t.jobs.insert(e.job);
  t.agents.insert(e.job);
}

void apply_to(Cluster& c, const CapChanged& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  (e.by_script ? job.size.script_cap : job.size.cap) = e.cap;
  job.size.wants_none = e.none;
  if (!e.notify_command.empty()) job.size.notify_command = e.notify_command;
  if (!e.by_script) forget_setbacks(job);
  t.jobs.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster& c, const KillRequested& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  if (only_delivers(job)) return end_delivery(c, job, "", t);
  job.kill = e.wish;
  t.jobs.insert(e.job);
  t.schedule = true;
  if (is_array(job)) return;  // elements still in the range are killed by this; others by name
  if (job.state == JobState::Pending || job.state == JobState::Held) {
    job.state = e.wish.end();
    job.outcome.term = e.wish.term;
    job.times.ended = now;
    return;
  }
  ++job.generation;
  t.orders.insert(e.job);
}

// No pass follows from a promise: it is what a pass has found out.
void apply_to(Cluster& c, const StartPromised& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  job.waits.promised = e.at;
  job.waits.places = e.places;
  if (job.waits.first_promised == WallTime{}) job.waits.first_promised = e.at;
  t.jobs.insert(e.job);
}

void apply_to(Cluster& c, const JobMoved& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  job.waits.place = e.place;
  job.waits.turn = e.turn;
  t.jobs.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster& c, const JobModified& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  t.jobs.insert(e.job);
  t.schedule = true;
  if (e.job.index == 0) unindex_job(c, e.job.job);
  if (!waits(job) && !is_array(job)) return go_on_as(job, e.sealed, t);
  ask_anew(job, e.sealed);
  if (!is_array(job)) return;
  for (std::uint32_t p = 0; p < element_count(job.spec()); ++p) {
    auto number = job.elements.first + p;
    const Job* made = c.elements.find(number);
    if (!made || !waits(*made)) continue;
    Job& element = c.elements.edit(number);
    ask_anew(element, e.sealed);
    t.jobs.insert(element.id);
  }
}

// A life of its own: what it used and how it ended belongs to the one before, which accounting has.
// The tasks stay, all gone, until the next dispatch: their hosts are still to be told to forget.
void apply_to(Cluster& c, const JobRequeued& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  Job next;
  next.id = job.id;
  next.sealed = job.sealed;
  next.revision = job.revision;
  next.state = e.hold ? JobState::Held : JobState::Pending;
  next.attempt = job.attempt;
  next.tasks = std::move(job.tasks);
  next.last_task = job.last_task;
  next.membership = std::move(job.membership);
  next.generation = job.generation + 1;
  next.size.notices = job.size.notices;
  next.account = job.account;
  next.alternative = job.sealed->spec.groups.empty() ? 0 : job.id.index;
  next.trial.data_hash = job.trial.data_hash;
  next.times.submitted = job.times.submitted;
  next.counted = job.counted;
  job = std::move(next);
  t.jobs.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster& c, const JobPreempted& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  job.waits.preempted = e.preempted;
  make_waiting(c, e.preempted.by, t);
  ++job.generation;
  t.orders.insert(e.job);
  t.jobs.insert(e.job);
}

// Every host of the job gets its memory back; what is added later reserves none.
void apply_to(Cluster& c, const MemoryReleased& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  for (const auto& task : job.tasks)
    if (task.holds_slot())
      edit_host(c, task.host).used_mem.value -= mem_held(job.spec().task, task).value;
  job.mem_released = true;
  t.jobs.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster&, const WaitRecorded&, WallTime, Touched&) {}

void apply_to(Cluster& c, const JobPurged& e, WallTime, Touched& t) {
  t.jobs.insert(e.job);
  unindex_job(c, e.job.job);
  c.indexes.arrays.erase(e.job.job);
  const Job& base = *c.jobs.find(e.job.job);
  for (std::uint32_t p = 0; p < element_count(base.spec()); ++p)
    c.elements.erase(base.elements.first + p);
  c.jobs.erase(e.job.job);
}

}  // namespace wm::fsm
