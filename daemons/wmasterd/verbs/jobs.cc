// Verbs about jobs: kill, requeue, hold and release, resize, output, waiting.
#include <signal.h>

#include <algorithm>
#include <map>
#include <set>

#include "daemons/wmasterd/hosts/orders.h"
#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {
namespace {

// What a write answers: ids that mean nothing come first, and arrays that are over.
void finish(OutcomeReply& reply, Walked walked) {
  std::vector<JobOutcome> first;
  for (auto id : walked.missing)
    first.push_back({id, code_of(Code::NotFound), named(id) + ": No matching job found"});
  for (auto id : walked.over)
    first.push_back({id, code_of(Code::Conflict), named(id) + ": Job has already finished"});
  reply.jobs.insert(reply.jobs.begin(), first.begin(), first.end());
  reply.rest = std::move(walked.rest);
}

// Does the selection mean every element that the array's range still has? Not where it names
// one as an element is named: "name[3]".
bool is_whole_range(const JobSelection& selection, const Job& base) {
  const auto& ids = selection.ids;
  if (!fits_name(selection.name, base.spec().name)) return false;
  return ids.empty() || std::find(ids.begin(), ids.end(), base.id) != ids.end();
}

bool is_named(const JobSelection& selection, JobId id) {
  return std::ranges::find(selection.ids, id) != selection.ids.end();
}

bool has_processes(const Job& job) {
  return std::any_of(job.tasks.begin(), job.tasks.end(),
                     [](const Task& task) { return task.holds_slot() && task.has_process; });
}

// What waits has nobody to hear a signal; one of those that programs end of ends it.
// @source LSF bkill -s
bool ends_what_waits(std::int32_t signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGKILL;
}

// A signal is sent once: nobody keeps it for a host that is away.
bool hears(const Hosts& hosts, const Job& job) {
  return std::all_of(job.tasks.begin(), job.tasks.end(), [&](const Task& task) {
    return !task.holds_slot() || hosts.connected(task.host);
  });
}

KillWish wish_for(const Identity& who, const Job& job, const KillRequest& request, WallTime now) {
  bool owner = job.spec().owner.uid == who.uid;
  Term term = request.force ? (owner ? Term::ForceOwner : Term::ForceAdmin)
              : owner       ? Term::Owner
                            : Term::Admin;
  return {term, who.user, request.reason, now, request.mark_done};
}

// bstop and bresume of a job that waits hold and release it; a running one is suspended.
EventBody stop_or_go(const Job& job, JobId id, JobId target, bool stop, const std::string& by) {
  auto state = state_of(job, id);
  bool waits = state == JobState::Pending || state == JobState::Held;
  bool range = job.id != id || job.state == JobState::Array;
  if (waits || range || is_over(state))
    return stop ? EventBody(JobHeld{target, by}) : EventBody(JobReleased{target, by});
  return stop ? EventBody(JobSuspended{target, by}) : EventBody(JobResumed{target, by});
}

// Why brequeue does not mean, or cannot have, a job in this state; null: it does.
const char* why_not_again(const Job& job, JobState state, const RequeueRequest& request) {
  if (state == JobState::Finished) return request.done ? nullptr : ": Job has already finished";
  if (is_over(state)) return request.exited ? nullptr : ": Job has already finished";
  if (!request.means_active()) return ": Job has not finished";
  bool waits = state == JobState::Pending || state == JobState::Held || job.waits.preempted;
  return waits ? ": Job has not started yet" : nullptr;
}

// What a release or request of bresize makes of the job's cap.
Result<std::uint32_t> new_cap(const Job& job, const ResizeRequest& request) {
  using Kind = ResizeRequest::Kind;
  auto now = tasks_wanted(job);
  const auto& spec = job.spec();
  if (request.kind == Kind::Cancel) return now;
  if (request.kind == Kind::Set && request.tasks == 0 && is_independent(job)) {
    if (group_of(job)->min_tasks == 0) return 0;
  }
  if (request.kind == Kind::Set) {
    auto least = group_of(job) ? group_of(job)->min_tasks : spec.min_tasks;
    if (request.tasks >= std::max(1u, spec.min_tasks) && request.tasks <= spec.max_tasks)
      return request.tasks;
    return fail(Code::BadArgument, named(job.id) + ": " + std::to_string(request.tasks) +
                                       " tasks; it may have " + std::to_string(least) + " to " +
                                       std::to_string(spec.max_tasks));
  }
  if (request.tasks == 0) return fail(Code::BadArgument, "0: Bad argument, at least 1 task");
  if (request.kind == Kind::Request) return std::min(spec.max_tasks, now + request.tasks);
  if (request.tasks >= now || now - request.tasks < spec.min_tasks)
    return fail(Code::BadArgument, named(job.id) + ": cannot release " +
                                       std::to_string(request.tasks) + " of " +
                                       std::to_string(now) + " tasks, its minimum is " +
                                       std::to_string(spec.min_tasks));
  return now - request.tasks;
}

}  // namespace

