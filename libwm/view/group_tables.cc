#include "libwm/view/group_tables.h"

#include <algorithm>
#include <map>
#include <set>

#include "libwm/base/joined.h"
#include "libwm/view/format.h"
#include "libwm/view/table.h"

namespace wm::view {
namespace {

std::vector<GroupRow> rows_of(std::map<std::string, std::vector<std::string>> groups) {
  std::vector<GroupRow> rows;
  for (auto& [name, members] : groups) {
    std::ranges::sort(members);
    rows.push_back({name, std::move(members)});
  }
  return rows;
}

// The members of a group and of those in it; a circle ends where it began.
void gather(std::span<const GroupRow> groups, const std::string& name, std::set<std::string>& seen,
            std::set<std::string>& members) {
  if (!seen.insert(name).second) return;
  auto row = std::ranges::find(groups, name, &GroupRow::name);
  if (row == groups.end()) return;
  for (const auto& member : row->members) {
    if (member.ends_with('/')) gather(groups, member.substr(0, member.size() - 1), seen, members);
    else members.insert(member);
  }
}

constexpr Field<GroupRow> kUserGroups[] = {
    {{"group_name", "group name", 15}, kBrief, [](const GroupRow& g) { return g.name; }},
    {{"users", "members", 30}, kBrief, [](const GroupRow& g) { return g.members; }},
};
constexpr Field<GroupRow> kHostGroups[] = {
    {{"group_name", "group name", 15}, kBrief, [](const GroupRow& g) { return g.name; }},
    {{"hosts", "members", 30}, kBrief, [](const GroupRow& g) { return g.members; }},
};
constexpr Field<ResourceRow> kShared[] = {
    {{"resource", "name", 15}, kBrief, [](const ResourceRow& r) { return r.name; }},
    {{"total", "", 10}, kBrief, [](const ResourceRow& r) { return r.value; }},
    {{"reserved", "", 10}, kBrief, [](const ResourceRow&) { return "0.0"; }},
    {{"location", "hosts", 30}, kBrief, [](const ResourceRow& r) { return r.hosts; }},
};
constexpr Field<ResourceRow> kResources[] = {
    {{"resource", "name", 15}, kBrief, [](const ResourceRow& r) { return r.name; }},
    {{"value", "", 10}, kBrief, [](const ResourceRow& r) { return r.value; }},
    {{"location", "hosts", 30}, kBrief, [](const ResourceRow& r) { return r.hosts; }},
};

}  // namespace

std::vector<GroupRow> user_groups(const Config& config) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const auto& user : config.users) {
    bool is_group = user.name.starts_with('@');
    if (is_group) groups[user.name.substr(1)];
    for (const auto& group : user.groups)
      groups[group.starts_with('@') ? group.substr(1) : group].push_back(
          is_group ? user.name.substr(1) + "/" : user.name);
  }
  return rows_of(std::move(groups));
}

std::vector<GroupRow> host_groups(const Config& config) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const auto& host : config.hosts)
    for (const auto& group : host.groups) groups[group].push_back(host.name);
  return rows_of(std::move(groups));
}

std::vector<GroupRow> expanded(std::span<const GroupRow> groups) {
  std::vector<GroupRow> rows;
  for (const auto& group : groups) {
    std::set<std::string> seen, members;
    gather(groups, group.name, seen, members);
    rows.push_back({group.name, {members.begin(), members.end()}});
  }
  return rows;
}

std::span<const Field<GroupRow>> user_group_fields() { return kUserGroups; }
std::span<const Field<GroupRow>> host_group_fields() { return kHostGroups; }
std::span<const Field<ResourceRow>> resource_fields() { return kResources; }
std::span<const Field<ResourceRow>> shared_resource_fields() { return kShared; }

std::string group_table(std::span<const GroupRow> groups, std::string_view of, bool with_header) {
  std::string text = with_header ? "GROUP_NAME    " + std::string(of) + "\n" : "";
  static constexpr int kWidths[] = {12};
  for (const auto& group : groups)
    text += line_of(Cells{group.name, joined(group.members)}, kWidths, TooWide::Keep, "  ") + "\n";
  return text;
}

std::vector<ResourceRow> resource_rows(const Config& config) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> found;
  for (const auto& host : config.hosts)
    for (const auto& resource : host.resources) found[resource].push_back(host.name);
  std::vector<ResourceRow> rows;
  for (auto& [resource, hosts] : found)
    rows.push_back({resource.first, resource.second, std::move(hosts)});
  return rows;
}

}  // namespace wm::view
