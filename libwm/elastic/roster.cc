// Bookkeeping of facts; no decision is taken here.
#include "libwm/elastic/roster.h"

#include <algorithm>

#include "libwm/elastic/status.h"

namespace wm::elastic {

bool is_same(const Words& a, const Words& b) {
  return a == b || (a && b && a->index() == b->index() && *a == *b);
}

TaskSet::TaskSet(std::vector<TaskNumber> list) : sorted_(std::move(list)) {
  std::ranges::sort(sorted_);
}

bool TaskSet::has(TaskNumber task) const { return std::ranges::binary_search(sorted_, task); }

void note_order(Roster& roster, const AgentOrder& order, TimePoint now) {
  roster.order = order;
  for (auto& [number, task] : roster.tasks) task.listed = task.leaving = false;
  for (const auto& wanted : order.tasks) {
    Task& task = roster.tasks[wanted.task];
    task.host = wanted.host;
    task.listed = true;
    task.leaving = wanted.leaving;
    roster.agents.try_emplace(wanted.host, AgentSeen{now, false, false});
  }
}

namespace {

/// What was said of the training before counts no more; whether the task is wanted and lives does.
void begin_anew(Task& task, TimePoint now) {
  Task fresh;
  fresh.host = task.host;
  fresh.listed = task.listed;
  fresh.leaving = task.leaving;
  fresh.gone = task.gone;
  fresh.expelled = task.expelled;
  fresh.reported = task.reported;
  fresh.reason = task.reason;
  fresh.still_since = now;
  task = std::move(fresh);
}

}  // namespace

void note_status(Roster& roster, const AgentStatus& status, TimePoint now) {
  auto& agent = roster.agents[status.host];
  agent = {now, true, false};
  for (const auto& worker : status.workers) {
    Task& task = roster.tasks[worker.task];
    task.host = status.host;
    if (worker.epoch > task.status.epoch) task.still_since = now;
    if (worker.trainings > task.status.trainings) begin_anew(task, now);
    merge(task.status, worker);
    roster.trainings = std::max(roster.trainings, worker.trainings);
  }
  for (auto gone : status.gone) note_gone(roster, {gone, "ended"});
  for (auto& [number, task] : roster.tasks) {
    if (task.host == status.host) task.told.reset();
  }
}

void note_words(Roster& roster, HostId host, const WorkerSaid& said, TimePoint now) {
  Task& task = roster.tasks[said.task];
  task.host = host;
  auto* hello = std::get_if<WorkerHello>(&said.words);
  if (hello != nullptr && hello->trainings > task.status.trainings) {
    begin_anew(task, now);
    roster.trainings = std::max(roster.trainings, hello->trainings);
  }
  merge(task.status, said.words);
  if (auto* failed = std::get_if<WorkerConnectFailed>(&said.words)) {
    task.connect_failed = std::max(task.connect_failed, failed->epoch);
  } else if (auto* switched = std::get_if<WorkerSwitched>(&said.words)) {
    if (switched->epoch > task.switched.epoch) task.still_since = now;
    bool older = switched->epoch < task.switched.epoch;
    bool repeat = switched->epoch == task.switched.epoch && task.switched.pause_known;
    if (!older && !repeat) task.switched = *switched;
  } else if (auto* progress = std::get_if<WorkerProgress>(&said.words)) {
    bool moved = progress->step != task.progress.step ||
                 progress->in_collective != task.progress.in_collective;
    if (moved) task.still_since = now;
    task.progress = *progress;
    task.progress_at = now;
  }
}

void note_gone(Roster& roster, const TaskGone& gone) {
  Task& task = roster.tasks[gone.task];
  if (!task.gone && !task.named_at) task.reason = gone.reason;
  task.gone = true;
}

void note_silence(Roster& roster, bool may_drop, TimePoint now) {
  roster.may_drop = may_drop;
  for (auto& [host, agent] : roster.agents) {
    agent.lost = host != roster.self && now - agent.heard > kAgentSilence;
  }
}

bool is_wanted(const Roster& roster, TaskNumber task) {
  const Task& record = find(roster, task);
  return record.listed && !record.leaving;
}

bool is_silent(const Roster& roster, HostId host) {
  auto agent = roster.agents.find(host);
  return agent != roster.agents.end() && agent->second.lost;
}

bool is_lost(const Roster& roster, const Task& task) { return is_silent(roster, task.host); }

bool is_failed(const Roster& roster, TaskNumber number) {
  const Task& task = find(roster, number);
  return task.gone || task.expelled || (roster.may_drop && is_lost(roster, task));
}

bool is_present(const Roster& roster, TaskNumber number) {
  const Task& task = find(roster, number);
  return !task.gone && !task.expelled && !is_lost(roster, task) && !task.status.left &&
         !task.status.done;
}

bool is_newcomer(const Roster& roster, TaskNumber number) {
  const auto& status = find(roster, number).status;
  return is_wanted(roster, number) && is_present(roster, number) &&
         status.trainings == roster.trainings && !status.rendezvous.empty() && !trains(status);
}

bool is_finishing(const Roster& roster) {
  return std::ranges::any_of(roster.tasks, [&](const auto& t) {
    return t.second.status.done && t.second.status.trainings == roster.trainings;
  });
}

const Task& find(const Roster& roster, TaskNumber task) {
  static const Task kUnknown;
  auto at = roster.tasks.find(task);
  return at == roster.tasks.end() ? kUnknown : at->second;
}

std::string describe(const Roster& roster, TaskNumber number) {
  const Task& task = find(roster, number);
  std::string text = "task " + std::to_string(number.value);
  if (task.gone || task.expelled) return text + ": " + task.reason;
  return is_lost(roster, task) ? text + ": its host is silent" : text;
}

}  // namespace wm::elastic
