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
  if (is_in_team(order)) return 0;  // several jobs' hosts would have to be counted
  return port_awaited(training_launcher_of(order.resolved.program.command), master_port(order));
}

std::optional<Rendezvous> MeetingWatch::is_over() {
  if (!std::exchange(told_, {})) return {};
  return Rendezvous{};
}

/// The port at which they meet now; what was told of another is over.
std::optional<Rendezvous> MeetingWatch::begin_at(std::uint32_t port) {
  if (std::exchange(port_, port) == port) return {};
  complete_ = heard_ = false;
  since_ = {};
  return is_over();
}

/// Does somebody wait there? Where a launcher listens itself, also before it does: what hangs
/// before that would otherwise be silent for ever.
bool MeetingWatch::wait(const HostOrder& order, const PortUse& use, TimePoint now) {
  bool first = use.listens && !std::exchange(heard_, heard_ || use.listens);
  bool should = !heard_ && order.launch == Launch::PerHost &&
                listens_where_told(training_launcher_of(order.resolved.program.command));
  if (port_ == 0 || (!use.listens && !should)) since_ = {};
  else if (first || since_ == TimePoint{}) since_ = now;
  return !first && since_ != TimePoint{};
}

std::optional<Rendezvous> MeetingWatch::look(const HostOrder& order, const PortUse& use,
                                             TimePoint now, Duration limit) {
  if (auto over = begin_at(meeting_port(order))) return over;
  bool waits = wait(order, use, now);
  complete_ = complete_ || all_have_come(awaited_by(order), use);
  if (complete_ || !waits) return is_over();
  // A launcher first reads its own modules: a minute by the usual limit.
  if (now - since_ < (heard_ ? limit : 2 * limit) || (told_ && now - told_at_ < limit)) return {};
  if (told_ && told_->callers == use.callers) return {};
  told_at_ = now;
  auto whole = std::chrono::duration_cast<std::chrono::seconds>(now - since_);
  told_ = Rendezvous{port_, whole, use.callers};
  return told_;
}

}  // namespace wm::launch
