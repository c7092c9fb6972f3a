#include "commands/common/host_listing.h"

#include <algorithm>
#include <memory>

#include "libwm/expr/resreq.h"
#include "libwm/expr/select.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kHostListingOptions[] = {
    {"gpu", Kind::Flag, "", "About GPUs"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"l", Kind::Flag, "", "Long, where there is more to tell"},
    {"R", Kind::Text, "res_req", "Hosts for which its select section holds"},
};

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

std::span<const Option> host_listing_options() { return kHostListingOptions; }

Result<HostsReply> hosts_asked(client::Master& from, const Parsed& options, int& code) {
  std::shared_ptr<const Config> config;
  if (!options.words.empty() || options.has("R")) {
    WM_TRY(config, from.conf());
  }
  HostsRequest request;
  request.with_cpus = options.has("aff");
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

Result<int> list_hosts(const HostListing& how, const Parsed& options) {
  WM_TRY(auto from, master());
  int code = 0;
  WM_TRY(auto reply, hosts_asked(from, options, code));
  std::span<const HostView> hosts = reply.hosts;
  WM_TRY(auto listing, listed<HostView>(options, how.listing, how.fields, hosts));
  bool header = !options.has("noheader");
  auto table = options.has("gpu")                   ? how.gpu_table
               : how.long_table && options.has("l") ? how.long_table
                                                    : how.table;
  say(listing ? *listing : table(hosts, header));
  return code;
}

}  // namespace wm::cmd
