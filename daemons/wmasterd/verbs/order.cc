// Verbs of administrators about the whole: the live state for what-if, and which pending jobs
// go first.
#include <algorithm>

#include "daemons/wmasterd/verbs/call.h"
#include "daemons/wmasterd/verbs/clients.h"
#include "daemons/wmasterd/verbs/views.h"
#include "libwm/codec/packed.h"

namespace wm::master {
namespace {

void strip_each(Table<Job>& jobs) {
  std::vector<std::uint32_t> numbers;
  jobs.each([&](std::uint32_t number, const Job&) { numbers.push_back(number); });
  for (auto number : numbers) strip_secrets(jobs.edit(number));
}

std::string image_of(Cluster state) {
  strip_each(state.jobs);
  strip_each(state.elements);
  return codec::packed(codec::encode(state));
}

Error not_admin(const Identity& who) {
  return fail(Code::Denied, who.user + ": User permission denied, not an administrator");
}

// The place before (or behind) every other pending job of the queue.
std::int32_t outermost(const Cluster& state, const std::string& queue, bool top) {
  std::int32_t place = 0;
  state.jobs.each([&](std::uint32_t, const Job& job) {
    if (is_over(job.state) || job.spec().queue != queue) return;
    place = top ? std::min(place, job.place) : std::max(place, job.place);
  });
  return top ? place - 1 : place + 1;
}

}  // namespace

void Clients::state(Call call, const StateRequest&) {
  if (!is_admin(call.caller())) return call.refuse(not_admin(call.caller()));
  auto reply = std::make_shared<StateReply>();
  c_.world.answer(
      [reply, state = c_.journal.published_ptr()] { reply->packed = image_of(Cluster(*state)); },
      [call, reply] { call.reply(*reply); });
}

// One batch: of several jobs the first named ends up first at the top, last at the bottom.
void Clients::move(Call call, const MoveRequest& request) {
  const Cluster& state = c_.journal.newest();
  for (JobId id : request.jobs) {
    const Job* job = find_job(state, id);
    if (!runs_queue(call.caller(), job ? job->spec().queue : ""))
      return call.refuse(not_admin(call.caller()));
  }
  OutcomeReply reply;
  Proposal proposal;
  std::vector<JobId> ids;
  std::int32_t step = 0;
  for (JobId id : request.jobs) {
    const Job* job = find_job(state, id);
    if (!job) {
      reply.jobs.push_back(
          {id, static_cast<std::uint8_t>(Code::NotFound), named(id) + ": No matching job found"});
      continue;
    }
    std::int32_t place = outermost(state, job->spec().queue, request.top);
    place += request.top ? step - static_cast<std::int32_t>(request.jobs.size()) + 1 : step;
    ++step;
    ids.push_back(id);
    proposal.events.push_back(JobMoved{id, place, call.caller().user});
  }
  std::string where = request.top ? " has been moved to the top" : " has been moved to the bottom";
  Answer<OutcomeReply> answer = [=](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < results.size(); ++i)
      reply.jobs.push_back(outcome_of(ids[i], results[i], named(ids[i]) + where));
    return reply;
  };
  commit(call, request.request_key, std::move(proposal), answer);
}

}  // namespace wm::master
