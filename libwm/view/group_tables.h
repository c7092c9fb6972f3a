// Role: groups of users and of hosts with their members, and the sites' own resources of hosts:
// what bugroup, bmgroup and bresources show. Pure. @source LSF bugroup, bmgroup, bresources
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libwm/model/config/config.h"
#include "libwm/view/field.h"

namespace wm::view {

/// A group. Members by name; a group among them has a '/' behind it.
struct GroupRow {
  std::string name;
  std::vector<std::string> members;
  bool operator==(const GroupRow&) const = default;
};

/// Groups of users.conf, by name. @cost O(users)
std::vector<GroupRow> user_groups(const Config& config);
/// Groups of hosts.conf. @cost O(hosts)
std::vector<GroupRow> host_groups(const Config& config);
/// With the members of groups in their place. @cost O(members of all)
std::vector<GroupRow> expanded(std::span<const GroupRow> groups);

/// Columns of bugroup; of bmgroup. @cost O(1)
std::span<const Field<GroupRow>> user_group_fields();
std::span<const Field<GroupRow>> host_group_fields();
/// "GROUP_NAME    USERS" (or HOSTS), a line a group. @cost O(members)
std::string group_table(std::span<const GroupRow> groups, std::string_view of, bool with_header);

/// A resource of hosts.conf: which hosts have it, and how much or what of it.
struct ResourceRow {
  std::string name, value;
  std::vector<std::string> hosts;
  bool operator==(const ResourceRow&) const = default;
};
/// A row for each resource and value. @cost O(hosts)
std::vector<ResourceRow> resource_rows(const Config& config);
/// Columns of bresources -s; of bhosts -s. @cost O(1)
std::span<const Field<ResourceRow>> resource_fields();
std::span<const Field<ResourceRow>> shared_resource_fields();

}  // namespace wm::view
