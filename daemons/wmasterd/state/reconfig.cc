#include "daemons/wmasterd/state/reconfig.h"

namespace wm::master {
namespace {

constexpr const char* kBy = "wmasterd";
constexpr const char* kWhy = "it is not in hosts.conf";

}  // namespace

bool lists_host(const Config& config, std::string_view name) {
  return config.hosts.empty() || config.host(name);
}

std::vector<EventBody> reconfigured(const Cluster& state, std::shared_ptr<const Config> config) {
  std::vector<EventBody> events{ConfigLoaded{config}};
  state.hosts.each([&](std::uint32_t, const Host& host) {
    bool gone = !lists_host(*config, host.name);
    bool by_us = host.closed && host.closed_by == kBy && host.closed_why == kWhy;
    if (gone && !host.closed) events.push_back(HostClosed{host.id, kBy, kWhy});
    else if (!gone && by_us) events.push_back(HostOpened{host.id, kBy});
  });
  return events;
}

}  // namespace wm::master
