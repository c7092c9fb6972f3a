#include "daemons/wmasterd/verbs/record.h"

#include <utility>

namespace wm::master {

void record(const Service& service, const Call& call, Act act) {
  if (!service.audit.keep) return;
  AuditEntry entry;
  entry.at = service.world.clock.wall();
  entry.by = call.caller().user;
  entry.act = std::move(act.act);
  entry.objects = std::move(act.objects);
  entry.why = std::move(act.why);
  entry.outcome = std::move(act.outcome);
  service.audit.keep(std::move(entry));
}

}  // namespace wm::master
