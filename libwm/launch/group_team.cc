#include "libwm/launch/group_team.h"

#include <charconv>
#include <set>
#include <string_view>

namespace wm::launch {
namespace {

const std::string& role_in_team(const GroupPlaces& group) {
  return group.role.empty() ? group.name : group.role;
}

const GroupPlaces& group_here(const HostOrder& order) {
  return order.team.groups[order.job.index - 1];
}

std::string_view host_in(std::string_view place) { return place.substr(0, place.rfind(':')); }

std::uint32_t port_in(std::string_view place) {
  std::uint32_t port = 0;
  auto digits = place.substr(place.rfind(':') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return port;
}

std::uint32_t hosts_in(const GroupPlaces& group) {
  std::set<std::string_view> hosts;
  for (const auto& place : group.at) hosts.insert(host_in(place));
  return static_cast<std::uint32_t>(hosts.size());
}

/// Visits the other groups of the team. @shape void visit(const GroupPlaces&, bool is_before)
template <class Visit>
void each_other_in_team(const HostOrder& order, Visit visit) {
  const auto& own = group_here(order);
  bool before = true;
  for (const auto& group : order.team.groups) {
    if (&group == &own) before = false;
    else if (role_in_team(group) == role_in_team(own)) visit(group, before);
  }
}

}  // namespace

bool is_in_team(const HostOrder& order) {
  bool grouped = order.job.index != 0 && order.job.index <= order.team.groups.size();
  if (!grouped || order.team.elastic) return false;
  bool others = false;
  each_other_in_team(order, [&](const GroupPlaces&, bool) { others = true; });
  return others;
}

Place team_place(const HostOrder& order, TaskNumber task) {
  auto place = place_of(order, task);
  if (!is_in_team(order)) return place;
  each_other_in_team(order, [&](const GroupPlaces& group, bool before) {
    auto tasks = static_cast<std::uint32_t>(group.at.size()), hosts = hosts_in(group);
    place.world += tasks;
    place.hosts += hosts;
    if (!before) return;
    place.rank += tasks;
    place.host_rank += hosts;
  });
  return place;
}

TeamMeeting meeting_of(const HostOrder& order) {
  if (!is_in_team(order)) return {master_address(order), master_port(order)};
  const GroupPlaces* first = &group_here(order);
  bool found = false;
  each_other_in_team(order, [&](const GroupPlaces& group, bool before) {
    if (before && !found) first = &group;
    found = found || before;
  });
  // Older masters say names alone.
  const auto& at = first->addresses.empty() ? first->at : first->addresses;
  if (at.empty()) return {};
  std::string address(host_in(at.front()));
  if (address.starts_with('[')) address = address.substr(1, address.size() - 2);
  return {std::move(address), port_in(at.front())};
}

JobId results_id(const HostOrder& order) {
  return is_in_team(order) ? JobId{order.job.job, 0} : order.job;
}

std::uint32_t log_number(const HostOrder& order, TaskNumber task) {
  auto number = task.value;
  if (!is_in_team(order)) return number;
  each_other_in_team(order, [&](const GroupPlaces& group, bool before) {
    if (before) number += static_cast<std::uint32_t>(group.at.size());
  });
  return number;
}

}  // namespace wm::launch
