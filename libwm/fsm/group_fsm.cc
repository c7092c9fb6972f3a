#include "libwm/fsm/group_fsm.h"

#include "libwm/fsm/edit.h"
#include "libwm/model/groups.h"

namespace wm::fsm {
namespace {

bool is_active(const Job& job) { return !waits(job) && !is_over(job.state); }

// No end has been decided for it yet.
bool goes_on(const Job& job) {
  return is_active(job) && !job.kill && !job.ending && !job.waits.preempted;
}

const std::string& group_role(const TaskGroup& group) {
  return group.role.empty() ? group.name : group.role;
}

std::string name_of(const Job& job) { return "group <" + group_of(job)->name + ">"; }

std::vector<EventBody> end_others(const Cluster& cluster, const Job& job, bool done,
                                  const std::string& why) {
  std::vector<EventBody> events;
  each_group(cluster, job, [&](const Job& other) {
    if (other.id == job.id || is_over(other.state) || other.kill) return;
    KillWish wish{Term::GroupEnded, "", why, cluster.time};
    wish.done = done;
    events.push_back(KillRequested{other.id, std::move(wish)});
  });
  return events;
}

// Those that live with the job are over, or only the first is and was to be the last. Groups of the
// first one's role are one with it: a driver is not done before its workers are.
bool is_done(const Cluster& cluster, const Job& job) {
  const auto& first = job.sealed->spec.groups.front();
  bool first_is_done = first.restart == Restart::WithJob, all = true;
  each_group(cluster, job, [&](const Job& other) {
    bool over = is_independent(other) || is_over(other.state);
    all = all && over;
    bool counts = group_role(*group_of(other)) == group_role(first);
    first_is_done = first_is_done && (over || !counts);
  });
  return all || first_is_done;
}

// It waits again, or it makes way for another job and will wait again.
bool starts_again(const Job& job) {
  const auto& way = job.waits.preempted;
  return waits(job) || (way && way->requeue && !way->hold);
}

// They started together, and do so again. If it makes way for a job, the others do, too, at once.
std::vector<EventBody> requeue_others(const Cluster& cluster, const Job& job) {
  std::vector<EventBody> events;
  const auto& way = job.waits.preempted;
  auto leave_by = way ? way->leave_by : cluster.time + cluster.config->cluster.times.reclaim_grace;
  each_group(cluster, job, [&](const Job& other) {
    if (is_independent(other) || !goes_on(other)) return;
    Preempted preempted{way ? way->by : JobId{}, leave_by, true, "", false};
    preempted.text = name_of(job) + " is to start again, and so are those that live with it";
    events.push_back(JobPreempted{other.id, other.attempt, std::move(preempted)});
  });
  return events;
}

}  // namespace

std::vector<EventBody> follow_groups(const Cluster& cluster, const Job& job) {
  if (!group_of(job) || is_independent(job)) return {};
  if (job.state == JobState::Failed || job.state == JobState::Killed)
    return end_others(cluster, job, false, name_of(job) + " has ended");
  if (job.state == JobState::Finished && is_done(cluster, job))
    return end_others(cluster, job, true, name_of(job) + " is done");
  if (starts_again(job)) return requeue_others(cluster, job);
  return {};
}

// ---- open arrays ---------------------------------------------------------------------------

void apply_to(Cluster& c, const ElementGiven& e, WallTime now, Touched& t) {
  Job& element = edit_job(c, e.job);
  element.trial.data_hash = e.data_hash;
  element.times.submitted = now;
  t.jobs.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster& c, const ArrayClosed& e, WallTime, Touched& t) {
  edit_job(c, e.job).elements.closed = true;
  t.jobs.insert(e.job);
}

void apply_to(Cluster& c, const TrialReported& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  job.trial.report = e.report;
  job.trial.reported = now;
  t.jobs.insert(e.job);
}

}  // namespace wm::fsm
