#include "libwm/fsm/part.h"

#include <algorithm>

namespace wm::fsm {

bool is_part(const Job& job, const Task& task) {
  if (task.has_process || !job.membership.doors.contains(task.host)) return false;
  return std::none_of(job.tasks.begin(), job.tasks.end(),
                      [&](const Task& t) { return t.has_process && t.host == task.host; });
}

bool may_still_run(const Job& job, const Task& task) {
  if (task.state == TaskState::Gone || task.state == TaskState::Stuck) return false;
  return task.has_process || is_part(job, task);
}

bool only_delivers(const Job& job) {
  return job.outcome.delivers_on &&
         std::none_of(job.tasks.begin(), job.tasks.end(),
                      [&](const Task& task) { return may_still_run(job, task); });
}

}  // namespace wm::fsm
