// The verb Move: which pending jobs go first, among all or among one user's.
#include <algorithm>
#include <iterator>
#include <map>

#include "daemons/wmasterd/verbs/record.h"
#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {
namespace {

std::string moved(bool top) {
  return top ? " has been moved to the top" : " has been moved to the bottom";
}

// The place before (or behind) every other pending job of the queue.
std::int32_t outermost(const Cluster& state, const std::string& queue, bool top) {
  std::int32_t place = 0;
  state.jobs.each([&](std::uint32_t, const Job& job) {
    if (is_over(job.state) || job.spec().queue != queue) return;
    place = top ? std::min(place, job.waits.place) : std::max(place, job.waits.place);
  });
  return top ? place - 1 : place + 1;
}

// Which of a user's jobs go after each other: the turns that they have between them, and who has
// them. Others' jobs stay where they are.
class OwnOrder {
 public:
  // Those that wait in the queue of `like` with its priority.
  OwnOrder(const Cluster& state, const Job& like) {
    const JobSpec& spec = like.spec();
    state.jobs.each([&](std::uint32_t, const Job& job) {
      const JobSpec& other = job.spec();
      bool waits = job.state == JobState::Pending || job.state == JobState::Held ||
                   (job.state == JobState::Array && !job.kill);
      if (waits && other.owner.uid == spec.owner.uid && other.queue == spec.queue &&
          other.user_priority == spec.user_priority)
        jobs_.push_back(&job);
    });
    std::ranges::sort(jobs_, {}, turn_of);
    for (const Job* job : jobs_) turns_.push_back(turn_of(job));
  }

  void put(const Job* job, bool top) {
    auto at = std::ranges::find(jobs_, job);
    if (at == jobs_.end()) return;
    if (top) std::rotate(jobs_.begin(), at, at + 1);
    else std::rotate(at, at + 1, jobs_.end());
  }

  // What it takes, of a state in which they stand as they did at the beginning.
  std::vector<EventBody> events(const std::string& by) const {
    std::vector<EventBody> all;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      auto [place, turn] = turns_[i];
      std::uint32_t own = jobs_[i]->id.job;
      if (turn_of(jobs_[i]) != turns_[i])
        all.push_back(JobMoved{jobs_[i]->id, place, by, turn == own ? 0 : turn});
    }
    return all;
  }

 private:
  using Turn = std::pair<std::int32_t, std::uint32_t>;
  static Turn turn_of(const Job* job) {
    return {job->waits.place, job->waits.turn ? job->waits.turn : job->id.job};
  }
  std::vector<const Job*> jobs_;  // in the order that they are to have
  std::vector<Turn> turns_;       // rising
};

// All of it or nothing: a part of an exchange would give two jobs one turn.
void move_own(Service& service, const Call& call, const MoveRequest& request) {
  const Cluster& state = service.journal.newest();
  auto refuse = [&](Code code, JobId id, const char* why) {
    call.refuse(fail(code, named(id) + why));
  };
  std::map<std::pair<std::string, std::uint32_t>, OwnOrder> orders;
  auto ids = request.jobs;
  if (request.top) std::ranges::reverse(ids);  // the first named is put last
  OutcomeReply reply;
  for (JobId id : ids) {
    const Job* job = find_job(state, id);
    if (!job) return refuse(Code::NotFound, id, ": No matching job found");
    if (!service.roles(call, job->spec()).owner)
      return refuse(Code::Denied, id, ": User permission denied, it is another user's");
    if (id.index)
      return refuse(Code::Denied, id, ": only administrators move elements of an array");
    if (is_over(job->state)) return refuse(Code::Conflict, id, ": Job has already finished");
    if (!job->tasks.empty() && slots_held(*job) > 0)
      return refuse(Code::Conflict, id, ": Job has already started");
    const JobSpec& spec = job->spec();
    std::pair group(spec.queue, spec.user_priority);
    orders.try_emplace(group, state, *job).first->second.put(job, request.top);
    reply.jobs.push_back({id, 0, named(id) + moved(request.top)});
  }
  if (request.top) std::ranges::reverse(reply.jobs);
  Proposal proposal;
  for (const auto& [group, order] : orders)
    std::ranges::move(order.events(call.caller().user), std::back_inserter(proposal.events));
  service.answers.commit_all(call, request.request_key, std::move(proposal), reply);
}

}  // namespace

// One batch: of several jobs the first named ends up first at the top, last at the bottom.
void move(Service& service, const Call& call, const MoveRequest& request) {
  const Cluster& state = service.journal.newest();
  bool runs_all = std::ranges::all_of(request.jobs, [&](JobId id) {
    const Job* job = find_job(state, id);
    return job && is_admin_of(service.roles(call, job->spec()));
  });
  if (!runs_all) return move_own(service, call, request);
  std::vector<JobId> others;
  for (JobId id : request.jobs)
    if (!service.roles(call, find_job(state, id)->spec()).owner) others.push_back(id);
  record_as_admin(service, call, others);
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
  Answer<OutcomeReply> answer = [=](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < results.size(); ++i)
      reply.jobs.push_back(outcome_of(ids[i], results[i], named(ids[i]) + moved(request.top)));
    return reply;
  };
  service.answers.commit(call, request.request_key, std::move(proposal), answer);
}

}  // namespace wm::master::verbs
