// The verbs Post and Notes: messages are left at jobs, and read.
#include "daemons/wmasterd/verbs/selection.h"
#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {

void post(Service& service, const Call& call, const PostRequest& request) {
  const Job* job = job_or_base(service.journal.newest(), request.job);
  if (!job)
    return call.refuse(fail(Code::NotFound, named(request.job) + ": No matching job found"));
  JobNote note = request.note;
  note.by = call.caller().user;
  note.at = service.env.clock.wall();
  PostReply reply{note.index};
  Proposal proposal;
  proposal.events.push_back(JobNoted{request.job, std::move(note)});
  service.answers.commit_all(call, request.request_key, std::move(proposal), reply);
}

void notes(Service& service, const Call& call, const NotesRequest& request) {
  const Job* job = job_or_base(service.journal.published(), request.job);
  if (!job)
    return call.refuse(fail(Code::NotFound, named(request.job) + ": No matching job found"));
  call.reply(NotesReply{job->notes});
}

}  // namespace wm::master::verbs
