#include "libwm/model/groups.h"

#include <algorithm>
#include <set>

namespace wm {
namespace {

bool is_wanted(const Task& task) {
  return !task.kill && !task.moves &&
         (task.state == TaskState::Starting || task.state == TaskState::Running);
}

}  // namespace

JobId results_owner(const Job& job, JobId id) {
  const auto& groups = job.sealed->spec.groups;
  const TaskGroup* own = group_of(job);
  if (!own || id.index == 0 || own->elastic || own->restart == Restart::Independent) return id;
  auto role = [](const TaskGroup& group) { return group.role.empty() ? group.name : group.role; };
  bool team = std::ranges::any_of(
      groups, [&](const TaskGroup& other) { return &other != own && role(other) == role(*own); });
  return team ? JobId{id.job, 0} : id;
}

bool is_lost(const Task& task) {
  return task.holds_slot() && task.kill && task.term == Term::HostLost;
}

std::uint32_t least_tasks(const Job& job) {
  bool none = is_independent(job) && group_of(job)->min_tasks == 0;
  return none ? 0 : std::max(1u, job.spec().min_tasks);
}

std::vector<TaskNumber> next_numbers(const Job& job, std::uint32_t more) {
  const auto& spec = job.spec();
  bool fixed = is_independent(job) && group_of(job)->min_tasks == spec.max_tasks;
  std::uint32_t size = fixed ? spec.max_tasks : 1;
  std::set<std::uint32_t> taken;
  for (const Task& task : job.tasks)
    if (fixed && is_wanted(task)) taken.insert(place_in(size, task.number));
  std::vector<TaskNumber> numbers;
  for (TaskNumber number{job.last_task.value + 1}; numbers.size() < more; ++number.value) {
    bool free = !fixed || taken.size() >= size || !taken.contains(place_in(size, number));
    if (!free) continue;
    numbers.push_back(number);
    taken.insert(place_in(size, number));
  }
  return numbers;
}

bool has_lost_task(const Job& job) {
  return std::any_of(job.tasks.begin(), job.tasks.end(), is_lost);
}

bool has_moving_task(const Job& job) {
  return std::any_of(job.tasks.begin(), job.tasks.end(),
                     [](const Task& task) { return task.moves && task.holds_slot(); });
}

bool has_begun_work(const Config& config, const Job& job, const Task& task) {
  const auto& members = job.membership.members;
  auto mode = resize_mode_of(config, job);
  bool told = is_independent(job) && std::any_of(job.tasks.begin(), job.tasks.end(),
                                                 [](const Task& other) { return other.serves; });
  if (told) return task.serves;
  if (mode == ResizeMode::Restart) return true;
  if (mode == ResizeMode::InPlace)
    return std::find(members.begin(), members.end(), task.number) != members.end();
  return task.state == TaskState::Running;
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
