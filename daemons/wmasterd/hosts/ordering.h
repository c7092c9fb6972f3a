// Role: the state as orders: what hosts and the agents of jobs are told, when, and with which
// files. Sessions are hosts.h's; what an order says is orders.h's.
//
//   react ─► order ─(files read)─► sent      too much unsent to the host ─► waits, and is made anew
//        └─► order_agents ─(a large job: at most ten times a second)─► changes (agent_news.h)
//
// Invariant: orders are made of the published state at the moment they are sent.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "daemons/wmasterd/hosts/agent_news.h"
#include "daemons/wmasterd/hosts/orders.h"
#include "daemons/wmasterd/hosts/standby.h"
#include "daemons/wmasterd/state/journal.h"
#include "libwm/codec/codec.h"
#include "libwm/model/action.h"

namespace wm::master {

/// The session of a host, for what is sent there.
struct Line {
  PeerId peer;                 ///< none: not connected
  bool registered = false;     ///< durably: orders take it into account
  bool takes_changes = false;  ///< as HostRegister
};
using LineTo = std::function<Line(HostId)>;

/// @thread the loop's
class Ordering {
 public:
  Ordering(const Env& env, Journal& journal, LineTo line)
      : clock_(env.clock),
        peers_(env.peers),
        store_(env.store),
        workers_(env.workers),
        journal_(journal),
        line_(std::move(line)) {}

  /// Brings a host, or the agents of a job, in line with the published state.
  /// @cost O(tasks) of the job, its agents O(tasks log tasks) at most ten times a second
  void order(const OrderHost& order);
  void order_agents(JobId job);
  /// Asks the host for an agent of this job, by which its owner can come in.
  void want_agent(const Job& job, HostId host);
  /// Sends one frame, if the host is connected. An order is preceded by who orders.
  template <class T>
  void send(HostId host, NodeVerb verb, const T& value) {
    send_bytes(host, verb, codec::encode(value));
  }
  void send_bytes(HostId host, NodeVerb verb, const std::string& bytes);
  /// Sends one signal to a job's tasks, now, where hosts are connected.
  void signal(const Job& job, std::int32_t signal);

  /// These jobs, or all, are not what they were: before what follows of it is ordered.
  void on_jobs_changed(const std::set<JobId>& jobs);
  void on_reload();
  /// Tells hosts what they are to hold ready. `attended`: as ListeningTime::now().
  void on_tick(Duration attended);
  /// The host's session began or ended: whatever it was told counts no more.
  void forget_told(HostId host);
  /// Is the host to be ready for this attempt of the job, without a task of it?
  bool is_standby(HostId host, JobId job, Attempt attempt) const;
  /// Drops what is kept about a job that is over.
  void forget(JobId job);

 private:
  /// What a job brings along: kept by hash, never in memory for long.
  struct Files {
    std::string env, script, data;
  };
  struct Places {
    std::shared_ptr<const Cluster> of;
    JobId job;
    JobPlaces all;
  };
  /// Of a large job's agents: when they may be told again.
  struct Turn {
    TimePoint next{};
    bool waits = false;
  };
  bool takes_orders(HostId host) const;
  const JobPlaces& places(const Job& job);
  std::optional<HostOrder> order_of(const OrderHost& what);
  void order_with(const OrderHost& what, const std::shared_ptr<const SealedSpec>& sealed,
                  const Files& files);
  bool is_full(HostId host) const;
  void wait(const OrderHost& what);
  void go_on(HostId host);
  void say_agents(JobId id);

  Clock& clock_;
  Peers& peers_;
  Store& store_;
  Workers& workers_;
  Journal& journal_;
  LineTo line_;
  Standby standby_;
  Duration refreshed_{};        // standby_, of the time attended
  bool hosts_changed_ = false;  // since
  AgentNews news_;
  std::map<JobId, Turn> turns_;
  std::map<HostId, std::deque<JobId>> waiting_;  // orders, each job once
  Places places_;                                // of the job that was ordered last
};

}  // namespace wm::master