namespace {

// The job, or its group of that name.
Result<const Job*> resized(const Cluster& state, const ResizeRequest& request) {
  const Job* job = find_job(state, request.job);
  if (!job) return fail(Code::NotFound, named(request.job) + ": No matching job found");
  const auto& groups = job->sealed->spec.groups;
  if (request.group.empty() && (groups.empty() || job->id.index)) return job;
  auto names = [](const TaskGroup& group) { return "<" + group.name + ">"; };
  std::string known;
  for (std::uint32_t n = 1; n <= groups.size(); ++n) {
    if (groups[n - 1].name == request.group) return find_job(state, {job->id.job, n});
    known += (known.empty() ? "" : " ") + names(groups[n - 1]);
  }
  if (groups.empty()) return fail(Code::NotFound, named(job->id) + ": Job has no groups");
  if (request.group.empty())
    return fail(Code::BadArgument, named(job->id) + ": which group? It has " + known);
  return fail(Code::NotFound,
              named(job->id) + ": no group <" + request.group + ">; it has " + known);
}

}  // namespace

void kill(Service& service, const Call& call, const KillRequest& request) {
  Proposal proposal;
  OutcomeReply reply;
  std::vector<JobId> signalled;
  std::vector<std::size_t> ended;  // where in the reply what became of each event stands
  std::set<std::uint32_t> bases;   // arrays that are ended as a whole, their ranges too
  auto selection = request.jobs;
  selection.finished = false;
  auto refuse = [&](JobId id, Code code, const char* why) {
    reply.jobs.push_back({id, code_of(code), named(id) + why});
  };
  auto end = [&](const Job& job, JobId id) {
    if (is_over(state_of(job, id))) return refuse(id, Code::Conflict, ": Job has already finished");
    if (request.signal != 0 && (has_processes(job) || !ends_what_waits(request.signal))) {
      if (!has_processes(job)) return refuse(id, Code::Conflict, ": Job has not started yet");
      if (!hears(service.hosts, job))
        return refuse(id, Code::Unavailable, ": a host of the job does not answer at the moment");
      signalled.push_back(job.id);
      return reply.jobs.push_back({id, 0, named(id) + " is being signaled"});
    }
    bool whole = job.id != id && is_whole_range(selection, job);
    if (whole && !bases.insert(id.job).second) return;
    JobId target = whole ? job.id : id;
    auto wish = wish_for(call.caller(), job, request, service.env.clock.wall());
    proposal.events.push_back(KillRequested{target, wish});
    ended.push_back(reply.jobs.size());
    reply.jobs.push_back({target, 0, named(target) + " is being terminated"});
  };
  auto walked = each_permitted(service, call, selection, reply, end);
  Answer<OutcomeReply> answer = [=](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < results.size(); ++i) {
      JobOutcome& outcome = reply.jobs[ended[i]];
      outcome = outcome_of(outcome.job, results[i], outcome.text);
    }
    finish(reply, walked);
    return reply;
  };
  service.answers.commit(call, request.request_key, std::move(proposal), answer,
                         [&service, signalled, signal = request.signal] {
                           for (auto id : signalled)
                             if (const Job* job = find_job(service.journal.published(), id))
                               service.hosts.ordering().signal(*job, signal);
                         });
}

