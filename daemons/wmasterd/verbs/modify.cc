// Verbs that change what jobs ask for: of those that wait, Switch puts them into another queue and
// Modify has what their owner signed anew; Limit gives any that is not over another run limit.
#include <algorithm>
#include <map>
#include <optional>

#include "daemons/wmasterd/verbs/admission.h"
#include "daemons/wmasterd/verbs/policy.h"
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

/// A change of several jobs, which may wait for the site's policy: it looks at all of them again
/// when the policy has answered.
struct Changes {
  std::string_view verb;
  std::string request_key;
  JobSelection jobs;
  MakeAnew make;
  SayDone done;
  /// What the policy said of each; none: it was not asked.
  std::optional<std::map<JobId, Result<void>>> verdicts = {};
};

Result<void> allowed(const Changes& changes, JobId id) {
  if (!changes.verdicts) return {};
  auto said = changes.verdicts->find(id);
  if (said != changes.verdicts->end()) return said->second;
  return fail(Code::Unavailable, "submit_policy was not asked about it: try again");
}

Result<Admitted> made_anew(const Service& service, const Call& call, const Changes& changes,
                           JobId id, const Target& target) {
  if (!service.permits(call, target.job->spec()))
    return fail(Code::Denied, "User permission denied");
  if (target.over) return fail(Code::Conflict, "Job has already finished");
  WM_TRY(auto made, changes.make(*target.job, target.waits));
  WM_TRY(allowed(changes, id));
  return made;
}

void commit_changes(Service& service, const Call& call, const Changes& changes) {
  const Cluster& state = service.journal.newest();
  OutcomeReply reply;
  auto add = [&](JobId id, const Result<void>& result) {
    reply.jobs.push_back(outcome_of(id, result, changes.done(id)));
  };
  Targets targets;
  auto walked = find_targets(state, changes.jobs, call.caller().user, targets);
  for (JobId id : walked.missing) add(id, fail(Code::NotFound, "No matching job found"));
  for (JobId id : walked.over) add(id, fail(Code::Conflict, "Job has already finished"));
  Proposal proposal;
  std::vector<JobId> ids, others;
  for (const auto& [id, target] : targets) {
    const JobSpec& spec = target.job->spec();
    if (service.permits(call, spec) && !service.roles(call, spec).owner) others.push_back(id);
    auto made = made_anew(service, call, changes, id, target);
    if (!made) {
      add(id, made.error());
      continue;
    }
    const SealedSpec& before = *target.job->sealed;
    auto what = change_words(before.spec, made->spec);
    ids.push_back(id);
    proposal.events.push_back(
        JobModified{id, sealed_as(before, *std::move(made)), call.caller().user, what});
  }
  record_as_admin(service, call, others);
  reply.rest = std::move(walked.rest);
  Answer<OutcomeReply> answer =
      [=, done = changes.done](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < results.size(); ++i)
      reply.jobs.push_back(outcome_of(ids[i], results[i], done(ids[i])));
    std::sort(reply.jobs.begin(), reply.jobs.end(),
              [](const JobOutcome& a, const JobOutcome& b) { return a.job < b.job; });
    return reply;
  };
  service.answers.commit(call, changes.request_key, std::move(proposal), answer);
}

// A job that is changed by somebody other than its signer cannot be signed anew: options that the
// policy wants instead are a refusal.
Result<void> verdict_of(Service& service, const Verdict& verdict, const JobSpec& spec) {
  auto settled = settled_by(service, verdict, spec, 0);
  return settled ? Result<void>() : Result<void>(settled.error());
}

void change_each(Service& service, const Call& call, Changes changes) {
  if (service.env.store.low_space()) return call.refuse(disk_full());
  if (!has_policy(service)) return commit_changes(service, call, changes);
  const Cluster& state = service.journal.newest();
  Targets targets;
  find_targets(state, changes.jobs, call.caller().user, targets);
  std::vector<std::string> lines;
  std::vector<std::pair<JobId, JobSpec>> asked;
  for (const auto& [id, target] : targets) {
    auto made = made_anew(service, call, changes, id, target);
    if (!made) continue;
    state_tasks(made->spec, made->spec);
    PolicySubject subject{changes.verb, call.caller(), made->spec, made->spec, id, 0};
    lines.push_back(policy_line(*state.config, subject));
    asked.emplace_back(id, std::move(made->spec));
  }
  if (asked.empty()) return commit_changes(service, call, changes);
  auto kept = std::make_shared<Changes>(std::move(changes));
  ask_policy(service, call, {kept->request_key, 0}, std::move(lines),
             [&service, call, kept, asked = std::move(asked)](const std::vector<Verdict>& said) {
               auto& verdicts = kept->verdicts.emplace();
               for (std::size_t i = 0; i < asked.size(); ++i)
                 verdicts.emplace(asked[i].first, verdict_of(service, said[i], asked[i].second));
               commit_changes(service, call, *kept);
             });
}

