// Where a job's owner comes in: battach and bsub -I ask until the agent has a door.
#include "daemons/wmasterd/call.h"
#include "daemons/wmasterd/clients.h"

namespace wm::master {
namespace {

/// The first task that holds a slot, or the one with this number.
const Task* wanted_task(const Job& job, TaskNumber number) {
  if (number) return find_task(job, number);
  for (const auto& task : job.tasks)
    if (task.holds_slot() || is_over(job.state)) return &task;
  return nullptr;
}

}  // namespace

void Clients::attach(Call call, const AttachRequest& request) {
  const Cluster& state = c_.journal.published();
  const Job* job = find_job(state, request.job);
  if (!job) return call.refuse(fail(Code::NotFound, named(request.job) + " is not found"));
  // Not even an administrator: a session in the job acts as its owner.
  if (job->spec().owner.uid != call.caller().uid)
    return call.refuse(fail(Code::Denied, named(request.job) + ": User permission denied"));
  // An interactive job may be over before its console was read: the agent still keeps it.
  bool readable = job->spec().streams != Streams::Files && !job->membership.doors.empty();
  if (is_over(job->state) && !readable)
    return call.refuse(fail(Code::Conflict, named(request.job) + ": Job has already finished"));
  if (job->tasks.empty())
    return call.refuse(fail(Code::Conflict, named(request.job) + ": Job has not started yet"));
  const Task* task = wanted_task(*job, request.task);
  if (!task || (!task->holds_slot() && !is_over(job->state)))
    return call.refuse(fail(
        Code::NotFound, named(request.job) + ": no task " + std::to_string(request.task.value)));
  AttachReply reply{"", "", task->number, task->pid};
  if (const Host* host = state.hosts.find(task->host.value)) reply.host = host->name;
  auto doors = job->membership.doors.find(task->host);
  if (doors != job->membership.doors.end()) reply.door = doors->second.owner;
  if (reply.door.empty()) c_.hosts.want_agent(*job, task->host);
  call.reply(reply);
}

}  // namespace wm::master