// The attempt makes way for nobody: its job may start again at once. What is over begins anew.
void requeue(Service& service, const Call& call, const RequeueRequest& request) {
  OutcomeReply reply;
  Proposal proposal;
  std::vector<JobId> ids;
  auto selection = request.jobs;
  selection.unfinished = request.means_active();
  selection.finished = request.done || request.exited;
  std::map<std::uint32_t, const char*> left_out;  // arrays of which nothing is meant, and why
  std::set<std::uint32_t> arrays;
  auto until = service.env.clock.wall() + service.journal.newest().config->cluster.times.kill_grace;
  auto again = [&](const Job& job, JobId id) {
    auto refuse = [&](Code code, const char* why) {
      reply.jobs.push_back({id, code_of(code), named(id) + why});
    };
    const char* why = why_not_again(job, state_of(job, id), request);
    if (why && is_named(selection, id)) return refuse(Code::Conflict, why);
    if (why) return void(left_out.try_emplace(id.job, why));
    ids.push_back(id);
    arrays.insert(id.job);
    if (is_over(state_of(job, id)))
      return proposal.events.push_back(JobRequeued{id, call.caller().user, request.hold});
    Preempted wish{{}, until, true, "requeued by user " + call.caller().user, request.hold};
    proposal.events.push_back(JobPreempted{id, job.attempt, wish});
  };
  auto walked = each_permitted(service, call, selection, reply, again);
  for (const auto& [array, why] : left_out)
    if (!arrays.count(array) && is_named(selection, {array, 0}))
      reply.jobs.push_back({{array, 0}, code_of(Code::Conflict), named({array, 0}) + why});
  Answer<OutcomeReply> answer = [=](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < results.size(); ++i)
      reply.jobs.push_back(outcome_of(ids[i], results[i], named(ids[i]) + " is being requeued"));
    finish(reply, walked);
    return reply;
  };
  service.answers.commit(call, request.request_key, std::move(proposal), answer);
}

void release(Service& service, const Call& call, const ReleaseRequest& request) {
  OutcomeReply reply;
  Proposal proposal;
  std::vector<JobId> ids;
  auto walked = each_permitted(service, call, request.jobs, reply, [&](const Job& job, JobId id) {
    JobId target = job.id == id ? id : job.id;  // a range is held and released as a whole
    if (!ids.empty() && ids.back() == target) return;
    ids.push_back(target);
    proposal.events.push_back(stop_or_go(job, id, target, request.hold, call.caller().user));
  });
  const char* done = request.hold ? " is being stopped" : " is being resumed";
  Answer<OutcomeReply> answer = [=](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < results.size(); ++i)
      reply.jobs.push_back(outcome_of(ids[i], results[i], named(ids[i]) + done));
    finish(reply, walked);
    return reply;
  };
  service.answers.commit(call, request.request_key, std::move(proposal), answer);
}

namespace {

bool is_known(const Job& job, const std::vector<TaskNumber>& serving) {
  return std::ranges::all_of(job.tasks, [&](const Task& task) {
    return task.serves == (std::ranges::find(serving, task.number) != serving.end());
  });
}

// What a router says again and again is an event only where it is new.
std::vector<EventBody> resize_events(const Job& job, const CapChanged& change,
                                     const std::vector<TaskNumber>& serving) {
  std::vector<EventBody> events;
  bool same = job.size.cap == change.cap && job.size.wants_none == change.none;
  if (serving.empty() || !same) events.push_back(change);
  bool runs = job.state == JobState::Running || job.state == JobState::Launching;
  if (runs && !serving.empty() && !is_known(job, serving))
    events.push_back(TasksServing{job.id, job.attempt, serving});
  return events;
}

}  // namespace

