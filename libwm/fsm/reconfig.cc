#include "libwm/fsm/reconfig.h"

namespace wm::fsm {
namespace {

constexpr const char* kMaster = "wmasterd";
constexpr const char* kUnlisted = "it is not in hosts.conf";

}  // namespace

bool lists_host(const Config& config, std::string_view name) {
  return config.hosts.empty() || config.host(name);
}

std::vector<EventBody> reconfigured(const Cluster& state, std::shared_ptr<const Config> config) {
  std::vector<EventBody> events{ConfigLoaded{config}};
  state.hosts.each([&](std::uint32_t, const Host& host) {
    bool gone = !lists_host(*config, host.name);
    bool by_us = host.closed && host.closed_by == kMaster && host.closed_why == kUnlisted;
    if (gone && !host.closed) events.push_back(HostClosed{host.id, kMaster, kUnlisted});
    else if (!gone && by_us) events.push_back(HostOpened{host.id, kMaster});
  });
  return events;
}

}  // namespace wm::fsm
