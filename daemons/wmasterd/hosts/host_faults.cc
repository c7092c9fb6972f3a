#include "daemons/wmasterd/hosts/host_faults.h"

#include <algorithm>

#include "libwm/base/log.h"
#include "libwm/fsm/fault.h"
#include "libwm/fsm/fsm.h"

namespace wm::master {

// Its end may have been told without, when the host was silent.
std::vector<EventBody> events_of_delivery(const Cluster& state, const FactDelivered& f) {
  const Job* job = find_job(state, f.job);
  if (!job || job->attempt != f.attempt || !job->outcome.delivers_on) return {};
  return {JobDelivered{f.job, f.attempt, f.text}};
}

std::vector<EventBody> undelivered(const Cluster& state, HostId host, const HostRegister& words) {
  std::vector<EventBody> events;
  for (auto id : *state.indexes.delivering) {
    const Job* job = find_job(state, id);
    bool known = std::any_of(words.attempts.begin(), words.attempts.end(), [&](const auto& a) {
      return a.job == id && a.attempt == job->attempt;
    });
    if (job->outcome.delivers_on != host || known) continue;
    events.push_back(JobDelivered{id, job->attempt,
                                  "whether its report is written is not known: " + words.name +
                                      " knows nothing of it any more"});
  }
  return events;
}

std::vector<EventBody> events_of_probe(const Cluster& state, HostId id) {
  const Host* host = state.hosts.find(id.value);
  if (!host || !host->closed || !host->faults.closed) return {};
  return {HostOpened{id, "wm"}};
}

void warn_of_faults(const Cluster& state, HostId id, const FactEnded& f) {
  const Host* host = state.hosts.find(id.value);
  if (fsm::cause_of(f.term).again != fsm::Again::Elsewhere || !host) return;
  if (!fsm::is_at_fault(state, *host)) return;
  log::error("host_at_fault",
             {{"host", host->name},
              {"jobs", host->faults.in_row},
              {"why", f.text},
              {"remedy", "look after it; a tenth of the hosts is closed for such faults already"}});
}

}  // namespace wm::master
