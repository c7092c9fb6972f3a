// The verb Give: elements of an open array, as they come.
#include "daemons/wmasterd/state/searches.h"
#include "daemons/wmasterd/verbs/verbs.h"
#include "libwm/fsm/fsm.h"

namespace wm::master::verbs {
namespace {

Result<const Job*> open_array(const Cluster& state, JobId id) {
  const Job* job = find_job(state, id);
  if (!job) return fail(Code::NotFound, named(id) + ": No matching job found");
  if (!fsm::is_array(*job) || !job->spec().open)
    return fail(Code::Conflict, named(id) + ": is no open array");
  return job;
}

Result<void> check_data(const Job& base, const GiveRequest& request) {
  if (request.data.empty() && !request.close) return {};
  if (has_suggester(base.spec()))
    return fail(Code::Conflict, named(base.id) + ": is a search, which brings its trials itself");
  if (base.kill) return fail(Code::Conflict, named(base.id) + ": is being terminated");
  if (base.elements.closed) return fail(Code::Conflict, named(base.id) + ": is closed");
  auto reserved = element_count(base.spec());
  auto left = reserved - elements_given(base);
  if (request.data.size() > left)
    return fail(Code::Limit, named(base.id) + ": " + std::to_string(request.data.size()) +
                                 " elements given, " + std::to_string(left) + " of " +
                                 std::to_string(reserved) + " are left");
  for (const auto& data : request.data)
    if (data.size() > kMaxElementData)
      return fail(Code::Limit, named(base.id) + ": an element's data of " +
                                   std::to_string(data.size()) + " bytes; at most " +
                                   std::to_string(kMaxElementData));
  return {};
}

// The data of these elements, in order, as much as fits.
std::vector<std::string> told(Store& store, const std::vector<std::string>& hashes) {
  constexpr std::size_t kMost = 4u << 20;
  std::vector<std::string> data;
  std::size_t bytes = 0;
  for (const auto& hash : hashes) {
    auto blob = hash.empty() ? Result<std::string>(std::string()) : store.blob(hash);
    bytes += blob ? blob->size() : 0;
    if (bytes > kMost && !data.empty()) break;
    data.push_back(blob ? *std::move(blob) : "");
  }
  return data;
}

// Answers off the loop: the store is read.
void tell(Service& service, const Call& call, const Job& job, std::uint32_t from, GiveReply reply) {
  std::vector<std::string> hashes;
  for (std::uint32_t p = from - 1; p < elements_given(job); ++p) {
    const Job* element = service.journal.published().elements.find(job.elements.first + p);
    if (!element) break;  // it is known in a moment
    hashes.push_back(element->trial.data_hash);
  }
  service.answers.read(call, [&store = service.env.store, hashes, reply] {
    GiveReply whole = reply;
    whole.data = told(store, hashes);
    return whole;
  });
}

}  // namespace

void give(Service& service, const Call& call, const GiveRequest& request) {
  auto base = open_array(service.journal.newest(), request.job);
  if (!base) return call.refuse(base.error());
  const Job& job = **base;
  if (auto good = check_data(job, request); !good) return call.refuse(good.error());
  GiveReply reply{0, elements_given(job), job.elements.closed || request.close, {}};
  bool asks = request.data.empty() && !request.close;
  if (asks && request.tell_from > 0) return tell(service, call, job, request.tell_from, reply);
  Proposal proposal;
  for (const auto& data : request.data) {
    JobId element{job.id.job, element_index(job.spec(), reply.given++)};
    if (reply.first == 0) reply.first = element.index;
    auto hash = data.empty() ? "" : service.env.keys.hash(data);
    if (!hash.empty()) proposal.blobs.push_back({hash, data});
    proposal.events.push_back(ElementGiven{element, hash});
  }
  if (request.close && !job.elements.closed)
    proposal.events.push_back(ArrayClosed{job.id, call.caller().user});
  service.answers.commit_all(call, request.request_key, std::move(proposal), reply);
}

}  // namespace wm::master::verbs
