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

#include "daemons/wmasterd/hosts/ordering.h"
#include "daemons/wmasterd/hosts/paces.h"
#include "daemons/wmasterd/hosts/recalls.h"
#include "daemons/wmasterd/hosts/silence.h"
#include "daemons/wmasterd/hosts/strangers.h"
#include "daemons/wmasterd/state/journal.h"
#include "libwm/model/node/meter.h"
#include "libwm/model/node/node.h"

namespace wm::master {

/// A training job's last words about how far it is; not durable.
using Progress = std::map<JobId, JobProgress>;

/// What a job's first host has seen where its processes meet; not durable.
struct SeenMeeting {
  Attempt attempt;
  Rendezvous meeting;
  bool complete = false;  ///< at this port all were there
};
using Meetings = std::map<JobId, SeenMeeting>;

/// What is known of a host beside the state, as it was last heard.
struct HostStanding {
  bool connected = false;
  double load = 0;
  HostLoad more;
  std::vector<GpuReport> gpus;
  std::vector<Cpu> cpus;
  std::shared_ptr<const HostUses> uses;  ///< of what runs there; nullptr: not heard
  std::string busy;  ///< why it takes none of some queue's jobs; empty: it takes all
};

/// @thread the loop's
class Hosts {
 public:
  Hosts(const World& world, Journal& journal)
      : clock_(world.clock),
        peers_(world.peers),
        journal_(journal),
        ordering_(world, journal, [this](HostId host) { return line(host); }),
        recalls_(
            world, journal,
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
  /// Sends one signal to a job's tasks, now, where hosts are connected.
  void signal(const Job& job, std::int32_t signal);
  /// Reads output of a task. @errors (to done) Unavailable: the host is not connected
  void peek(HostId host, PeekRequest request, std::function<void(Result<std::string>)> done);

  bool connected(HostId host) const;
  /// All of them by number, to be read elsewhere. @cost O(hosts / 256)
  Table<HostStanding> standings() { return standings_.freeze(); }
  /// What becomes of its load. @cost O(1)
  void set_busy(HostId host, const std::string& why);
  Frozen<Progress> progress() { return progress_.freeze(); }
  Frozen<Meetings> meetings() { return meetings_.freeze(); }
  /// What running tasks use of their GPUs goes there; without it, nowhere.
  using Metered = std::function<void(const std::string& host, const HostMeter&)>;
  void on_meter(Metered metered) { metered_ = std::move(metered); }
  /// A host of this cluster has obeyed a newer state than ours: it is given no orders, its session
  /// is closed, and this is called.
  using Outranked = std::function<void(const std::string& host, const MasterRank& met)>;
  void on_outranked(Outranked outranked) { outranked_ = std::move(outranked); }
  /// The time in which hosts could be heard.
  const Attended& attended() const { return attended_; }
  /// Hosts that want to join and may not.
  std::vector<Stranger> strangers() const { return strangers_.present(clock_.mono()); }
  /// Drops what is kept about a job that is over.
  void forget(JobId job) {
    if (progress_->contains(job)) progress_.edit().erase(job);
    if (meetings_->contains(job)) meetings_.edit().erase(job);
    paces_.forget(job);
    ordering_.forget(job);
  }

 private:
  struct Session {
    PeerId peer;                 ///< none: not connected
    bool registered = false;     ///< its registration is durable: orders take it into account
    bool takes_changes = false;  ///< as HostRegister
    bool came = false;           ///< since this master started
    Duration heard{}, left{};    ///< when, of the time attended
    Duration beat{};             ///< how often it was told to be heard
    WallTime began{};            ///< before that nothing of it was heard
  };
  struct Peek {
    HostId host;
    std::function<void(Result<std::string>)> done;
  };

  Line line(HostId host) const;
  void on_register(PeerId peer, const HostRegister& words, bool was_held = false);
  void welcome(PeerId peer, HostId host);
  void refuse(PeerId peer, const HostRegister& words);
  void give_way(PeerId peer, const HostRegister& words);
  void tell_configuration();
  HostStanding& standing(HostId host);
  bool is_silent(const Session& session, Duration after) const;
  std::vector<EventBody> fallen_silent();
  std::vector<EventBody> reconcile(HostId host, const HostRegister& words) const;
  void drop_strangers(PeerId peer, const HostRegister& words) const;
  void on_fact(PeerId peer, HostId host, const HostFact& fact);
  WallTime told_late(HostId host, WallTime at) const;
  std::vector<EventBody> events_of(HostId host, const Fact& fact);
  std::vector<EventBody> events_of_end(HostId host, const FactEnded& ended) const;
  std::vector<EventBody> events_of(const AgentReport& report);
  void on_gpus(HostId host, const GpuReports& words);
  void on_peek_reply(const PeekReply& reply);
  HostId host_of(PeerId peer) const;

  Clock& clock_;
  Peers& peers_;
  Journal& journal_;
  std::map<HostId, Session> sessions_;
  std::map<PeerId, HostId> host_of_;
  std::map<std::uint64_t, Peek> peeks_;
  std::uint64_t next_peek_ = 1;
  std::vector<EventBody> on_progress(JobId job, const JobProgress& report);
  Frozen<Progress> progress_;
  void hear(const FactRendezvous& fact);
  Frozen<Meetings> meetings_;
  Table<HostStanding> standings_;
  Paces paces_;
  Attended attended_;
  std::set<HostId> serving_;  ///< as of the last tick
  Strangers strangers_;
  Ordering ordering_;
  Recalls recalls_;
  Metered metered_;
  Outranked outranked_;
  std::shared_ptr<const Config> told_;  ///< the configuration that hosts have heard of
};

}  // namespace wm::master
