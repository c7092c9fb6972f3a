// Verbs about jobs: kill, hold and release, resize, list, history, output.
#include <signal.h>

#include <algorithm>
#include <set>

#include "daemons/wmasterd/verbs/call.h"
#include "daemons/wmasterd/verbs/clients.h"
#include "daemons/wmasterd/verbs/portion.h"
#include "daemons/wmasterd/verbs/privacy.h"
#include "daemons/wmasterd/verbs/views.h"

namespace wm::master {
namespace {

constexpr Duration kBehind = std::chrono::milliseconds(20);
constexpr Duration kPatience = std::chrono::seconds(20);  // with accounting that is behind

std::uint8_t code_of(Code code) { return static_cast<std::uint8_t>(code); }

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

// What a release or request of bresize makes of the job's cap.
Result<std::uint32_t> new_cap(const Job& job, const ResizeRequest& request) {
  using Kind = ResizeRequest::Kind;
  auto now = tasks_wanted(job);
  const auto& spec = job.spec();
  if (request.kind == Kind::Cancel) return now;
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

void Clients::kill(Call call, const KillRequest& request) {
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
    if (!may_touch(call.caller(), job)) return refuse(id, Code::Denied, ": User permission denied");
    if (is_over(state_of(job, id))) return refuse(id, Code::Conflict, ": Job has already finished");
    if (request.signal != 0 && (has_processes(job) || !ends_what_waits(request.signal))) {
      if (!has_processes(job)) return refuse(id, Code::Conflict, ": Job has not started yet");
      if (!hears(c_.hosts, job))
        return refuse(id, Code::Unavailable, ": a host of the job does not answer at the moment");
      signalled.push_back(job.id);
      return reply.jobs.push_back({id, 0, named(id) + " is being signaled"});
    }
    bool whole = job.id != id && is_whole_range(selection, job);
    if (whole && !bases.insert(id.job).second) return;
    JobId target = whole ? job.id : id;
    auto wish = wish_for(call.caller(), job, request, c_.world.wall());
    proposal.events.push_back(KillRequested{target, wish});
    ended.push_back(reply.jobs.size());
    reply.jobs.push_back({target, 0, named(target) + " is being terminated"});
  };
  auto walked = each_to_change(c_.journal.newest(), selection, call.caller().user, end);
  Answer<OutcomeReply> answer = [=](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < results.size(); ++i) {
      JobOutcome& outcome = reply.jobs[ended[i]];
      outcome = outcome_of(outcome.job, results[i], outcome.text);
    }
    finish(reply, walked);
    return reply;
  };
  commit(call, request.request_key, std::move(proposal), answer,
         [this, signalled, signal = request.signal] {
           for (auto id : signalled)
             if (const Job* job = find_job(c_.journal.published(), id))
               c_.hosts.signal(*job, signal);
         });
}

// The attempt makes way for nobody: its job may start again at once.
void Clients::requeue(Call call, const RequeueRequest& request) {
  OutcomeReply reply;
  Proposal proposal;
  std::vector<JobId> ids;
  auto until = c_.world.wall() + c_.journal.newest().config->cluster.times.kill_grace;
  auto end = [&](const Job& job, JobId id) {
    auto refuse = [&](Code code, const char* why) {
      reply.jobs.push_back({id, code_of(code), named(id) + why});
    };
    auto state = state_of(job, id);
    if (!may_touch(call.caller(), job)) return refuse(Code::Denied, ": User permission denied");
    if (is_over(state)) return refuse(Code::Conflict, ": Job has already finished");
    if (state == JobState::Pending || state == JobState::Held || job.preempted)
      return refuse(Code::Conflict, ": Job has not started yet");
    Preempted wish{{}, until, true, "requeued by user " + call.caller().user};
    ids.push_back(id);
    proposal.events.push_back(JobPreempted{id, job.attempt, wish});
  };
  auto walked = each_to_change(c_.journal.newest(), request.jobs, call.caller().user, end);
  Answer<OutcomeReply> answer = [=](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < results.size(); ++i)
      reply.jobs.push_back(outcome_of(ids[i], results[i], named(ids[i]) + " is being requeued"));
    finish(reply, walked);
    return reply;
  };
  commit(call, request.request_key, std::move(proposal), answer);
}

