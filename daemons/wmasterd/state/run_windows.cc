#include "daemons/wmasterd/state/run_windows.h"

#include <set>

namespace wm::master {

std::string window_stopper(const std::string& queue) {
  return "run window of queue <" + queue + ">";
}

std::vector<EventBody> RunWindows::changes(const Cluster& state, WallTime now) {
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
  std::vector<EventBody> events;
  if (opened.empty() && closed.empty()) return events;
  each_job(state, [&](const Job& job) {
    const std::string& queue = job.spec().queue;
    const std::string by = window_stopper(queue);
    bool runs = job.state == JobState::Running && !job.kill && !job.ending;
    if (closed.count(queue) && runs && job.suspension.by.empty())
      events.push_back(JobSuspended{job.id, by});
    bool ours = job.state == JobState::Suspended && job.suspension.by == by;
    if (opened.count(queue) && ours) events.push_back(JobResumed{job.id, by});
  });
  return events;
}

}  // namespace wm::master
