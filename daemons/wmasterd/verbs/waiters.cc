#include "daemons/wmasterd/verbs/waiters.h"

#include "libwm/fsm/fsm.h"

namespace wm::master {
namespace {

WaitReply standing_of(const Cluster& state, const Job& job) {
  WaitReply reply{job.state, "", job.outcome.status, job.outcome.term, job.attempt};
  const Host* host = job.tasks.empty() ? nullptr : state.hosts.find(job.tasks.front().host.value);
  if (host) reply.first_host = host->name;
  return reply;
}

// Is no element of the array left that is not over? Those that its base stands for are over with
// it.
bool are_all_over(const Cluster& state, const Job& base) {
  const StateCounts* counts = state.indexes.arrays.find(base.id.job);
  std::uint32_t made = 0, over = 0;
  for (std::size_t s = 0; counts && s < counts->size(); ++s) {
    made += (*counts)[s];
    if (is_over(static_cast<JobState>(s))) over += (*counts)[s];
  }
  return over == made && (base.kill || made == elements_there(base));
}

// An array is over when all its elements are, and as well as the first that did not end well.
WaitReply end_of_array(const Cluster& state, const Job& base) {
  std::optional<WaitReply> end;
  if (!takes_no_more(base) || !are_all_over(state, base))
    return {JobState::Array, "", 0, Term::None, {}};
  for (std::uint32_t p = 0; p < elements_there(base); ++p) {
    const Job* element = state.elements.find(base.elements.first + p);
    WaitReply one;
    if (element) one = {element->state, "", element->outcome.status, element->outcome.term, {}};
    else one = {base.kill->end(), "", 0, base.kill->term, {}};
    if (!end || end->state == JobState::Finished) end = one;
  }
  if (end) return *end;  // of an open array nothing may have been given
  return {base.kill ? base.kill->end() : JobState::Finished, "", 0, Term::None, {}};
}

}  // namespace

void Waiters::on_left(PeerId peer) {
  std::erase_if(waiters_, [&](const Waiter& w) { return w.call.peer() == peer; });
}

void Waiters::on_jobs_changed(const Cluster& state, const std::set<JobId>& jobs) {
  auto concerns = [&](JobId id) {  // an array all its elements do
    auto first = jobs.lower_bound(id);
    return first != jobs.end() && (id.index ? *first == id : first->job == id.job);
  };
  std::erase_if(waiters_,
                [&](const Waiter& w) { return concerns(w.request.job) && answer(state, w); });
}

bool Waiters::answer(const Cluster& state, const Waiter& waiter) {
  const Job* job = find_job(state, waiter.request.job);
  if (!job) {
    waiter.call.refuse(fail(Code::NotFound, named(waiter.request.job) + " is not found"));
    return true;
  }
  auto reply = fsm::is_array(*job) ? end_of_array(state, *job) : standing_of(state, *job);
  const auto& known = waiter.request;
  if (reply.state == known.known && reply.attempt == known.attempt) return false;
  waiter.call.reply(reply);
  return true;
}

void Waiters::add(const Cluster& state, const Call& call, const WaitRequest& request) {
  Waiter waiter{call, request};
  if (!answer(state, waiter)) waiters_.push_back(std::move(waiter));
}

}  // namespace wm::master
