// The verb Submit: signature, admission, the site's policy; then one durable event.
#include "daemons/wmasterd/verbs/admission.h"
#include "daemons/wmasterd/verbs/pend_room.h"
#include "daemons/wmasterd/verbs/policy.h"
#include "daemons/wmasterd/verbs/verbs.h"
#include "libwm/model/launcher_size.h"
#include "libwm/sched/amounts/budgets.h"

namespace wm::master::verbs {
namespace {

std::size_t bytes_of(const SubmitRequest& request) {
  return request.spec.size() + request.script.size() + request.env.size();
}

// What the policy is asked about once it can be.
void take(Service& service, const Call& call, const SubmitRequest& request, JobSpec spec) {
  const Cluster& state = service.journal.newest();
  bool default_queue = spec.queue.empty();
  auto made = master::admit(state, std::move(spec), service.env.clock.wall());
  if (!made) return service.answers.refuse(call, request.request_key, made.error());
  if (auto room = PendRoom(state).take(made->spec); !room)
    return service.answers.refuse(call, request.request_key, room.error());
  auto warnings = sched::budget_warnings(state, made->spec, service.env.clock.wall());
  if (!warnings) return service.answers.refuse(call, request.request_key, warnings.error());
  JobId id{state.last_job + 1, 0};
  if (auto doubt = size_doubt(made->spec); !doubt.empty()) warnings->push_back(std::move(doubt));
  SubmitReply reply{id, made->spec.queue, default_queue, std::move(*warnings)};
  Proposal proposal;
  proposal.blobs = {{made->spec.program.env_hash, request.env}};
  if (!made->spec.program.script_hash.empty())
    proposal.blobs.push_back({made->spec.program.script_hash, request.script});
  auto sealed = std::make_shared<const SealedSpec>(
      SealedSpec{std::move(made->spec), request.spec, request.credential, request.request_key,
                 std::move(made->alternatives)});
  proposal.events = {JobSubmitted{id, std::move(sealed)}};
  service.answers.commit_all(call, request.request_key, std::move(proposal), reply);
}

/// A submission while the site's policy is asked about it.
struct Submission {
  SubmitRequest request;
  JobSpec spec;
};

// Whether it is taken at all is looked at first, and again when the policy has answered.
void admit(Service& service, const Call& call, const SubmitRequest& request, JobSpec spec) {
  if (!has_policy(service)) return take(service, call, request, std::move(spec));
  const Cluster& state = service.journal.newest();
  auto made = master::admit(state, spec, service.env.clock.wall());
  if (!made) return service.answers.refuse(call, request.request_key, made.error());
  state_tasks(spec, made->spec);
  PolicySubject subject{"submit", call.caller(), spec, made->spec, {}, request.round};
  auto line = policy_line(*state.config, subject);
  auto kept = std::make_shared<Submission>(Submission{request, std::move(spec)});
  ask_policy(service, call, {request.request_key, bytes_of(request)}, {std::move(line)},
             [&service, call, kept](const std::vector<Verdict>& verdicts) {
               const auto& key = kept->request.request_key;
               auto instead = settled_by(service, verdicts[0], kept->spec, kept->request.round);
               if (!instead) return service.answers.refuse(call, key, instead.error());
               if (instead->empty()) return take(service, call, kept->request, kept->spec);
               SubmitReply reply;
               reply.instead = *std::move(instead);
               service.answers.tell(call, key, reply);
             });
}

// The session's proof signed the specification as well: nothing is left to be asked.
void admit_by_session(Service& service, const Call& call, SubmitRequest request,
                      const std::string& signed_text, JobSpec spec) {
  request.credential = call.session_credential(signed_text);
  if (request.credential.empty())
    return call.refuse(fail(Code::Denied, "the job is not signed by its submitter"));
  service.answers.begin(call, request.request_key);
  spec.owner = call.caller();
  admit(service, call, request, std::move(spec));
}

}  // namespace

void check_signer(Service& service, const Call& call, const std::string& key,
                  const std::string& credential, const std::string& text,
                  std::function<void()> then) {
  service.answers.begin(call, key);
  service.env.keys.verify(credential, text,
                          [&service, call, key, then = std::move(then)](Result<Identity> who) {
                            if (who && who->uid != call.caller().uid)
                              who = fail(Code::Denied, "the job was signed by another account");
                            if (who) then();
                            else service.answers.refuse(call, key, who.error());
                          });
}

void submit(Service& service, const Call& call, const SubmitRequest& request) {
  auto spec = codec::decode<JobSpec>(request.spec);
  if (!spec) return call.refuse(spec.error());
  if (request.script.size() + request.env.size() > kMaxBlobs)
    return call.refuse(fail(Code::Limit, "script and environment have " +
                                             std::to_string(request.script.size()) + " and " +
                                             std::to_string(request.env.size()) +
                                             " bytes; at most 8M together"));
  if (service.env.store.low_space())
    return call.refuse(
        fail(Code::Store, "the master's disk is full: no new jobs until there is room"));
  bool hashes = (request.script.empty() ? "" : service.env.keys.hash(request.script)) ==
                    spec->program.script_hash &&
                service.env.keys.hash(request.env) == spec->program.env_hash;
  if (!hashes)
    return call.refuse(fail(Code::Damaged, "script or environment do not match the signed hashes"));
  auto signed_text = service.env.keys.hash(request.spec + request.request_key);
  if (request.credential.empty())
    return admit_by_session(service, call, request, signed_text, *spec);
  check_signer(service, call, request.request_key, request.credential, signed_text,
               [&service, call, request, spec = *spec]() mutable {
                 spec.owner = call.caller();
                 admit(service, call, request, std::move(spec));
               });
}

}  // namespace wm::master::verbs
