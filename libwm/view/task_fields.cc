// Fields of a job's tasks, in JSON.
#include <algorithm>
#include <optional>

#include "libwm/view/job_fields.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

std::string_view task_state(const Task& task) {
  switch (task.state) {
    case TaskState::Starting: return "starting";
    case TaskState::Running: return "running";
    case TaskState::Leaving: return "leaving";
    case TaskState::Gone: return "gone";
    case TaskState::Stuck: return "stuck";
  }
  return "";
}

// Of a job with groups; others have none.
std::string_view role_of(const ShownTask& shown) {
  const auto& groups = shown.view->job->sealed->spec.groups;
  auto index = shown.view->job->id.index;
  if (index == 0 || index > groups.size()) return "";
  const auto& group = groups[index - 1];
  return group.role.empty() ? group.name : group.role;
}

constexpr Field<ShownTask> kTaskFields[] = {
    {{"task", ""}, kFull, [](const ShownTask& t) { return t.task->number.value; }},
    {{"rank", ""},
     kFull,
     [](const ShownTask& t) {
       const auto& members = t.view->job->membership.members;
       auto at = std::find(members.begin(), members.end(), t.task->number);
       return at == members.end() ? std::nullopt : std::optional(at - members.begin());
     }},
    {{"role", ""}, kFull, [](const ShownTask& t) { return role_of(t); }},
    {{"host", ""}, kFull, [](const ShownTask& t) { return t.host; }},
    {{"gpus", ""},
     kFull,
     [](const ShownTask& t) {
       std::vector<std::string> gpus;
       for (auto gpu : t.task->gpus) gpus.push_back(std::to_string(gpu));
       return gpus;
     }},
    {{"state", ""}, kFull, [](const ShownTask& t) { return task_state(*t.task); }},
    {{"pid", ""}, kFull, [](const ShownTask& t) { return if_set(t.task->pid); }},
    {{"dispatch_time", ""}, kFull, [](const ShownTask& t) { return t.task->since; }},
    {{"end_time", ""}, kFull, [](const ShownTask& t) { return t.task->ended; }},
    {{"end_reason", ""},
     kFull,
     [](const ShownTask& t) {
       return t.task->term == Term::None ? std::string_view() : term_name(t.task->term);
     }},
};

}  // namespace

std::span<const Field<ShownTask>> task_fields() { return kTaskFields; }

std::vector<ShownTask> shown_tasks(const JobView& view) {
  std::vector<ShownTask> tasks;
  for (std::size_t i = 0; i < view.job->tasks.size() && i < view.task_hosts.size(); ++i)
    tasks.push_back({&view, &view.job->tasks[i], view.task_hosts[i]});
  return tasks;
}

}  // namespace wm::view
