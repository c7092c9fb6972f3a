// Role: the sessions of hosts, by host and by peer: who is connected, since when, when it was
// heard.
//
//   note (known, not connected) ─join─► connected ─registered─► takes orders
//            ▲                              └──leave, or another session of the host joins──┐
//            └──────────────────────────────────────────────────────────────────────────────┘
//
// Pure: the caller has the clocks, and closes peers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemons/wmasterd/hosts/ordering.h"
#include "libwm/model/node/node.h"

namespace wm::master {

/// Times are of the time attended (silence.h), but for `began`.
struct HostSession {
  PeerId peer;                 ///< none: not connected
  bool registered = false;     ///< its registration is durable: orders take it into account
  bool takes_changes = false;  ///< as HostRegister
  bool came = false;           ///< since this master started
  Duration heard{}, left{};
  Duration beat{};   ///< how often it was told to be heard
  WallTime began{};  ///< before that nothing of it was heard
};

/// @thread the loop's
class HostSessions {
 public:
  /// That of a host; not connected if nothing is known of it. @cost O(log hosts)
  HostSession& of(HostId host) { return sessions_[host]; }
  std::map<HostId, HostSession>& all() { return sessions_; }
  /// Whom a peer speaks for; none: it has not registered. @cost O(log hosts)
  HostId host_of(PeerId peer) const;
  bool connected(HostId host) const { return line(host).peer.value != 0; }
  /// For what is sent there. @cost O(log hosts)
  Line line(HostId host) const;

  /// The host has registered by this peer; its registration is not durable yet. Returns the peer of
  /// its former session, which is to be closed; none: there is none.
  PeerId join(PeerId peer, HostId host, bool takes_changes, WallTime now, Duration attended);
  /// The peer is gone. Returns the host that is not connected any more; none: it was nobody's
  /// session, or the host has another.
  HostId leave(PeerId peer, Duration attended);

  /// Is the host silent: not heard for longer than `after`, or not back in time? After a start of
  /// the master it has `time_to_register`.
  bool is_silent(HostId host, Duration attended, Duration after, Duration time_to_register);

 private:
  std::map<HostId, HostSession> sessions_;
  std::map<PeerId, HostId> host_of_;
};

}  // namespace wm::master