void Clients::release(Call call, const ReleaseRequest& request) {
  OutcomeReply reply;
  Proposal proposal;
  std::vector<JobId> ids;
  auto walked = each_to_change(
      c_.journal.newest(), request.jobs, call.caller().user, [&](const Job& job, JobId id) {
        if (!may_touch(call.caller(), job))
          return reply.jobs.push_back(
              {id, code_of(Code::Denied), named(id) + ": User permission denied"});
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
  commit(call, request.request_key, std::move(proposal), answer);
}

void Clients::resize(Call call, const ResizeRequest& request) {
  const Cluster& state = c_.journal.newest();
  const Job* job = find_job(state, request.job);
  if (!job)
    return call.refuse(fail(Code::NotFound, named(request.job) + ": No matching job found"));
  if (!may_touch(call.caller(), *job))
    return call.refuse(fail(Code::Denied, named(request.job) + ": User permission denied"));
  if (!job->spec().elastic)
    return call.refuse(
        fail(Code::Conflict, named(request.job) + ": Job is not resizable (bsub -ar)"));
  if (is_over(job->state))
    return call.refuse(fail(Code::Conflict, named(request.job) + ": Job has already finished"));
  if (job->tasks.empty())
    return call.refuse(fail(Code::Conflict, named(request.job) + ": Job has not started yet"));
  auto cap = new_cap(*job, request);
  if (!cap) return call.refuse(cap.error());
  ResizeReply reply{*cap};
  Proposal proposal;
  proposal.events = {
      CapChanged{request.job, *cap, false, call.caller().user, request.notify_command}};
  commit_all(call, request.request_key, std::move(proposal), reply);
}

Seen Clients::seen() const {
  return {c_.journal.published_ptr(), c_.cycle.reasons(), c_.hosts.standings(),
          c_.hosts.progress()};
}

void Clients::jobs(Call call, const JobsRequest& request) {
  answer(call, [seen = seen(), request, caller = call.caller(), info = info_for(call.caller())] {
    JobsReply reply;
    Portion portion;
    auto visit = [&](const Job& job, JobId id) {
      auto view = view_of(seen, job, id);
      if (!portion.takes_value(view)) return false;
      reply.jobs.push_back(std::move(view));
      return true;
    };
    auto walked = each_selected(*seen.state, request.jobs, caller.user, visit);
    reply.missing = std::move(walked.missing);
    reply.rest = std::move(walked.rest);
    hide(reply, request.jobs, [&](const JobView& view) {
      const JobSpec& spec = view.job->spec();
      return info(spec.owner.uid == caller.uid, spec.queue);
    });
    return reply;
  });
}

// Rows of what has just happened may still be on their way: then it is asked again.
template <class Reply>
void Clients::read_acct(const Call& call, const AcctReading<Reply>& read, AcctRequest request,
                        TimePoint until) {
  if (!read) return call.refuse(fail(Code::Unavailable, "this master keeps no accounting"));
  auto result = std::make_shared<Result<std::string>>(std::string());
  if (request.jobs.user.empty()) request.jobs.user = call.caller().user;
  auto done = [this, call, read, request, until, result] {
    bool behind = !*result && result->error().code == Code::Timeout && c_.world.mono() < until;
    if (!behind) return call.send(std::move(*result));
    c_.world.after(kBehind, [=, this] { read_acct(call, read, request, until); });
  };
  c_.world.answer(
      [result, read, request, user = call.caller().user, info = info_for(call.caller())] {
        auto reply = read(request);
        if (reply)
          hide(*reply, request.jobs,
               [&](const auto& job) { return info(job.user == user, job.queue); });
        *result = reply ? Call::encoded(*reply) : reply.error();
      },
      done);
}

void Clients::history(Call call, const AcctRequest& request) {
  read_acct(call, c_.history, request, c_.world.mono() + kPatience);
}

void Clients::account(Call call, const AcctRequest& request) {
  read_acct(call, c_.account, request, c_.world.mono() + kPatience);
}

void Clients::peek(Call call, const ClientPeek& request) {
  const Cluster& state = c_.journal.published();
  const Job* job = find_job(state, request.job);
  if (!job) return call.refuse(fail(Code::NotFound, named(request.job) + " is not found"));
  if (!may_touch(call.caller(), *job))
    return call.refuse(fail(Code::Denied, named(request.job) + ": User permission denied"));
  if (job->tasks.empty())
    return call.refuse(fail(Code::Conflict, named(request.job) + " : Not yet started."));
  auto number = request.task ? request.task : writer_of(*job);
  const Task* task = find_task(*job, number);
  if (!task)
    return call.refuse(
        fail(Code::NotFound, named(request.job) + ": no task " + std::to_string(number.value)));
  bool running = task->holds_slot();
  PeekRequest to_host{0,       job->id, job->attempt, task->number, request.stream, request.offset,
                      1u << 18};
  c_.hosts.peek(task->host, to_host, [call, running](Result<std::string> bytes) {
    if (bytes) call.reply(ClientPeekReply{std::move(*bytes), running});
    else call.refuse(bytes.error());
  });
}

}  // namespace wm::master
