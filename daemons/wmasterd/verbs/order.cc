// The verb Move: which pending jobs go first.
#include <algorithm>

#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {
namespace {

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

// One batch: of several jobs the first named ends up first at the top, last at the bottom.
void move(Service& service, const Call& call, const MoveRequest& request) {
  const Cluster& state = service.journal.newest();
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
  service.answers.commit(call, request.request_key, std::move(proposal), answer);
}

}  // namespace wm::master::verbs
