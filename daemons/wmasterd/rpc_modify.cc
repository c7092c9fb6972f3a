// Verbs that change what waiting jobs ask for: Switch puts them into another queue.
#include <algorithm>
#include <map>

#include "daemons/wmasterd/admission.h"
#include "daemons/wmasterd/call.h"
#include "daemons/wmasterd/clients.h"
#include "daemons/wmasterd/views.h"

namespace wm::master {
namespace {

std::string named(JobId id) { return "Job <" + to_string(id) + ">"; }

// A job, an element named by itself, or an array as a whole.
struct Target {
  const Job* job = nullptr;
  bool waits = false;  // it, or an element of it
  bool over = true;    // all of it
};

std::map<JobId, Target> targets_of(const Cluster& state, const JobSelection& selection,
                                   const std::string& caller) {
  std::map<JobId, Target> targets;
  const auto& ids = selection.ids;
  each_selected(state, selection, caller, [&](const Job& job, JobId id) {
    bool by_itself = std::find(ids.begin(), ids.end(), id) != ids.end();
    Target& target = targets[by_itself ? id : JobId{id.job, 0}];
    JobState at = state_of(job, id);
    target.job = by_itself ? &job : state.jobs.find(id.job);
    target.waits = target.waits || at == JobState::Pending || at == JobState::Held;
    target.over = target.over && is_over(at);
  });
  return targets;
}

std::shared_ptr<const SealedSpec> sealed_as(const SealedSpec& before, Admitted made) {
  return std::make_shared<const SealedSpec>(SealedSpec{std::move(made.spec), before.bytes,
                                                       before.credential, before.request_key,
                                                       std::move(made.alternatives)});
}

Result<JobModified> switched(const Cluster& state, JobId id, const Target& target,
                             const SwitchRequest& request, const Identity& by, WallTime now) {
  if (target.over) return fail(Code::Conflict, "Job has already finished");
  if (!target.waits) return fail(Code::Conflict, "Job has already started");
  WM_TRY(auto made, admit_to_queue(state, *target.job, request.queue, now));
  return JobModified{id, sealed_as(*target.job->sealed, std::move(made)), by.user};
}

JobOutcome outcome(JobId id, const Result<void>& done, const std::string& text) {
  if (done) return {id, 0, named(id) + " " + text};
  auto why = done.error().text;
  bool complete = why.starts_with("Job <");
  return {id, static_cast<std::uint8_t>(done.error().code),
          complete ? why : named(id) + ": " + why};
}

}  // namespace

void Clients::switch_queue(Call call, const SwitchRequest& request) {
  const Cluster& state = c_.journal.newest();
  if (!state.config->queue(request.queue))
    return call.refuse(fail(Code::NotFound, request.queue + ": No such queue"));
  OutcomeReply reply;
  auto add = [&, text = "is switched to queue <" + request.queue + ">"](JobId id,
                                                                        const Result<void>& done) {
    reply.jobs.push_back(outcome(id, done, text));
  };
  for (JobId id : missing_ids(state, request.jobs))
    add(id, fail(Code::NotFound, "No matching job found"));
  Proposal proposal;
  std::vector<JobId> ids;
  for (const auto& [id, target] : targets_of(state, request.jobs, call.caller().user)) {
    Result<JobModified> event = fail(Code::Denied, "User permission denied");
    if (may_touch(call.caller(), *target.job))
      event = switched(state, id, target, request, call.caller(), c_.world.wall());
    if (!event) {
      add(id, event.error());
      continue;
    }
    ids.push_back(id);
    proposal.events.push_back(std::move(*event));
  }
  auto results = c_.journal.propose(std::move(proposal));
  for (std::size_t i = 0; i < results.size(); ++i) add(ids[i], results[i]);
  std::sort(reply.jobs.begin(), reply.jobs.end(),
            [](const JobOutcome& a, const JobOutcome& b) { return a.job < b.job; });
  commit(call, request.request_key, reply, {});  // the same group: nothing is flushed in between
}

}  // namespace wm::master
