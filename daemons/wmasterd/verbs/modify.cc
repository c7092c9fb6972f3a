// Verbs that change what jobs ask for: of those that wait, Switch puts them into another queue and
// Modify has what their owner signed anew; Limit gives any that is not over another run limit.
#include <algorithm>
#include <map>

#include "daemons/wmasterd/verbs/admission.h"
#include "daemons/wmasterd/verbs/record.h"
#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {
namespace {

// A job, an element named by itself, or an array as a whole.
struct Target {
  const Job* job = nullptr;
  bool waits = false;  // it, or an element of it
  bool over = true;    // all of it
};

using Targets = std::map<JobId, Target>;

Walked find_targets(const Cluster& state, const JobSelection& selection, const std::string& caller,
                    Targets& targets) {
  const auto& ids = selection.ids;
  return each_to_change(state, selection, caller, [&](const Job& job, JobId id) {
    bool by_itself = std::find(ids.begin(), ids.end(), id) != ids.end();
    Target& target = targets[by_itself ? id : JobId{id.job, 0}];
    JobState at = state_of(job, id);
    target.job = by_itself ? &job : state.jobs.find(id.job);
    target.waits = target.waits || at == JobState::Pending || at == JobState::Held;
    target.over = target.over && is_over(at);
  });
}

Error disk_full() {
  return fail(Code::Store, "the master's disk is full: no changes until there is room");
}

std::shared_ptr<const SealedSpec> sealed_as(const SealedSpec& before, Admitted made) {
  return std::make_shared<const SealedSpec>(SealedSpec{std::move(made.spec), before.bytes,
                                                       before.credential, before.request_key,
                                                       std::move(made.alternatives)});
}

// @source LSF bmod
std::string being_changed(JobId id) {
  return "Parameters of job <" + to_string(id) + "> are being changed";
}

Result<const Job*> job_named(const Cluster& state, JobId id) {
  const Job* job = job_or_base(state, id);
  if (job) return job;
  return fail(Code::NotFound, named(id) + ": No matching job found");
}

/// What a job asks for from now on; whether it, or an element of it, waits.
using MakeAnew = std::function<Result<Admitted>(const Job&, bool waits)>;
using SayDone = std::function<std::string(JobId)>;

void change_each(Service& service, const Call& call, const std::string& request_key,
                 const JobSelection& jobs, const MakeAnew& make, const SayDone& done) {
  const Cluster& state = service.journal.newest();
  if (service.world.store.low_space()) return call.refuse(disk_full());
  OutcomeReply reply;
  auto add = [&](JobId id, const Result<void>& result) {
    reply.jobs.push_back(outcome_of(id, result, done(id)));
  };
  Targets targets;
  auto walked = find_targets(state, jobs, call.caller().user, targets);
  for (JobId id : walked.missing) add(id, fail(Code::NotFound, "No matching job found"));
  for (JobId id : walked.over) add(id, fail(Code::Conflict, "Job has already finished"));
  std::vector<JobId> others;
  auto event = [&](JobId id, const Target& target) -> Result<JobModified> {
    if (!service.permits(call, target.job->spec()))
      return fail(Code::Denied, "User permission denied");
    if (!service.roles(call, target.job->spec()).owner) others.push_back(id);
    if (target.over) return fail(Code::Conflict, "Job has already finished");
    WM_TRY(auto made, make(*target.job, target.waits));
    const SealedSpec& before = *target.job->sealed;
    auto what = change_words(before.spec, made.spec);
    return JobModified{id, sealed_as(before, std::move(made)), call.caller().user, what};
  };
  Proposal proposal;
  std::vector<JobId> ids;
  for (const auto& [id, target] : targets) {
    auto made = event(id, target);
    if (!made) {
      add(id, made.error());
      continue;
    }
    ids.push_back(id);
    proposal.events.push_back(std::move(*made));
  }
  record_as_admin(service, call, others);
  reply.rest = std::move(walked.rest);
  Answer<OutcomeReply> answer = [=](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < results.size(); ++i)
      reply.jobs.push_back(outcome_of(ids[i], results[i], done(ids[i])));
    std::sort(reply.jobs.begin(), reply.jobs.end(),
              [](const JobOutcome& a, const JobOutcome& b) { return a.job < b.job; });
    return reply;
  };
  service.answers.commit(call, request_key, std::move(proposal), answer);
}

void change(Service& service, const Call& call, const ModifyRequest& request, JobSpec spec) {
  const Cluster& state = service.journal.newest();
  auto event = [&]() -> Result<JobModified> {
    WM_TRY(const Job* job, job_named(state, request.job));
    if (job->revision != request.revision)
      return fail(Code::Conflict, named(request.job) + ": was changed meanwhile; look at it again");
    bool started = slots_held(*job) > 0;
    WM_TRY(auto made, started
                          ? admit_live_change(*job, spec)
                          : admit_change(state, *job, std::move(spec), service.world.clock.wall()));
    auto what = change_words(job->sealed->spec, made.spec);
    SealedSpec as_signed{{}, request.spec, request.credential, request.request_key, {}};
    return JobModified{request.job, sealed_as(as_signed, std::move(made)), call.caller().user,
                       std::move(what)};
  }();
  if (!event) return service.answers.refuse(call, request.request_key, event.error());
  Proposal proposal;
  proposal.events = {std::move(*event)};
  JobOutcome outcome{request.job, 0, being_changed(request.job)};
  service.answers.commit_all(call, request.request_key, std::move(proposal),
                             OutcomeReply{{outcome}});
}

}  // namespace

void switch_queue(Service& service, const Call& call, const SwitchRequest& request) {
  const Cluster& state = service.journal.newest();
  if (!state.config->queue(request.queue))
    return call.refuse(fail(Code::NotFound, request.queue + ": No such queue"));
  auto make = [&](const Job& job, bool waits) -> Result<Admitted> {
    if (!waits) return fail(Code::Conflict, "Job has already started");
    return admit_to_queue(state, job, request.queue, service.world.clock.wall());
  };
  auto done = [&](JobId id) { return named(id) + " is switched to queue <" + request.queue + ">"; };
  change_each(service, call, request.request_key, request.jobs, make, done);
}

void limit_run(Service& service, const Call& call, const LimitRequest& request) {
  if (request.limit < Duration{})
    return call.refuse(fail(Code::BadArgument, "a run limit below 0"));
  auto make = [&](const Job& job, bool) {
    return admit_limit(service.journal.newest(), job, request.limit,
                       is_admin_of(service.roles(call, job.spec())));
  };
  change_each(service, call, request.request_key, request.jobs, make, being_changed);
}

void spec(Service& service, const Call& call, const SpecRequest& request) {
  auto job = job_named(service.journal.newest(), request.job);
  if (!job) return call.refuse(job.error());
  call.reply(SpecReply{(*job)->sealed->bytes, (*job)->revision});
}

void modify(Service& service, const Call& call, const ModifyRequest& request) {
  auto spec = codec::decode<JobSpec>(request.spec);
  if (!spec) return call.refuse(spec.error());
  if (service.world.store.low_space()) return call.refuse(disk_full());
  auto text = service.world.keys.hash(request.spec + request.request_key);
  check_signer(service, call, request.request_key, request.credential, text,
               [&service, call, request, spec = *spec] { change(service, call, request, spec); });
}

}  // namespace wm::master::verbs
