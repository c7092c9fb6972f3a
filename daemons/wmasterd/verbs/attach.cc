// Where a job's owner comes in: battach and bsub -I ask until the agent has a door.
#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {
namespace {

bool is_waiting(const Job& job) {
  return job.state == JobState::Pending || job.state == JobState::Held;
}

/// The newest attempt is over; an agent may still keep what its console said.
bool has_ended(const Job& job) {
  return (is_over(job.state) || is_waiting(job)) && !job.tasks.empty();
}

/// Why there is nothing to come in to.
Error closed(const Job& job) {
  bool over = is_over(job.state);
  return fail(Code::Conflict,
              named(job.id) + (over ? ": Job has already finished" : ": Job has not started yet"));
}

/// The first task that holds a slot, or the one with this number.
const Task* wanted_task(const Job& job, TaskNumber number) {
  if (number) return find_task(job, number);
  for (const auto& task : job.tasks)
    if (task.holds_slot() || has_ended(job)) return &task;
  return nullptr;
}

std::string host_name(const Cluster& state, HostId id) {
  const Host* host = state.hosts.find(id.value);
  return host ? host->name : "";
}

/// The console of an attempt before the newest.
Result<AttachReply> ended_console(const Cluster& state, const Job& job, Attempt attempt) {
  for (const auto& console : job.membership.consoles)
    if (console.attempt == attempt)
      return AttachReply{console.door, host_name(state, console.host), console.task, 0};
  return fail(Code::Conflict,
              named(job.id) + ": nothing is kept of attempt " + std::to_string(attempt.value));
}

/// The door of a task of the newest attempt; empty: its agent is not up yet.
Result<AttachReply> current_door(const Cluster& state, const Job& job,
                                 const AttachRequest& request) {
  bool console = request.attempt && job.spec().console.streams != Streams::Files;
  bool runs = !is_over(job.state) && !is_waiting(job);
  if (!runs && (!console || !has_ended(job))) return closed(job);
  const Task* task = wanted_task(job, request.task);
  if (!task || (runs && !task->holds_slot()))
    return fail(Code::NotFound, named(job.id) + ": no task " + std::to_string(request.task.value));
  auto door = job.membership.doors.find(task->host);
  std::string address = door == job.membership.doors.end() ? "" : door->second.owner;
  auto host = host_name(state, task->host);
  // It ran, so that the owner is told that what it said is lost.
  if (!runs && address.empty())
    return fail(Code::NotFound, named(job.id) + ": host <" + host + "> holds none of its output");
  return AttachReply{address, host, task->number, task->pid};
}

}  // namespace

void attach(Service& service, const Call& call, const AttachRequest& request) {
  const Cluster& state = service.journal.published();
  const Job* job = find_job(state, request.job);
  if (!job) return call.refuse(fail(Code::NotFound, named(request.job) + " is not found"));
  bool earlier = request.attempt && request.attempt.value < job->attempt.value;
  auto reply =
      earlier ? ended_console(state, *job, request.attempt) : current_door(state, *job, request);
  if (!reply) return call.refuse(reply.error());
  if (reply->door.empty())
    service.hosts.ordering().want_agent(*job, find_task(*job, reply->task)->host);
  call.reply(*reply);
}

}  // namespace wm::master::verbs
