#include "daemons/wmasterd/hosts/reconcile.h"

#include <algorithm>

#include "daemons/wmasterd/hosts/fence.h"
#include "daemons/wmasterd/hosts/host_faults.h"
#include "libwm/fsm/part.h"

namespace wm::master {
namespace {

bool reported(const HostRegister& words, const Job& job, TaskNumber task, std::int32_t* pid) {
  for (const auto& attempt : words.attempts) {
    if (attempt.job != job.id || attempt.attempt != job.attempt) continue;
    for (const auto& status : attempt.tasks) {
      if (status.task != task) continue;
      *pid = status.pid;
      return true;
    }
  }
  return false;
}

bool knows_attempt(const HostRegister& words, const Job& job) {
  return std::any_of(words.attempts.begin(), words.attempts.end(), [&](const auto& attempt) {
    return attempt.job == job.id && attempt.attempt == job.attempt;
  });
}

}  // namespace

std::vector<EventBody> reconcile(const Cluster& state, HostId host, const HostRegister& words) {
  std::vector<EventBody> events;
  const Host* known = state.hosts.find(host.value);
  bool rebooted = known && known->boot != words.boot;
  each_job_on(state, host, [&](const Job& job) {
    for (const auto& task : job.tasks) {
      if (task.host != host || !task.holds_slot()) continue;
      if (!task.has_process && !fsm::is_part(job, task)) continue;
      std::int32_t pid = 0;
      if (!task.has_process && knows_attempt(words, job)) continue;
      if (reported(words, job, task.number, &pid)) {
        if (pid && !task.pid) events.push_back(TaskStarted{job.id, job.attempt, task.number, pid});
      } else if (task.pid || rebooted || !task.has_process) {
        Term term = rebooted ? Term::HostLost : Term::ShepherdLost;
        events.push_back(TaskEnded{job.id,
                                   job.attempt,
                                   task.number,
                                   kKilled,
                                   term,
                                   {},
                                   words.name + " knows nothing of it any more"});
      }
    }
    for (const auto& attempt : words.attempts)
      if (attempt.job == job.id && attempt.attempt == job.attempt && !attempt.agent_address.empty())
        events.push_back(
            AgentSeen{job.id, job.attempt, host, attempt.agent_address, attempt.doors});
  });
  for (auto& event : undelivered(state, host, words)) events.push_back(std::move(event));
  return events;
}

}  // namespace wm::master
