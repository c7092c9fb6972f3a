// The verb Move: which pending jobs go first, among all or among one user's.
#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "daemons/wmasterd/verbs/record.h"
#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {
namespace {

std::string moved(const MoveRequest& request) {
  return " has been moved to position " + std::to_string(request.position) +
         (request.top ? " from top." : " from bottom.");
}

// The place before (or behind) every other pending job of the queue.
std::int32_t outermost(const Cluster& state, const std::string& queue, bool top) {
  std::int32_t place = 0;
  each_keyed(state.jobs, state.indexes.moved, key_of(queue), 0, [&](const Job& job) {
    if (job.spec().queue != queue) return true;
    place = top ? std::min(place, job.waits.place) : std::max(place, job.waits.place);
    return true;
  });
  return top ? place - 1 : place + 1;
}

bool waits(const Job& job) {
  return job.state == JobState::Pending || job.state == JobState::Held ||
         (job.state == JobState::Array && !job.kill);
}

std::pair<std::int32_t, std::uint32_t> turn_of(const Job* job) {
  return {job->waits.place, job->waits.turn ? job->waits.turn : job->id.job};
}

// The jobs to be moved to one end for these to stand where they are wanted: of one that is to have
// a later position those that stand before it (or behind it), too.
std::vector<JobId> moving(const Cluster& state, const MoveRequest& request) {
  if (request.position == 1) return request.jobs;
  const Job* moved = find_job(state, request.jobs.front());
  if (!moved) return request.jobs;
  std::vector<const Job*> others;
  state.jobs.each([&](std::uint32_t, const Job& job) {
    if (waits(job) && job.spec().queue == moved->spec().queue && job.id.job != moved->id.job)
      others.push_back(&job);
  });
  std::ranges::sort(others, {}, [](const Job* job) {
    auto [place, turn] = turn_of(job);
    return std::tuple(place, -std::int64_t{job->spec().user_priority}, turn);
  });
  auto kept = std::min<std::size_t>(others.size(), request.position - 1);
  if (request.top) others.resize(kept);
  else others.erase(others.begin(), others.end() - static_cast<std::ptrdiff_t>(kept));
  std::vector<JobId> ids;
  for (const Job* job : others) ids.push_back(job->id);
  ids.insert(request.top ? ids.end() : ids.begin(), moved->id);
  return ids;
}

// Reorders one user's jobs among the positions they hold; other users' jobs
// keep theirs.
class OwnOrder {
 public:
  // The user's jobs that wait in the queue of `like` with its priority.
  OwnOrder(const Cluster& state, const Job& like) {
    const JobSpec& spec = like.spec();
    each_keyed(state.jobs, state.indexes.by_user, key_of(spec.owner.user), 0, [&](const Job& job) {
      const JobSpec& other = job.spec();
      if (waits(job) && other.owner.uid == spec.owner.uid && other.queue == spec.queue &&
          other.user_priority == spec.user_priority)
        jobs_.push_back(&job);
      return true;
    });
    std::ranges::sort(jobs_, {}, turn_of);
    for (const Job* job : jobs_) turns_.push_back(turn_of(job));
  }

  // @param position the first, second … from the top or the bottom
  void put(const Job* job, bool top, std::size_t position) {
    auto at = std::ranges::find(jobs_, job);
    if (at == jobs_.end()) return;
    jobs_.erase(at);
    auto away = static_cast<std::ptrdiff_t>(std::min(jobs_.size(), position - 1));
    jobs_.insert(top ? jobs_.begin() + away : jobs_.end() - away, job);
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
    orders.try_emplace(group, state, *job).first->second.put(job, request.top, request.position);
    reply.jobs.push_back({id, 0, named(id) + moved(request)});
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
  bool far = request.position != 1;
  if (far && (request.jobs.size() != 1 || request.position < 1 || request.position > kMostPosition))
    return call.refuse(fail(Code::BadArgument, "a position of one job is wanted, from 1 to " +
                                                   std::to_string(kMostPosition)));
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
  std::map<std::string, std::int32_t> ends;  // of queues: looked for once
  std::int32_t step = 0;
  auto all = moving(state, request);
  for (JobId id : all) {
    const Job* job = find_job(state, id);
    if (!job) {
      reply.jobs.push_back(
          {id, static_cast<std::uint8_t>(Code::NotFound), named(id) + ": No matching job found"});
      continue;
    }
    auto known = ends.find(job->spec().queue);
    if (known == ends.end())
      known =
          ends.emplace(job->spec().queue, outermost(state, job->spec().queue, request.top)).first;
    std::int32_t place = known->second;
    place += request.top ? step - static_cast<std::int32_t>(all.size()) + 1 : step;
    ++step;
    ids.push_back(id);
    proposal.events.push_back(JobMoved{id, place, call.caller().user});
  }
  Answer<OutcomeReply> answer = [=](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < results.size(); ++i)
      if (!far || ids[i] == request.jobs.front())
        reply.jobs.push_back(outcome_of(ids[i], results[i], named(ids[i]) + moved(request)));
    return reply;
  };
  service.answers.commit(call, request.request_key, std::move(proposal), answer);
}

}  // namespace wm::master::verbs
