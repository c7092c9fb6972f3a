#include "libwm/rest/app_json.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "libwm/rest/exec_outcome.h"
#include "libwm/rest/json_text.h"

namespace wm::rest {
namespace {

std::int64_t whole_seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

// "ngpus=1,mem=4096,ncpus=1": memory in MB.
std::string request_text(const TaskRequest& task) {
  return "ngpus=" + std::to_string(task.milli_gpus / 1000) +
         ",mem=" + std::to_string(task.mem.value >> 20) +
         ",ncpus=" + std::to_string(task.milli_cpus / 1000);
}

// A driver that is a group of its own, and its workers: the first two groups.
const JobSpec* group_asked(const JobView& view, std::size_t group) {
  const auto& groups = view.job->sealed->alternatives;
  return has_driver(view) && groups.size() > group ? &groups[group] : nullptr;
}

std::string task0_request(const JobView& view) {
  const auto* driver = group_asked(view, 0);
  return driver ? request_text(driver->task) : "";
}

std::string task12n_request(const JobView& view) {
  const auto* workers = group_asked(view, 1);
  return request_text(workers ? workers->task : view.job->spec().task);
}

Json tasks_of(const JobView& view) {
  Json list = Json::array();
  const auto& tasks = view.job->tasks;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i].has_process)
      list.push_back({{"id", std::to_string(tasks[i].number.value)},
                      {"host", i < view.task_hosts.size() ? view.task_hosts[i] : ""},
                      {"state", tasks[i].state == TaskState::Running ? "RUNNING" : "FINISHED"}});
  return list;
}

// A path's last part, and what stands before it; of the root: the cluster's name, and nothing.
std::pair<std::string, std::string> split(const std::string& path) {
  auto slash = path.rfind('/');
  return {path.substr(slash + 1), path.substr(0, slash)};
}

Json tree_below(std::span<const PlanView> plans, const std::string& path, const std::string& id,
                const std::string& parent) {
  Json children = Json::array();
  for (const auto& plan : plans) {
    if (plan.path == "/" || plan.path == path) continue;
    auto [name, above] = split(plan.path);
    if (above == (path == "/" ? "" : path))
      children.push_back(tree_below(plans, plan.path, name, id));
  }
  Json node{{"id", id}, {"pid", parent}, {"childTreeDto", nullptr}};
  if (!children.empty()) node["childTreeDto"] = children;
  return node;
}

}  // namespace

std::string_view type_word(const JobView& view) {
  if (view.app_type == "notebook") return "Notebook";
  if (view.app_type == "inference") return "Inference";
  return view.app_type == "batch" ? "Batch" : "Training";
}

std::string app_json(const JobView& view, std::string_view cluster) {
  const auto& job = *view.job;
  const auto& spec = job.spec();
  auto held = slots_held(job);
  auto tasks = tasks_of(view);
  return wm::to_text({{"id", exec_id(cluster, view.id)},
                      {"name", spec.name},
                      {"consumer", consumer_of(view.plan, cluster)},
                      {"submit_user", spec.owner.user},
                      {"tag", ""},
                      {"type", type_word(view)},
                      {"state", app_state(job)},
                      {"priority", spec.user_priority},
                      {"submit_time", whole_seconds(job.times.submitted)},
                      {"start_time", whole_seconds(job.times.started)},
                      {"end_time", whole_seconds(job.times.ended)},
                      {"used_gpu", held * spec.task.milli_gpus / 1000.0},
                      {"used_mem", static_cast<double>(held * (spec.task.mem.value >> 20))},
                      {"used_cpu", held * spec.task.milli_cpus / 1000.0},
                      {"task0_resreq", task0_request(view)},
                      {"task12n_resreq", task12n_request(view)},
                      {"task12n_num", tasks.size()},
                      {"task12n", tasks},
                      {"kernels", Json::array()},
                      {"is_packing", false},
                      {"pack_id", ""},
                      {"gpu_pack_id", ""},
                      {"driverid", ""},
                      {"applicationid", exec_id(cluster, view.id)},
                      {"applicationname", spec.name}});
}

std::string conductor_json(const JobView& view, std::string_view cluster, WallTime now) {
  const auto& job = *view.job;
  auto id = exec_id(cluster, view.id);
  Json executors = Json::array();
  for (const auto& task : tasks_of(view))
    executors.push_back({{"id", task["id"]}, {"state", task["state"]}, {"host", task["host"]}});
  auto end = is_over(job.state) ? job.times.ended : now;
  auto ran =
      job.times.started == WallTime{} ? 0 : whole_seconds(end) - whole_seconds(job.times.started);
  return wm::to_text({{"id", id},
                      {"name", job.spec().name},
                      {"state", app_state(job)},
                      {"driver", {{"id", id}, {"state", app_state(job)}}},
                      {"apprunduration", ran},
                      {"gpuslots", slots_held(job) * job.spec().task.milli_gpus / 1000.0},
                      {"gpumemused", {{"total", 0}}},
                      {"gpudevutil", {{"total", 0}}},
                      {"executors", executors}});
}

std::string plan_tree_json(std::span<const PlanView> plans, std::string_view cluster) {
  return wm::to_text(tree_below(plans, "/", std::string(cluster), ""));
}

std::string plan_node_json(const PlanView& plan, std::string_view cluster) {
  auto path = consumer_of(plan.path, cluster);
  return wm::to_text({{"id", split(path).first},
                      {"path", path},
                      {"shares", plan.shares},
                      {"owns", plan.owns},
                      {"deserved", plan.deserved},
                      {"used", plan.used},
                      {"demand", plan.demand},
                      {"lent", plan.lent},
                      {"borrowed", plan.borrowed}});
}

std::string consumer_of(std::string_view plan, std::string_view cluster) {
  return "/" + std::string(cluster) + (plan == "/" ? "" : std::string(plan));
}

std::string plan_of(std::string_view consumer, std::string_view cluster) {
  auto root = "/" + std::string(cluster);
  if (consumer == root) return "/";
  if (consumer.starts_with(root + "/")) return std::string(consumer.substr(root.size()));
  return std::string(consumer);
}

std::string_view last_lines(std::string_view text, std::size_t lines) {
  auto at = text.size() - (text.ends_with('\n') ? 1 : 0);
  for (; lines > 0 && at > 0; --lines) {
    auto before = text.substr(0, at).rfind('\n');
    if (before == text.npos) return text;
    at = before;
  }
  return text.substr(std::min(at + 1, text.size()));
}

}  // namespace wm::rest