void resize(Service& service, const Call& call, const ResizeRequest& request) {
  const Cluster& state = service.journal.newest();
  auto meant = resized(state, request);
  if (!meant) return call.refuse(meant.error());
  const Job* job = *meant;
  bool set = request.kind == ResizeRequest::Kind::Set;
  if (!job->spec().elastic)
    return call.refuse(fail(Code::Conflict, named(job->id) + ": Job is not resizable (bsub -ar)"));
  if (is_over(job->state))
    return call.refuse(fail(Code::Conflict, named(job->id) + ": Job has already finished"));
  if (job->tasks.empty() && !set)
    return call.refuse(fail(Code::Conflict, named(job->id) + ": Job has not started yet"));
  auto cap = new_cap(*job, request);
  if (!cap) return call.refuse(cap.error());
  ResizeReply reply{*cap};
  Proposal proposal;
  CapChanged change{job->id, *cap, false, call.caller().user, ""};
  change.none = set && *cap == 0;
  proposal.events = resize_events(*job, change, request.serving);
  bool runs = job->state != JobState::Pending && job->state != JobState::Held;
  if (change.none && runs && !job->waits.preempted) {
    auto until = service.env.clock.wall() + leave_grace_of(state, *job);
    Preempted wish{{}, until, true, "no task wanted by " + call.caller().user, false};
    proposal.events.push_back(JobPreempted{job->id, job->attempt, wish});
  }
  service.answers.commit_all(call, request.request_key, std::move(proposal), reply);
}

namespace {

constexpr std::uint32_t kMostPeeked = 1u << 18;

// Read off the loop.
void peek_script(Service& service, const Call& call, const ClientPeek& request) {
  const Job* job = job_or_base(service.journal.published(), request.job);
  if (!job) return call.refuse(fail(Code::NotFound, named(request.job) + " is not found"));
  const Program& program = job->spec().program;
  auto text = std::make_shared<Result<std::string>>(program.command + "\n");
  auto read = [&store = service.env.store, hash = program.script_hash, text] {
    if (!hash.empty()) *text = store.blob(hash);
  };
  service.env.workers.answer(read, [call, text, from = request.offset] {
    if (!*text) return call.refuse(text->error());
    auto begin = std::min<std::uint64_t>(from, (*text)->size());
    call.reply(ClientPeekReply{(*text)->substr(begin, kMostPeeked), false});
  });
}

}  // namespace

void peek(Service& service, const Call& call, const ClientPeek& request) {
  if (request.stream == kScriptStream) return peek_script(service, call, request);
  const Cluster& state = service.journal.published();
  const Job* job = find_job(state, request.job);
  if (!job) return call.refuse(fail(Code::NotFound, named(request.job) + " is not found"));
  if (job->tasks.empty())
    return call.refuse(fail(Code::Conflict, named(request.job) + " : Not yet started."));
  auto number = request.task ? request.task : writer_of(*job);
  const Task* task = find_task(*job, number);
  if (!task)
    return call.refuse(
        fail(Code::NotFound, named(request.job) + ": no task " + std::to_string(number.value)));
  bool running = task->holds_slot();
  PeekRequest to_host{
      0, job->id, job->attempt, task->number, request.stream, request.offset, kMostPeeked};
  service.hosts.peek(task->host, to_host, [call, running](Result<std::string> bytes) {
    if (bytes) call.reply(ClientPeekReply{std::move(*bytes), running});
    else call.refuse(bytes.error());
  });
}

void wait(Service& service, const Call& call, const WaitRequest& request) {
  const Cluster& state = service.journal.published();
  const Job* job = job_or_base(state, request.job);
  if (job && service.hides(call, job->spec()))
    return call.refuse(fail(Code::NotFound, named(request.job) + " is not found"));
  service.waiters.add(state, call, request);
}

}  // namespace wm::master::verbs
