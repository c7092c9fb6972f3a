#include "daemons/wmasterd/accounting.h"

#include <algorithm>

namespace wm::master {
namespace {

bool selected(const JobSelection& s, const HistoryJob& job, bool array) {
  if (!s.ids.empty())
    return std::any_of(s.ids.begin(), s.ids.end(), [&](JobId id) {
      return id == job.id || (id.index == 0 && id.job == job.id.job && !array);
    });
  if (!s.user.empty() && s.user != "all" && job.user != s.user) return false;
  if (!s.queue.empty() && job.queue != s.queue) return false;
  return s.project.empty() || job.project == s.project;
}

}  // namespace

void Accounting::take(const std::vector<Event>& events, const Cluster& after) {
  std::lock_guard lock(mutex_);
  for (const auto& event : events) fold(lines_, event, after);
}

HistoryReply Accounting::history(const HistoryRequest& request) const {
  std::lock_guard lock(mutex_);
  HistoryReply reply;
  for (const auto& [id, line] : lines_)
    if (selected(request.jobs, line.job, false)) reply.jobs.push_back(line.job);
  for (auto id : request.jobs.ids)
    if (!lines_.count(id)) reply.missing.push_back(id);
  return reply;
}

}  // namespace wm::master
