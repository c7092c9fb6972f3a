#include "commands/common/host_listing.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "commands/common/aligned.h"
#include "libwm/expr/resreq.h"
#include "libwm/expr/select.h"
#include "libwm/view/group_tables.h"

namespace wm::cmd {
namespace {

constexpr Listing kResources{"", "RESOURCES", "resource value location"};

// A host, or the hosts of a group.
void add_hosts(const Config& config, const std::string& name, std::vector<std::string>& names) {
  auto before = names.size();
  if (!config.host(name))
    for (const HostConf& host : config.hosts)
      if (std::ranges::find(host.groups, name) != host.groups.end()) names.push_back(host.name);
  if (names.size() == before) names.push_back(name);
}

Result<void> leave_out(const Config& config, const std::string& wanted,
                       std::vector<HostView>& hosts) {
  WM_TRY(auto requirement, expr::parse_resreq(wanted));
  WM_TRY(auto select, expr::Select::parse(requirement.select));
  if (select.empty()) return {};
  std::erase_if(hosts, [&](const HostView& view) {
    const HostConf* conf = config.host(view.host.name);
    return !select.matches([&](auto name) { return expr::host_value(view.host, conf, name); });
  });
  return {};
}

}  // namespace

Result<HostsReply> hosts_asked(client::Master& from, const Parsed& options, int& code) {
  std::shared_ptr<const Config> config;
  if (!options.words.empty() || options.has("R")) {
    WM_TRY(config, from.conf());
  }
  HostsRequest request;
  request.with_cpus = options.has("aff") || options.has("T") || options.has("l") ||
                      options.has("o") || options.has("json");
  for (const auto& name : options.words) add_hosts(*config, name, request.names);
  WM_TRY(auto reply, from.ask(request));
  for (const auto& name : request.names) {
    if (std::ranges::find(reply.hosts, name, [](auto& v) { return v.host.name; }) !=
        reply.hosts.end())
      continue;
    complain(name + ": Bad host name, host group name or cluster name\n");
    code = kRefused;
  }
  if (options.has("R")) WM_TRY(leave_out(*config, *options.first("R"), reply.hosts));
  return reply;
}

Result<void> print_hosts(const HostListing& how, const Parsed& options,
                         std::span<const HostView> hosts, const Config& config) {
  std::vector<view::ShownHost> shown;
  for (const auto& view : hosts) shown.push_back({&view, config.host(view.host.name)});
  bool header = !options.has("noheader");
  auto wanted = format_wanted(options, how.listing);
  if (!wanted) {
    for (const auto& table : how.tables)
      if (table.option.empty() || options.has(table.option))
        return say(table.of(shown, header)), Result<void>{};
    return {};
  }
  auto names = view::names_of(how.fields);
  const auto more = how.more_names(shown);
  auto text = view::expand_names(*wanted, more);
  if (text.empty()) return {};  // a pattern that nothing here has
  std::vector<view::FieldName> known = names;
  for (const auto& name : more) known.push_back({name, "", 10, name});
  WM_TRY(auto format, view::parse_format(text, known));
  auto own = cluster_conf();
  std::string unit = own ? own->lsf.unit : "";
  format.unit = {unit == "default" || unit.empty() ? "M" : unit.substr(0, 1), how.whole_sizes};
  std::vector<std::vector<std::string>> rows;
  for (const auto& host : shown) {
    auto& row = rows.emplace_back();
    for (const auto& column : format.columns)
      row.push_back(column.field < names.size()
                        ? how.fields[column.field].show(host, view::unit_of(format, column))
                        : view::extra_load(host, more[column.field - names.size()]));
  }
  auto headings = view::headings_of(format, known);
  say(options.has("json") ? view::json_text(how.listing.command, how.listing.count_key,
                                            view::records_of(headings, rows))
                          : view::table_text(format, headings, rows, header));
  return {};
}

Result<int> list_hosts(const HostListing& how, const Parsed& options,
                       void (*changed)(std::vector<HostView>&)) {
  WM_TRY(auto from, master());
  int code = 0;
  WM_TRY(auto reply, hosts_asked(from, options, code));
  WM_TRY(auto config, from.conf());
  if (options.has("n")) {
    std::size_t most = std::strtoull(options.first("n")->c_str(), nullptr, 10);
    if (reply.hosts.size() > most) reply.hosts.resize(most);
  }
  if (changed) changed(reply.hosts);
  WM_TRY(print_hosts(how, options, reply.hosts, *config));
  return code;
}

Result<int> list_host_resources(const Parsed& options, std::string_view command) {
  WM_TRY(auto from, master());
  WM_TRY(auto config, from.conf());
  auto rows = view::resource_rows(*config);
  std::erase_if(rows, [&](const auto& row) {
    return row.value.empty() || (!options.words.empty() &&
                                 std::ranges::find(options.words, row.name) == options.words.end());
  });
  auto how = kResources;
  how.command = command;
  WM_TRY(auto text,
         listed_or_aligned<view::ResourceRow>(options, how, view::resource_fields(), rows));
  if (!rows.empty() || options.has("json")) say(text);
  else complain("No shared resource found\n");
  return rows.empty() && !options.words.empty() ? kRefused : 0;
}

}  // namespace wm::cmd
