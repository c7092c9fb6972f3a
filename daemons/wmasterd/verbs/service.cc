#include "daemons/wmasterd/verbs/service.h"

#include "daemons/wmasterd/verbs/record.h"

namespace wm::master {

Walked each_permitted(const Service& service, const Call& call, const JobSelection& selection,
                      OutcomeReply& reply, const std::function<void(const Job&, JobId)>& visit) {
  std::vector<JobId> others, hidden;
  auto judge = [&](const Job& job, JobId id) {
    if (service.permits(call, job.spec())) {
      if (!service.roles(call, job.spec()).owner) others.push_back(id);
      return visit(job, id);
    }
    if (service.hides(call, job.spec())) return hidden.push_back(id);
    reply.jobs.push_back({id, code_of(Code::Denied), named(id) + ": User permission denied"});
  };
  auto walked = each_to_change(service.journal.newest(), selection, call.caller().user, judge);
  record_as_admin(service, call, others);
  for (JobId id : hidden) count_as_missing(id, selection, walked.missing);
  return walked;
}

}  // namespace wm::master
