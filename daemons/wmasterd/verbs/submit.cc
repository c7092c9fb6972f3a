// The verb Submit: signature, admission; then one durable event.
#include "daemons/wmasterd/verbs/admission.h"
#include "daemons/wmasterd/verbs/call.h"
#include "daemons/wmasterd/verbs/clients.h"

namespace wm::master {
namespace {

constexpr std::size_t kMaxBlobs = 8u << 20;  // an order has both, in one frame

}  // namespace

void Clients::submit(Call call, const SubmitRequest& request) {
  auto spec = codec::decode<JobSpec>(request.spec);
  if (!spec) return call.refuse(spec.error());
  if (request.script.size() + request.env.size() > kMaxBlobs)
    return call.refuse(fail(Code::Limit, "script and environment have " +
                                             std::to_string(request.script.size()) + " and " +
                                             std::to_string(request.env.size()) +
                                             " bytes; at most 8M together"));
  if (c_.world.low_space())
    return call.refuse(
        fail(Code::Store, "the master's disk is full: no new jobs until there is room"));
  bool hashes =
      (request.script.empty() ? "" : c_.world.hash(request.script)) == spec->script_hash &&
      c_.world.hash(request.env) == spec->env_hash;
  if (!hashes)
    return call.refuse(fail(Code::Damaged, "script or environment do not match the signed hashes"));
  auto signed_text = c_.world.hash(request.spec + request.request_key);
  if (request.credential.empty()) return admit_by_session(call, request, signed_text, *spec);
  check_signer(call, request.request_key, request.credential, signed_text,
               [this, call, request, spec = *spec]() mutable {
                 spec.owner = call.caller();
                 admit(call, request, std::move(spec));
               });
}

void Clients::check_signer(const Call& call, const std::string& key, const std::string& credential,
                           const std::string& text, std::function<void()> then) {
  in_flight_[key];
  c_.world.verify(credential, text,
                  [this, call, key, then = std::move(then)](Result<Identity> who) {
                    if (who && who->uid != call.caller().uid)
                      who = fail(Code::Denied, "the job was signed by another account");
                    if (who) then();
                    else refuse(call, key, who.error());
                  });
}

// The session's proof signed the specification as well: nothing is left to be asked.
void Clients::admit_by_session(Call call, SubmitRequest request, const std::string& signed_text,
                               JobSpec spec) {
  request.credential = call.session_credential(signed_text);
  if (request.credential.empty())
    return call.refuse(fail(Code::Denied, "the job is not signed by its submitter"));
  in_flight_[request.request_key];
  spec.owner = call.caller();
  admit(call, request, std::move(spec));
}

void Clients::admit(Call call, const SubmitRequest& request, JobSpec spec) {
  const Cluster& state = c_.journal.newest();
  bool default_queue = spec.queue.empty();
  auto made = master::admit(state, std::move(spec), c_.world.wall());
  if (!made) return refuse(call, request.request_key, made.error());
  JobId id{state.last_job + 1, 0};
  SubmitReply reply{id, made->spec.queue, default_queue};
  Proposal proposal;
  proposal.blobs = {{made->spec.env_hash, request.env}};
  if (!made->spec.script_hash.empty())
    proposal.blobs.push_back({made->spec.script_hash, request.script});
  auto sealed = std::make_shared<const SealedSpec>(
      SealedSpec{std::move(made->spec), request.spec, request.credential, request.request_key,
                 std::move(made->alternatives)});
  proposal.events = {JobSubmitted{id, std::move(sealed)}};
  commit_all(call, request.request_key, std::move(proposal), reply);
}

}  // namespace wm::master
