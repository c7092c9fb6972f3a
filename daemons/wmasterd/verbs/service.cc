#include "daemons/wmasterd/verbs/service.h"

namespace wm::master {

Walked each_permitted(const Service& service, const Call& call, const JobSelection& selection,
                      OutcomeReply& reply, const std::function<void(const Job&, JobId)>& visit) {
  auto judge = [&](const Job& job, JobId id) {
    if (service.permits(call, job.spec())) return visit(job, id);
    reply.jobs.push_back({id, code_of(Code::Denied), named(id) + ": User permission denied"});
  };
  return each_to_change(service.journal.newest(), selection, call.caller().user, judge);
}

}  // namespace wm::master