Result<Admitted> changed_as(const Service& service, const ModifyRequest& request,
                            const JobSpec& spec) {
  const Cluster& state = service.journal.newest();
  WM_TRY(const Job* job, job_named(state, request.job));
  if (job->revision != request.revision)
    return fail(Code::Conflict, named(request.job) + ": was changed meanwhile; look at it again");
  bool started = slots_held(*job) > 0;
  if (started) return admit_live_change(*job, spec);
  return admit_change(state, *job, spec, service.env.clock.wall());
}

void commit_change(Service& service, const Call& call, const ModifyRequest& request,
                   const JobSpec& spec) {
  auto made = changed_as(service, request, spec);
  if (!made) return service.answers.refuse(call, request.request_key, made.error());
  const Job* job = job_or_base(service.journal.newest(), request.job);
  auto what = change_words(job->sealed->spec, made->spec);
  SealedSpec as_signed{{}, request.spec, request.credential, request.request_key, {}};
  Proposal proposal;
  proposal.events = {JobModified{request.job, sealed_as(as_signed, *std::move(made)),
                                 call.caller().user, std::move(what)}};
  JobOutcome outcome{request.job, 0, being_changed(request.job)};
  service.answers.commit_all(call, request.request_key, std::move(proposal),
                             OutcomeReply{{outcome}});
}

void change(Service& service, const Call& call, const ModifyRequest& request, JobSpec spec) {
  if (!has_policy(service)) return commit_change(service, call, request, spec);
  auto made = changed_as(service, request, spec);
  if (!made) return service.answers.refuse(call, request.request_key, made.error());
  spec.owner = made->spec.owner;
  state_tasks(spec, made->spec);
  PolicySubject subject{"modify", call.caller(), spec, made->spec, request.job, request.round};
  auto line = policy_line(*service.journal.newest().config, subject);
  ask_policy(service, call, {request.request_key, request.spec.size()}, {std::move(line)},
             [&service, call, request, spec](const std::vector<Verdict>& verdicts) {
               auto instead = settled_by(service, verdicts[0], spec, request.round);
               const auto& key = request.request_key;
               if (!instead) return service.answers.refuse(call, key, instead.error());
               if (instead->empty()) return commit_change(service, call, request, spec);
               OutcomeReply reply;
               reply.instead = *std::move(instead);
               service.answers.tell(call, key, reply);
             });
}

}  // namespace

void switch_queue(Service& service, const Call& call, const SwitchRequest& request) {
  if (!service.journal.newest().config->queue(request.queue))
    return call.refuse(fail(Code::NotFound, request.queue + ": No such queue"));
  auto make = [&service, queue = request.queue](const Job& job, bool waits) -> Result<Admitted> {
    if (!waits) return fail(Code::Conflict, "Job has already started");
    return admit_to_queue(service.journal.newest(), job, queue, service.env.clock.wall());
  };
  auto done = [queue = request.queue](JobId id) {
    return named(id) + " is switched to queue <" + queue + ">";
  };
  change_each(service, call, {"switch", request.request_key, request.jobs, make, done});
}

void limit_run(Service& service, const Call& call, const LimitRequest& request) {
  if (request.limit < Duration{})
    return call.refuse(fail(Code::BadArgument, "a run limit below 0"));
  auto make = [&service, call, limit = request.limit](const Job& job, bool) {
    return admit_limit(service.journal.newest(), job, limit,
                       is_admin_of(service.roles(call, job.spec())));
  };
  change_each(service, call, {"limit", request.request_key, request.jobs, make, being_changed});
}

void spec(Service& service, const Call& call, const SpecRequest& request) {
  auto job = job_named(service.journal.newest(), request.job);
  if (!job) return call.refuse(job.error());
  call.reply(SpecReply{(*job)->sealed->bytes, (*job)->revision});
}

void modify(Service& service, const Call& call, const ModifyRequest& request) {
  auto spec = codec::decode<JobSpec>(request.spec);
  if (!spec) return call.refuse(spec.error());
  if (service.env.store.low_space()) return call.refuse(disk_full());
  auto text = service.env.keys.hash(request.spec + request.request_key);
  check_signer(service, call, request.request_key, request.credential, text,
               [&service, call, request, spec = *spec] { change(service, call, request, spec); });
}

}  // namespace wm::master::verbs
