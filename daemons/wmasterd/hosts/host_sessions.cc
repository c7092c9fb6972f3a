#include "daemons/wmasterd/hosts/host_sessions.h"

namespace wm::master {
namespace {

// A session that ended may come back within this time before its host counts as silent.
constexpr Duration kLostAfter = std::chrono::seconds(3);

}  // namespace

HostId HostSessions::host_of(PeerId peer) const {
  auto it = host_of_.find(peer);
  return it == host_of_.end() ? HostId{} : it->second;
}

Line HostSessions::line(HostId host) const {
  auto it = sessions_.find(host);
  if (it == sessions_.end()) return {};
  return {it->second.peer, it->second.registered, it->second.takes_changes};
}

PeerId HostSessions::join(PeerId peer, HostId host, bool takes_changes, WallTime now,
                          Duration attended) {
  auto& session = sessions_[host];
  PeerId former = session.peer != peer ? session.peer : PeerId{};
  if (former) host_of_.erase(former);
  session.peer = peer;
  session.registered = false;
  session.takes_changes = takes_changes;
  session.came = true;
  session.heard = attended;
  session.began = now;
  host_of_[peer] = host;
  return former;
}

HostId HostSessions::leave(PeerId peer, Duration attended) {
  HostId host = host_of(peer);
  host_of_.erase(peer);
  if (!host) return {};
  auto& session = sessions_[host];
  if (session.peer != peer) return {};
  session.peer = {};
  session.left = attended;
  return host;
}

bool HostSessions::is_silent(HostId host, Duration attended, Duration after,
                             Duration time_to_register) {
  const auto& session = sessions_[host];
  if (session.peer) return attended - session.heard > after;
  return attended - session.left > (session.came ? kLostAfter : time_to_register);
}

}  // namespace wm::master
