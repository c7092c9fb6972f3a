#include "daemons/wmasterd/verbs/changes.h"

#include <algorithm>

namespace wm::master {
namespace {

// An array that was ended is over as far as it had not begun; what had tells of itself.
JobState told_state(const Job& job) {
  return job.state == JobState::Array && job.kill ? job.kill->end() : job.state;
}

JobChange change_of(const Job& job, const Cluster& after) {
  const JobSpec& spec = job.spec();
  JobChange change{after.seq, job.id, spec.owner.user, spec.queue, spec.plan, spec.name};
  change.state = told_state(job);
  change.slots = slots_held(job);
  change.attempt = job.attempt;
  change.exit_status = job.outcome.status;
  change.at = after.time;
  return change;
}

}  // namespace

void Changes::add(const Cluster& after, const std::set<JobId>& jobs) {
  newest_ = after.seq;
  for (JobId id : jobs)
    if (const Job* job = find_job(after, id)) changes_.push_back(change_of(*job, after));
  while (changes_.size() > kept_) {
    forgotten_ = changes_.front().seq;
    while (!changes_.empty() && changes_.front().seq == forgotten_) changes_.pop_front();
  }
}

void Changes::forget(Seq now) {
  changes_.clear();
  forgotten_ = newest_ = now;
}

WatchReply Changes::since(Seq after, const std::function<bool(const JobChange&)>& wanted) const {
  WatchReply reply;
  reply.seen = newest_;
  reply.missed = after < forgotten_ || after > newest_;
  if (reply.missed) return reply;
  auto from = std::partition_point(changes_.begin(), changes_.end(),
                                   [&](const JobChange& change) { return change.seq <= after; });
  for (auto it = from; it != changes_.end(); ++it) {
    bool full = reply.changes.size() >= kMostInAnswer;
    if (full && it->seq != reply.changes.back().seq) {
      reply.seen = reply.changes.back().seq;
      break;
    }
    if (wanted(*it)) reply.changes.push_back(*it);
  }
  return reply;
}

bool is_meant(const WatchFilter& filter, const std::string& caller, const JobChange& change) {
  if (!filter.queue.empty() && filter.queue != change.queue) return false;
  if (!filter.ids.empty())
    return std::any_of(filter.ids.begin(), filter.ids.end(), [&](JobId id) {
      return id == change.id || (id.index == 0 && id.job == change.id.job);
    });
  const auto& user = filter.user.empty() ? caller : filter.user;
  return user == "all" || user == change.user;
}

}  // namespace wm::master
