#include "libwm/launch/meeting_watch.h"

#include <utility>

#include "libwm/launch/placing.h"
#include "libwm/model/launcher_size.h"

namespace wm::launch {
namespace {

struct Awaited {
  std::uint32_t hosts = 1, processes = 1;
};

Awaited awaited_by(const HostOrder& order) {
  auto found = training_launcher_of(order.resolved.program.command);
  auto hosts = hosts_awaited(found, host_count(order.hosts));
  return {hosts, order.launch == Launch::PerHost ? hosts : task_count(order.hosts)};
}

/// Surely: as many connections as processes, and from as many addresses as hosts. Where hosts share
/// an address the master counts.
bool all_have_come(const Awaited& awaited, const PortUse& use) {
  std::uint32_t connections = 0;
  for (const auto& callers : use.callers) connections += callers.connections;
  return awaited.processes <= 1 ||
         (connections >= awaited.processes && use.callers.size() >= awaited.hosts);
}

}  // namespace

std::uint32_t meeting_port(const HostOrder& order) {
  if (!meets_at_port(order) || order.team.in_place || order.control.suspend) return 0;
  return port_awaited(training_launcher_of(order.resolved.program.command), master_port(order));
}

std::optional<Rendezvous> MeetingWatch::is_over() {
  if (!std::exchange(told_, {})) return {};
  return Rendezvous{};
}

std::optional<Rendezvous> MeetingWatch::look(const HostOrder& order, const PortUse& use,
                                             TimePoint now, Duration limit) {
  auto port = meeting_port(order);
  if (std::exchange(port_, port) != port) {
    complete_ = false;
    since_ = {};
    if (told_) return is_over();
  }
  if (!use.listens || port == 0) since_ = {};
  else if (since_ == TimePoint{}) since_ = now;
  complete_ = complete_ || all_have_come(awaited_by(order), use);
  if (complete_ || since_ == TimePoint{}) return is_over();
  if (now - since_ < limit || (told_ && now - told_at_ < limit)) return {};
  if (told_ && told_->callers == use.callers) return {};
  told_at_ = now;
  auto whole = std::chrono::duration_cast<std::chrono::seconds>(now - since_);
  told_ = Rendezvous{port, whole, use.callers};
  return told_;
}

}  // namespace wm::launch
