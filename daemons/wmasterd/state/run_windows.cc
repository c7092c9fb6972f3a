#include "daemons/wmasterd/state/run_windows.h"

#include <algorithm>
#include <set>

#include "libwm/model/stoppers.h"

namespace wm::master {
namespace {

/// What becomes of a job that runs when its window closes: it is told, ended or stopped.
void close_on(const Job& job, const QueueConf* queue, bool seen, WallTime now,
              RunWindows::Changes& made) {
  const std::string by = window_stopper(job.spec().queue);
  if (auto signal = job.spec().side.window_signal) {
    if (seen) made.signals.emplace_back(job.id, static_cast<std::int32_t>(signal));
  } else if (queue && queue->terminate_when.window) {
    made.events.push_back(KillRequested{job.id, {kTermWindow, "wm", by + " has closed", now}});
  } else if (job.suspension.by.empty()) {
    made.events.push_back(JobSuspended{job.id, by});
  }
}

// Jobs that hold slots, rising: what runs or is stopped does.
template <class Visit>
void each_holder(const Cluster& state, Visit visit) {
  std::vector<JobId> ids;
  state.indexes.jobs_on.each([&](std::uint64_t, const JobsOnHost& jobs) {
    for (const auto& [id, slots] : jobs) ids.push_back(id);
  });
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (JobId id : ids) visit(*find_job(state, id));
}

}  // namespace

RunWindows::Changes RunWindows::changes(const Cluster& state, WallTime now) {
  bool seen = !open_.empty();
  std::set<std::string> opened, closed;
  std::map<std::string, bool> known;
  for (const QueueConf& queue : state.config->queues) {
    bool is_open = wm::is_open(queue.run_window, state.config->clock, now);
    auto before = open_.find(queue.name);
    bool news = before == open_.end() ? true : before->second != is_open;
    if (news) (is_open ? opened : closed).insert(queue.name);
    known[queue.name] = is_open;
  }
  open_ = std::move(known);
  Changes made;
  if (opened.empty() && closed.empty()) return made;
  each_holder(state, [&](const Job& job) {
    const std::string& queue = job.spec().queue;
    const std::string by = window_stopper(queue);
    bool runs = job.state == JobState::Running && !job.kill && !job.ending;
    if (closed.count(queue) && runs) close_on(job, state.config->queue(queue), seen, now, made);
    bool ours = job.state == JobState::Suspended && job.suspension.by == by;
    if (opened.count(queue) && ours) made.events.push_back(JobResumed{job.id, by});
  });
  return made;
}

}  // namespace wm::master
