#include "daemons/wmasterd/verbs/record.h"

#include <utility>

#include "daemons/wmasterd/verbs/table.h"

namespace wm::master {

void record(const Service& service, const Call& call, Act act) {
  if (!service.audit.keep) return;
  AuditEntry entry;
  entry.at = service.env.clock.wall();
  entry.by = call.caller().user;
  entry.act = std::move(act.act);
  entry.objects = std::move(act.objects);
  entry.why = std::move(act.why);
  entry.outcome = std::move(act.outcome);
  service.audit.keep(std::move(entry));
}

void record_as_admin(const Service& service, const Call& call, const std::vector<JobId>& jobs) {
  constexpr std::size_t kMost = 100;  // an array of many thousands is one act
  if (jobs.empty() || !service.audit.keep) return;
  const VerbRow* row = find_verb(static_cast<std::uint16_t>(call.verb()));
  Act act{std::string(row ? row->name : "?"), {}, "jobs of other users", ""};
  for (std::size_t i = 0; i < jobs.size() && i < kMost; ++i)
    act.objects.push_back("job " + to_string(jobs[i]));
  if (jobs.size() > kMost)
    act.objects.push_back("and " + std::to_string(jobs.size() - kMost) + " more");
  record(service, call, std::move(act));
}

}  // namespace wm::master
