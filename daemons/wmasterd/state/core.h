// Role: the master's logic, wired together: what has become durable goes to hosts, to the
// scheduler, to accounting and to callers that wait. Runs against Env alone, so the whole
// master runs in a simulation too.
#pragma once

#include <functional>
#include <memory>

#include "daemons/wmasterd/hosts/fence.h"
#include "daemons/wmasterd/hosts/hosts.h"
#include "daemons/wmasterd/hosts/load_watch.h"
#include "daemons/wmasterd/state/cycle.h"
#include "daemons/wmasterd/state/dates.h"
#include "daemons/wmasterd/state/in_turns.h"
#include "daemons/wmasterd/state/journal.h"
#include "daemons/wmasterd/state/run_windows.h"
#include "daemons/wmasterd/state/searches.h"
#include "daemons/wmasterd/state/spent.h"
#include "daemons/wmasterd/verbs/clients.h"
#include "daemons/wmasterd/verbs/views.h"

namespace wm::master {

/// Where durable events go besides the state: accounting. Called in order of sequence, and at
/// every tick with none: what could not be taken then may be now.
using OnEvents = std::function<void(const std::vector<Event>&, const Cluster& after)>;

/// @thread the loop's
class Core {
 public:
  /// `to_clients`: by which clients get their answers; null: as hosts get their orders.
  Core(const Env& env, Rights rights, AcctReading<HistoryReply> history, OnEvents on_events,
       Peers* to_clients = nullptr);

  /// Reads the state, loads the configuration if it has changed, and brings every live
  /// object in line. @errors as Journal::start; Conflict: the configuration is invalid
  Result<void> start(Journal::Began* began = nullptr);

  /// Makes durable that this store goes on. @errors (to done) as Journal::propose
  void take_over(const TakenOver& event, std::function<void(const Result<void>&)> done) {
    journal_.propose({{event}, {}, {}, std::move(done)});
  }

  /// Puts the configuration in force when it has changed, as badmin reconfig does.
  /// @errors as conf::load: what holds stays
  Result<void> read_config_anew();

  /// Jobs are forgotten once their records are there; null: at their time.
  void set_archive(Archive* archive) {
    archive_ = archive;
    clients_.set_archive(archive);
  }
  /// What views are made of, at this moment. @cost O(hosts / 256)
  ViewSource view_source();

  Hosts& hosts() { return hosts_; }
  Clients& clients() { return clients_; }
  const Journal& journal() const { return journal_; }
  /// How long accounting keeps jobs that have ended; for ever while deeds wait, or as configured.
  Duration keep_accounting() const;
  /// What the master spends its time on, for monitoring. @cost O(verbs)
  Spent spent() const {
    const auto& policy = clients_.policy();
    return {cycle_.passes(),  journal_.commits(), clients_.worked(),
            clients_.asked(), policy.runs,        policy.verdicts};
  }

 private:
  void on_published(const Journal::Published& published);
  void act(const Actions& actions);
  void tick();
  void look_at_windows();
  void look_at_load();
  void tidy();
  void purge();

  Env env_;
  OnEvents on_events_;
  TimePoint started_{}, tidied_{}, load_seen_{};
  std::uint32_t purged_ = 0;  // where the walk goes on
  Journal journal_;
  Cycle cycle_;
  Hosts hosts_;
  Searches searches_;
  Clients clients_;
  Dates dates_;
  RunWindows windows_;
  InTurns closing_{journal_};
  LoadWatch loads_;
  Fence fence_;
  Archive* archive_ = nullptr;
};

}  // namespace wm::master
