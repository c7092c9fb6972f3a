#include "daemons/wmasterd/hosts/adoption.h"

#include <algorithm>
#include <set>

namespace wm::master {
namespace {

const AttemptStatus* status_of(const SaidOf& said) {
  for (const auto& attempt : said.host->attempts)
    if (attempt.job == said.order->job && attempt.attempt == said.order->attempt) return &attempt;
  return nullptr;
}

Error contradicts(const HostOrder& order, const std::string& what) {
  return fail(Code::Conflict, "job " + to_string(order.job) + ": " + what);
}

/// What its host has of a task: it runs there, or its end is to be told yet.
const TaskStatus* find_status(const AttemptStatus& attempt, TaskNumber task) {
  auto at = std::ranges::find(attempt.tasks, task, &TaskStatus::task);
  return at == attempt.tasks.end() ? nullptr : &*at;
}

Result<void> add_tasks(const Cluster& state, const SaidOf& said, std::vector<Task>& tasks,
                       std::vector<EventBody>& starts) {
  const auto& order = *said.order;
  const Host* host = find_host(state, said.host->name);
  const AttemptStatus* attempt = status_of(said);
  if (!host || !attempt) return contradicts(order, "host " + said.host->name + " is not known");
  for (const auto& ordered : order.tasks) {
    const TaskStatus* status = find_status(*attempt, ordered.task);
    if (ordered.has_process && !status) continue;  // it has ended, and that was told
    if (ordered.has_process && status->pid == 0)
      return contradicts(order, "a task of it has not begun yet");
    Task task;
    task.number = ordered.task;
    task.host = host->id;
    task.gpus = ordered.gpus;
    task.has_process = ordered.has_process;
    tasks.push_back(std::move(task));
    if (ordered.has_process)
      starts.emplace_back(TaskStarted{order.job, order.attempt, ordered.task, status->pid, 0});
  }
  return {};
}

std::shared_ptr<const SealedSpec> sealed_of(const HostOrder& order) {
  SealedSpec sealed{
      order.resolved, order.sealed.spec, order.sealed.credential, order.sealed.request_key, {}};
  sealed.spec.rerunnable = false;
  sealed.spec.requeue_exits = {};
  return std::make_shared<const SealedSpec>(std::move(sealed));
}

}  // namespace

bool is_lost(const Cluster& state, JobId job) {
  return job.job > state.lost.after && job.job <= state.lost.to && !state.jobs.find(job.job);
}

std::vector<AttemptStatus> lost_attempts(const Cluster& state, const HostRegister& words) {
  std::vector<AttemptStatus> lost;
  for (const auto& attempt : words.attempts)
    if (is_lost(state, attempt.job)) lost.push_back(attempt);
  return lost;
}

Result<void> check_adoptable(const HostOrder& order) {
  const JobSpec& spec = order.resolved;
  if (!spec.array.empty() || order.job.index != 0)
    return contradicts(order, "an element, of whose array nothing is known");
  if (spec.elastic || spec.open || order.control.relaunches != 0)
    return contradicts(order, "an elastic job, of whose membership nothing is known");
  if (order.control.end || order.control.preempt) return contradicts(order, "it is ending");
  return {};
}

bool are_all_hosts(std::span<const SaidOf> said) {
  std::uint32_t wanted = 1;
  for (const auto& one : said) wanted = std::max(wanted, host_count(one.order->hosts));
  return said.size() >= wanted;
}

Result<std::vector<EventBody>> adoption_of(const Cluster& state, std::span<const SaidOf> said) {
  const auto& first = *said.front().order;
  std::vector<Task> tasks;
  std::vector<EventBody> starts;
  std::uint64_t generation = 1;
  std::uint32_t port = 0;
  for (const auto& one : said) {
    const auto& order = *one.order;
    WM_TRY(check_adoptable(order));
    if (order.attempt != first.attempt || order.sealed.spec != first.sealed.spec ||
        order.key != first.key)
      return contradicts(order, "hosts do not say the same of it");
    WM_TRY(add_tasks(state, one, tasks, starts));
    generation = std::max(generation, order.generation);
    if (order.team.port != 0) port = order.team.port;
  }
  if (tasks.empty()) return contradicts(first, "no task of it is left");
  std::ranges::sort(tasks, {}, &Task::number);
  std::vector<EventBody> events;
  events.emplace_back(JobSubmitted{first.job, sealed_of(first), first.submitted});
  events.emplace_back(
      JobDispatched{first.job, first.attempt, std::move(tasks), first.key, 0, port, generation});
  for (auto& start : starts) events.push_back(std::move(start));
  if (first.control.suspend) events.emplace_back(JobSuspended{first.job, "wm"});
  return events;
}

}  // namespace wm::master
