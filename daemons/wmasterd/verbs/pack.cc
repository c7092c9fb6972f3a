// The verb Pack: many submissions that share a signature, an environment and a commit.
#include "daemons/wmasterd/verbs/admission.h"
#include "daemons/wmasterd/verbs/pend_room.h"
#include "daemons/wmasterd/verbs/policy.h"
#include "daemons/wmasterd/verbs/verbs.h"
#include "libwm/model/launcher_size.h"
#include "libwm/sched/amounts/budgets.h"
#include "libwm/wire/pack_signature.h"
#include "libwm/wire/spec_signature.h"

namespace wm::master::verbs {
namespace {

using Specs = std::vector<JobSpec>;

// Every item's digest, and the specifications. @errors Damaged: one does not read or match
Result<Specs> read_items(Service& service, const PackRequest& request,
                         std::vector<std::string>& digests) {
  Specs specs;
  specs.reserve(request.items.size());
  digests.reserve(request.items.size());
  auto env_hash = service.env.keys.hash(request.env);
  for (const auto& item : request.items) {
    auto spec = codec::decode<JobSpec>(item.spec);
    if (!spec) return spec.error();
    auto script_hash = item.script.empty() ? std::string() : service.env.keys.hash(item.script);
    if (spec->program.env_hash != env_hash || spec->program.script_hash != script_hash)
      return fail(Code::Damaged, "script or environment do not match the signed hashes");
    auto place = static_cast<std::uint32_t>(digests.size());
    digests.push_back(
        wire::spec_digest(item.spec, wire::pack_item_key(request.request_key, place)));
    specs.push_back(*std::move(spec));
  }
  return specs;
}

Result<void> check_sizes(Service& service, const PackRequest& request) {
  if (request.items.empty() || request.items.size() > kMaxPack)
    return fail(Code::Limit, "a pack of " + std::to_string(request.items.size()) + " jobs; 1 to " +
                                 std::to_string(kMaxPack) + " can be");
  for (const auto& item : request.items)
    if (item.script.size() + request.env.size() > kMaxBlobs)
      return fail(Code::Limit, "script and environment of a job are more than 8M together");
  if (service.env.store.low_space())
    return fail(Code::Store, "the master's disk is full: no new jobs until there is room");
  return {};
}

// What is to be signed, and what each item says.
struct Opened {
  PackRequest request;
  Specs specs;
  wire::PackTree tree;
  /// What is to become of each item after the site's policy: nothing to say: it is taken; empty: it
  /// was not asked.
  std::vector<Result<std::vector<OptionChange>>> settled = {};
};

// Uses up an item's specification. Returns what is made of it; `warnings` are for its owner.
Result<Admitted> judged(const Cluster& state, Opened& pack, std::uint32_t place, WallTime now,
                        PendRoom& room, std::vector<std::string>& warnings) {
  WM_TRY(auto made, master::admit(state, std::move(pack.specs[place]), now));
  WM_TRY(warnings, sched::budget_warnings(state, made.spec, now));
  if (auto doubt = size_doubt(made.spec); !doubt.empty()) warnings.push_back(std::move(doubt));
  WM_TRY(room.take(made.spec));
  return made;
}

PackOutcome refused(const Error& why) { return {{}, code_of(why.code), why.text, false, {}, {}}; }

// The item's event, or its error in `outcome`.
std::optional<EventBody> admitted(const Cluster& state, Opened& pack, std::uint32_t place, JobId id,
                                  WallTime now, PendRoom& room, PackOutcome& outcome) {
  bool default_queue = pack.specs[place].queue.empty();
  std::vector<std::string> warnings;
  auto made = judged(state, pack, place, now, room, warnings);
  if (!made) {
    outcome = refused(made.error());
    return {};
  }
  outcome = {id, 0, made->spec.queue, default_queue, std::move(warnings), {}};
  const auto& request = pack.request;
  return JobSubmitted{
      id, std::make_shared<const SealedSpec>(SealedSpec{
              std::move(made->spec), request.items[place].spec,
              pack.tree.credential_of(place, request.credential),
              wire::pack_item_key(request.request_key, place), std::move(made->alternatives)})};
}

// Else why not, or what instead, in `outcome`.
bool policy_takes(const Opened& pack, std::uint32_t place, PackOutcome& outcome) {
  if (pack.settled.empty()) return true;
  const auto& settled = pack.settled[place];
  if (!settled) outcome = refused(settled.error());
  else outcome.instead = *settled;
  return settled && settled->empty();
}

void submit_all(Service& service, const Call& call, Opened pack) {
  const Cluster& state = service.journal.newest();
  const auto now = service.env.clock.wall();
  Proposal proposal;
  PackReply reply;
  std::vector<std::uint32_t> places;  // of the events
  JobId id{state.last_job, 0};
  PendRoom room(state);
  proposal.events.reserve(pack.specs.size());
  reply.items.reserve(pack.specs.size());
  proposal.blobs = {{pack.specs.front().program.env_hash, pack.request.env}};
  for (std::uint32_t place = 0; place < pack.specs.size(); ++place) {
    pack.specs[place].owner = call.caller();
    const auto script_hash = pack.specs[place].program.script_hash;
    auto& outcome = reply.items.emplace_back();
    if (!policy_takes(pack, place, outcome)) continue;
    auto event = admitted(state, pack, place, {id.job + 1, 0}, now, room, outcome);
    if (!event) continue;
    ++id.job;
    places.push_back(place);
    proposal.events.push_back(*std::move(event));
    if (!script_hash.empty())
      proposal.blobs.push_back({script_hash, std::move(pack.request.items[place].script)});
  }
  Answer<PackReply> answer = [reply, places](const auto& results) -> Result<PackReply> {
    PackReply judged = reply;
    for (std::size_t i = 0; i < results.size() && i < places.size(); ++i)
      if (!holds(results[i])) judged.items[places[i]] = refused(results[i].error());
    return judged;
  };
  service.answers.commit(call, pack.request.request_key, std::move(proposal), std::move(answer));
}

// A line each of those that can be taken; the others are settled by why not.
std::vector<std::string> lines_of(Service& service, const Call& call, Opened& pack,
                                  std::vector<std::size_t>& asked) {
  const Cluster& state = service.journal.newest();
  const auto now = service.env.clock.wall();
  std::vector<std::string> lines;
  for (std::size_t place = 0; place < pack.specs.size(); ++place) {
    JobSpec& spec = pack.specs[place];
    auto made = master::admit(state, spec, now);
    auto& settled = pack.settled.emplace_back(std::vector<OptionChange>{});
    if (!made) settled = made.error();
    if (!made) continue;
    state_tasks(spec, made->spec);
    PolicySubject subject{"pack", call.caller(), spec, made->spec, {}, pack.request.round};
    lines.push_back(policy_line(*state.config, subject));
    asked.push_back(place);
  }
  return lines;
}

// One question about all of them.
void admit_all(Service& service, const Call& call, Opened pack) {
  if (!has_policy(service)) return submit_all(service, call, std::move(pack));
  for (auto& spec : pack.specs) spec.owner = call.caller();
  std::vector<std::size_t> asked;
  auto lines = lines_of(service, call, pack, asked);
  if (lines.empty()) return submit_all(service, call, std::move(pack));
  std::size_t bytes = pack.request.env.size();
  for (const auto& item : pack.request.items) bytes += item.spec.size() + item.script.size();
  auto kept = std::make_shared<Opened>(std::move(pack));
  ask_policy(service, call, {kept->request.request_key, bytes}, std::move(lines),
             [&service, call, kept, asked = std::move(asked)](const std::vector<Verdict>& said) {
               Opened& opened = *kept;
               for (std::size_t i = 0; i < asked.size(); ++i)
                 opened.settled[asked[i]] =
                     settled_by(service, said[i], opened.specs[asked[i]], opened.request.round);
               submit_all(service, call, std::move(opened));
             });
}

}  // namespace

void pack(Service& service, const Call& call, const PackRequest& request) {
  if (auto fits = check_sizes(service, request); !fits) return call.refuse(fits.error());
  std::vector<std::string> digests;
  auto specs = read_items(service, request, digests);
  if (!specs) return call.refuse(specs.error());
  auto opened = std::make_shared<Opened>(
      Opened{request, *std::move(specs), wire::PackTree(std::move(digests))});
  auto root = opened->tree.root();
  if (request.credential.empty()) {
    opened->request.credential = call.session_credential(root);
    if (opened->request.credential.empty())
      return call.refuse(fail(Code::Denied, "the jobs are not signed by their submitter"));
    service.answers.begin(call, request.request_key);
    return admit_all(service, call, std::move(*opened));
  }
  check_signer(service, call, request.request_key, request.credential, root,
               [&service, call, opened] { admit_all(service, call, std::move(*opened)); });
}

}  // namespace wm::master::verbs
