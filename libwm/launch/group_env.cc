#include "libwm/launch/group_env.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libwm/base/joined.h"
#include "libwm/launch/placing.h"
#include "libwm/model/groups.h"

namespace wm::launch {
namespace {

const std::string& role_of(const GroupPlaces& group) {
  return group.role.empty() ? group.name : group.role;
}

// TensorFlow's library for names is its own and knows less than the host's, so it gets addresses.
const std::vector<std::string>& addresses_of(const GroupPlaces& group) {
  return group.addresses.size() == group.at.size() ? group.addresses : group.at;
}

// "worker-2": WM_GROUP_WORKER_2.
std::string variable_of(const std::string& name) {
  std::string text = "WM_GROUP_";
  for (char c : name) text += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return text;
}

bool has_groups(const HostOrder& order) {
  return order.job.index != 0 && order.job.index <= order.team.groups.size();
}

const GroupPlaces& own_group(const HostOrder& order) {
  return order.team.groups[order.job.index - 1];
}

// A router that replaces another has its rank: by that the others know it.
std::uint32_t rank_in_group(const HostOrder& order, TaskNumber task, std::uint32_t by_host) {
  bool fixed = order.team.min_tasks == order.team.max_tasks && order.team.max_tasks > 0;
  bool service = !order.resolved.exec.service.empty();
  return service && fixed ? place_in(order.team.max_tasks, task) : by_host;
}

}  // namespace

// Names and roles are letters, digits, - and _; addresses, hosts' names and ports need no escape
// either.
std::string tf_config(const HostOrder& order, std::uint32_t rank) {
  std::vector<std::pair<std::string, std::vector<std::string>>> roles;
  const GroupPlaces& own = own_group(order);
  std::size_t index = rank;
  for (const GroupPlaces& group : order.team.groups) {
    auto known = std::ranges::find(roles, role_of(group), [](const auto& r) { return r.first; });
    if (known == roles.end()) known = roles.insert(roles.end(), {role_of(group), {}});
    if (&group == &own) index += known->second.size();
    const auto& at = addresses_of(group);
    known->second.insert(known->second.end(), at.begin(), at.end());
  }
  std::string cluster;
  for (const auto& [role, at] : roles) {
    if (at.empty()) continue;
    cluster += (cluster.empty() ? "\"" : ",\"") + role + "\":[\"" + joined(at, "\",\"") + "\"]";
  }
  return "{\"cluster\":{" + cluster + "},\"task\":{\"type\":\"" + role_of(own) +
         "\",\"index\":" + std::to_string(index) + "}}";
}

void add_group_places(VariableMap& vars, const HostOrder& order) {
  if (!has_groups(order)) return;
  vars["WM_GROUP"] = own_group(order).name;
  for (const GroupPlaces& group : order.team.groups)
    vars[variable_of(group.name)] = joined(group.at, ",");
}

void add_groups(VariableMap& vars, const HostOrder& order, const OrderedTask& task) {
  if (!has_groups(order)) return;
  add_group_places(vars, order);
  auto rank = place_of(order, task.task).rank;
  const GroupPlaces& own = own_group(order);
  vars["WM_GROUP_RANK"] = std::to_string(rank_in_group(order, task.task, rank));
  if (rank < own.at.size()) {
    const auto& at = own.at[rank];
    vars["WM_GROUP_PORT"] = at.substr(at.rfind(':') + 1);
  }
  vars["TF_CONFIG"] = tf_config(order, rank);
  if (!order.resolved.exec.service.empty())
    vars["MSD_POD_NAME"] = vars["TASK_JOB_ID"] + "-" + std::to_string(order.attempt.value) + "-" +
                           std::to_string(task.task.value);
}

}  // namespace wm::launch
