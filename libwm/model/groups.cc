#include "libwm/model/groups.h"

#include <algorithm>

namespace wm {

std::uint32_t least_tasks(const Job& job) {
  bool none = is_independent(job) && group_of(job)->min_tasks == 0;
  return none ? 0 : std::max(1u, job.spec().min_tasks);
}

bool groups_are_ready(const Cluster& cluster, const Job& job) {
  if (!group_of(job)) return true;
  bool ready = true;
  each_group(cluster, job, [&](const Job& other) {
    if (is_independent(other) || is_over(other.state)) return;
    bool waits = other.state == JobState::Pending || other.state == JobState::Held;
    ready = ready && (is_independent(job) ? !waits : other.state == JobState::Pending);
  });
  return ready;
}

std::vector<JobId> gang_of(const Cluster& cluster, const Job& job) {
  std::vector<JobId> gang;
  if (!group_of(job) || is_independent(job)) return gang;
  each_group(cluster, job, [&](const Job& other) {
    if (!is_independent(other) && !is_over(other.state)) gang.push_back(other.id);
  });
  if (gang.size() == 1) gang.clear();
  return gang;
}

}  // namespace wm
