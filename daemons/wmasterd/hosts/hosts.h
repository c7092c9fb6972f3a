// Role: the master's side of every host's session: registration and reconciliation, facts
// in, orders out, silence noticed. The host's truth about what runs wins.
//
//   joined ─Register─► refused | events durable ─► Welcome, orders ─► facts ⇄ acks, heartbeats
//   left / nothing heard ─(silence.h)─► HostSilent ─Register─► HostRegistered
//
// Invariant: a fact is acknowledged only when its event is durable or known to be.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "daemons/wmasterd/hosts/fact_intake.h"
#include "daemons/wmasterd/hosts/host_readings.h"
#include "daemons/wmasterd/hosts/host_sessions.h"
#include "daemons/wmasterd/hosts/ordering.h"
#include "daemons/wmasterd/hosts/peeks.h"
#include "daemons/wmasterd/hosts/recalls.h"
#include "daemons/wmasterd/hosts/silence.h"
#include "daemons/wmasterd/hosts/strangers.h"
#include "daemons/wmasterd/state/journal.h"
#include "libwm/model/node/meter.h"
#include "libwm/model/node/node.h"

namespace wm::master {

/// @thread the loop's
class Hosts {
 public:
  Hosts(const Env& env, Journal& journal)
      : clock_(env.clock),
        peers_(env.peers),
        journal_(journal),
        ordering_(env, journal, [this](HostId host) { return sessions_.line(host); }),
        recalls_(
            env, journal,
            {[this](PeerId peer, const HostRegister& words) { on_register(peer, words, true); },
             [this](PeerId peer, std::uint16_t type, const std::string& payload) {
               on_frame(peer, type, payload);
             }}) {}

  /// A frame from a host's session. A session that says something wrong is closed.
  void on_frame(PeerId peer, std::uint16_t type, const std::string& payload);
  /// The session is gone.
  void on_left(PeerId peer);
  /// Closes a host's session, if it has one: it registers again.
  void end_session(HostId host);
  /// Called a few times a second: notices silence. @cost O(hosts)
  void on_tick();
  /// The master starts: hosts get some time to come back before they count as silent.
  void on_start();

  /// What hosts are told of the state.
  Ordering& ordering() { return ordering_; }
  /// Reads output of a task. @errors (to done) Unavailable: the host is not connected; as of Peeks
  void peek(HostId host, PeekRequest request, Peeks::Done done);

  bool connected(HostId host) const { return sessions_.connected(host); }
  /// What hosts say of themselves.
  HostReadings& readings() { return readings_; }
  Frozen<Progress> progress() { return facts_.progress(); }
  Frozen<Meetings> meetings() { return facts_.meetings(); }
  /// What running tasks use of their GPUs goes there; without it, nowhere.
  using Metered = std::function<void(const std::string& host, const HostMeter&)>;
  void on_meter(Metered metered) { metered_ = std::move(metered); }
  /// A host of this cluster has obeyed a newer state than ours: it is given no orders, its session
  /// is closed, and this is called.
  using Outranked = std::function<void(const std::string& host, const MasterRank& met)>;
  void on_outranked(Outranked outranked) { outranked_ = std::move(outranked); }
  /// The time in which hosts could be heard.
  const ListeningTime& attended() const { return attended_; }
  /// Hosts that want to join and may not.
  std::vector<Stranger> strangers() const { return strangers_.present(clock_.mono()); }
  /// Drops what is kept about a job that is over.
  void forget(JobId job) {
    facts_.forget(job);
    ordering_.forget(job);
  }

 private:
  void on_register(PeerId peer, const HostRegister& words, bool was_held = false);
  void welcome(PeerId peer, HostId host);
  void refuse(PeerId peer, const HostRegister& words);
  void give_way(PeerId peer, const HostRegister& words);
  void tell_configuration();
  std::vector<EventBody> fallen_silent();
  void drop_strangers(PeerId peer, const HostRegister& words) const;
  void on_fact(PeerId peer, HostId host, const HostFact& fact);
  void on_gpus(HostId host, const GpuReports& words);

  Clock& clock_;
  Peers& peers_;
  Journal& journal_;
  HostSessions sessions_;
  FactIntake facts_{clock_, journal_};
  Peeks peeks_;
  HostReadings readings_;
  ListeningTime attended_;
  std::set<HostId> serving_;  ///< as of the last tick
  Strangers strangers_;
  Ordering ordering_;
  Recalls recalls_;
  Metered metered_;
  Outranked outranked_;
  std::shared_ptr<const Config> told_;  ///< the configuration that hosts have heard of
};

}  // namespace wm::master
