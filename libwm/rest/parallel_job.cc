#include "libwm/rest/parallel_job.h"

#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/model/exec_id.h"
#include "libwm/rest/app_json.h"
#include "libwm/rest/exec_json.h"

namespace wm::rest {
namespace {

const char* status_word(JobState state) {
  switch (state) {
    case JobState::Held:
    case JobState::Pending:
    case JobState::Launching: return "Pending";
    case JobState::Finished: return "Succeeded";
    case JobState::Failed:
    case JobState::Killed:
    case JobState::Error: return "Failed";
    default: return "Running";
  }
}

std::string reasons_of(const JobView& view) {
  std::string text;
  for (const auto& reason : view.reasons) text += (text.empty() ? "" : "; ") + reason.text;
  return text;
}

Json resources_of(const JobSpec& spec) {
  const auto& task = spec.task;
  auto memory = [](Bytes bytes) { return std::to_string(bytes.value >> 20) + "M"; };
  Json requests{{"cpu", std::to_string(task.milli_cpus) + "m"}};
  if (task.mem.value > 0) requests["memory"] = memory(task.mem);
  if (task.milli_gpus > 0) requests["nvidia.com/gpu"] = std::to_string(task.milli_gpus / 1000);
  Json limits = Json::object();
  if (spec.limits.mem.value > 0) limits["memory"] = memory(spec.limits.mem);
  return {{"requests", requests}, {"limits", limits}};
}

Json task_group(const char* name, const JobSpec& spec, std::uint32_t tasks) {
  Json task{{"name", "msdtask"}, {"resources", resources_of(spec)}};
  Json containers = Json::array();
  containers.push_back(std::move(task));
  return {{"metadata", {{"name", name}, {"annotations", {{"lsf.ibm.com/gpu", spec.asked.gpu}}}}},
          {"spec", {{"replica", tasks}, {"template", {{"spec", {{"containers", containers}}}}}}}};
}

// A driver that is a group of its own is the first task; its workers' group is the next one. The
// size that the whole is seen with is that of both.
Json task_groups_of(const JobView& view) {
  Json groups = Json::array();
  const auto& alternatives = view.job->sealed->alternatives;
  const auto& asked = view.job->sealed->spec.groups;
  if (has_driver(view) && alternatives.size() > 1) {
    groups.push_back(task_group("task0", alternatives[0], asked[0].max_tasks));
    groups.push_back(task_group("task12n", alternatives[1], asked[1].max_tasks));
  } else {
    groups.push_back(task_group("task12n", view.job->spec(), view.job->spec().max_tasks));
  }
  return groups;
}

}  // namespace

std::string parallel_job_json(const JobView& view, std::string_view cluster) {
  const auto& job = *view.job;
  const auto& spec = job.spec();
  auto id = exec_id(cluster, view.id);
  auto created = iso_time(job.times.submitted);
  Json status{{"jobStatus", status_word(job.state)}, {"creationTimestamp", created}};
  if (auto why = reasons_of(view); !why.empty()) status["jobPendingReason"] = why;
  if (auto started = iso_time(job.times.started); !started.empty())
    status["jobStartTime"] = started;
  return wm::to_text({{"kind", "ParallelJob"},
                      {"metadata",
                       {{"name", id},
                        {"namespace", cluster},
                        {"creationTimestamp", created},
                        {"labels", {{"msd/job", id}, {"msd/job-type", type_word(view)}}},
                        {"annotations",
                         {{"lsf.ibm.com/consumer", consumer_of(view.plan, cluster)},
                          {"lsf.ibm.com/submissionUser", spec.owner.user},
                          {"lsf.ibm.com/gpu", spec.asked.gpu}}}}},
                      {"status", status},
                      {"spec", {{"taskGroups", task_groups_of(view)}}}});
}

}  // namespace wm::rest
