#include "commands/common/host_listing.h"

#include <algorithm>

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"gpu", Kind::Flag, "", "About GPUs"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"l", Kind::Flag, "", "Long, where there is more to tell"},
};

}  // namespace

std::span<const Option> host_listing_options() { return kOptions; }

int complain_of_hosts(const Parsed& options, std::span<const HostView> hosts) {
  int code = 0;
  for (const auto& name : options.words) {
    auto known =
        std::any_of(hosts.begin(), hosts.end(), [&](auto& view) { return view.host.name == name; });
    if (known) continue;
    complain(name + ": Bad host name, host group name or cluster name\n");
    code = kRefused;
  }
  return code;
}

Result<int> list_hosts(const HostListing& how, const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.hosts({options.words}));
  std::span<const HostView> hosts = reply.hosts;
  WM_TRY(auto listing, listed<HostView>(options, how.listing, how.fields, hosts));
  bool header = !options.has("noheader");
  auto table = options.has("gpu")                   ? how.gpu_table
               : how.long_table && options.has("l") ? how.long_table
                                                    : how.table;
  say(listing ? *listing : table(hosts, header));
  return complain_of_hosts(options, hosts);
}

}  // namespace wm::cmd
