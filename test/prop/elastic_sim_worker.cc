// Workers of the simulated job: PROTOCOL.md, W-rules, with group and all-reduce in virtual time.
#include <algorithm>

#include "libwm/elastic/batch.h"
#include "test/prop/elastic_sim.h"

namespace wm::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

void ElasticSim::start_worker(HostId h) {
  TaskNumber t{next_task_++};
  Worker& w = workers_[t];
  w.task = t;
  w.host = h;
  w.bad = faults_ && chance(0.03);
  if (faults_ && chance(0.05)) {  // crashes while importing
    after(ms(100, 400), [this, t] { end_worker(workers_.at(t), "exit 1"); });
  }
  after(ms(5, 100), [this, t] { say(workers_.at(t), WorkerHello{1, t, 1, 0}); });
  after(ms(300, 900), [this, t] {
    Worker& w = workers_.at(t);
    w.ready = true;
    say(w, WorkerReady{"store of " + std::to_string(t.value)});
  });
  after(seconds(1), [this, t] { progress(t); });
}

void ElasticSim::progress(TaskNumber t) {
  Worker& w = workers_.at(t);
  if (!w.alive) return;
  WorkerProgress p;
  p.epoch = w.epoch;
  p.step = w.state.step;
  p.step_time = milliseconds(60);
  p.in_collective = w.blocked;
  say(w, p);
  after(seconds(1), [this, t] { progress(t); });
}

void ElasticSim::say(Worker& w, const FromWorker& words) {
  if (!w.alive || w.hung) return;
  auto incarnation = hosts_[w.host].incarnation;
  post("a" + std::to_string(w.task.value), ms(0, 3),
       [this, h = w.host, incarnation, said = WorkerSaid{w.task, words}] {
         if (hosts_[h].incarnation == incarnation) on_agent(h, said);
       });
}

void ElasticSim::restate(Worker& w) {
  say(w, WorkerHello{1, w.task, 1, 0});
  if (w.ready) say(w, WorkerReady{"store of " + std::to_string(w.task.value)});
  if (w.epoch && w.synced) say(w, WorkerSwitched{w.epoch, w.state.step, {}, false});
  if (w.plan && w.plan_ready) say(w, WorkerConnected{w.plan->epoch});
  if (!w.epoch && w.dead) say(w, WorkerFaulted{w.dead, w.state.step, "again"});
  if (w.done) say(w, WorkerDone{w.state.step});
}

void ElasticSim::tell(TaskNumber t, const ToWorker& words) {
  Worker& w = workers_.at(t);
  if (!w.alive || w.hung || w.done || w.left) return;
  std::visit(
      [&](const auto& x) {
        if constexpr (requires { x.epoch; }) {
          note("tell " + std::to_string(t.value) + " kind " + std::to_string(words.index()) +
               " epoch " + std::to_string(x.epoch.value) + " " + x.reason);
        }
        obey(w, x);
      },
      words);
}

void ElasticSim::obey(Worker& w, const EpochPlan& plan) {
  Group& group = groups_[plan.epoch];
  if (group.plan.epoch && group.plan != plan) {
    return violate("number " + std::to_string(plan.epoch.value) + " used twice");
  }
  group.plan = plan;
  if (plan.epoch <= std::max(w.dead, w.top)) return;
  w.top = plan.epoch;
  drop_plan(w);
  leave_unsynced(w);
  w.plan = plan;
  w.plan_ready = false;
  if (std::ranges::find(plan.members, w.task) == plan.members.end()) {
    w.plan_ready = static_cast<bool>(w.epoch);
    if (w.plan_ready) say(w, WorkerConnected{plan.epoch});
    return;
  }
  if (w.bad) return;
  group.trying.insert(w.task);
  try_mesh(plan.epoch);
  after(milliseconds(5500), [this, t = w.task, e = plan.epoch] {
    Worker& w = workers_.at(t);
    if (!w.plan || w.plan->epoch != e || w.plan_ready) return;
    drop_plan(w);
    say(w, WorkerConnectFailed{e, "time-out"});
  });
}

void ElasticSim::drop_plan(Worker& w) {
  if (!w.plan) return;
  EpochNumber e = w.plan->epoch;
  bool member = std::ranges::find(w.plan->members, w.task) != w.plan->members.end();
  w.plan.reset();
  if (!member) return;
  groups_[e].closed.insert(w.task);
  disturb(e);
}

void ElasticSim::try_mesh(EpochNumber e) {
  Group& g = groups_[e];
  if (g.mesh || g.trying.size() != g.plan.members.size() || !g.closed.empty()) return;
  for (auto a : g.plan.members) {
    if (!reach(workers_.at(a).host, workers_.at(g.plan.members.front()).host)) {
      after(milliseconds(200), [this, e] { try_mesh(e); });
      return;
    }
  }
  g.mesh = true;
  for (auto t : g.plan.members) after(ms(1, 30), [this, t, e] { connected(t, e); });
}

void ElasticSim::connected(TaskNumber t, EpochNumber e) {
  Worker& w = workers_.at(t);
  if (!w.alive || w.hung || !w.plan || w.plan->epoch != e) return;
  if (faults_ && chance(0.02)) return end_worker(w, "died while connecting");
  w.plan_ready = true;
  say(w, WorkerConnected{e});
  if (!w.epoch) enter(w, *w.plan, false);
}

void ElasticSim::enter(Worker& w, const EpochPlan& plan, bool grouped) {
  w.in = plan;
  w.epoch = plan.epoch;
  w.top = std::max(w.top, plan.epoch);
  if (w.plan && w.plan->epoch == plan.epoch) w.plan.reset();
  w.grouped = grouped;
  w.drop_plan = false;
  w.synced = false;
  w.round = 0;
  ++w.life;
  w.computing = w.parked = false;
  if (faults_ && chance(0.01)) return end_worker(w, "died between switch and first step");
  offer(w);
}

void ElasticSim::offer(Worker& w) {
  Offer offer{w.state, {}};
  auto rank = std::ranges::find(w.in.members, w.task) - w.in.members.begin();
  if (!w.synced && rank >= static_cast<std::ptrdiff_t>(w.in.survivors)) offer.state.has = false;
  w.offered.reset();
  if (w.synced && w.plan && w.plan_ready) {
    w.offered = w.plan;
    offer.ready = w.plan->epoch;
  }
  if (faults_ && chance(0.001)) return end_worker(w, "died before the all-reduce");
  w.blocked = true;
  groups_[w.epoch].rounds[w.round].in[w.task] = offer;
  if (faults_ && chance(0.001)) return end_worker(w, "died inside the all-reduce");
  try_complete(w.epoch, w.round);
  const Round& round = groups_[w.epoch].rounds[w.round];
  for (auto gone : groups_[w.epoch].closed) {
    if (!round.in.contains(gone) && chance(0.7)) fail_soon(w.task, w.epoch, ms(1, 40));
  }
}

void ElasticSim::try_complete(EpochNumber e, std::uint64_t number) {
  Group& group = groups_[e];
  Round& round = group.rounds[number];
  if (round.complete || round.in.size() != group.plan.members.size()) return;
  HostId first = workers_.at(group.plan.members.front()).host;
  for (auto t : group.plan.members) {
    const Worker& w = workers_.at(t);
    if (!w.alive || group.closed.contains(t) || !reach(w.host, first)) return;
  }
  round.complete = true;
  check_round(group, round);
  for (auto t : group.plan.members) {
    after(ms(0, 3), [this, t, e, number] { deliver(t, e, number); });
  }
}

void ElasticSim::check_round(const Group& group, const Round& round) {
  if (group.plan.epoch < newest_round_epoch_) {
    violate("epoch " + std::to_string(group.plan.epoch.value) + " still trains beside epoch " +
            std::to_string(newest_round_epoch_.value));
  }
  newest_round_epoch_ = std::max(newest_round_epoch_, group.plan.epoch);
  const State* newest = nullptr;
  for (const auto& [t, offer] : round.in) {
    if (!offer.state.has) continue;
    if (newest != nullptr && offer.state.step == newest->step && offer.state.hash != newest->hash) {
      violate("members of epoch " + std::to_string(group.plan.epoch.value) + " differ at step " +
              std::to_string(offer.state.step));
    }
    if (newest == nullptr || offer.state.step > newest->step) newest = &offer.state;
  }
  bool first = &round == &group.rounds.at(0);
  if (first && newest != nullptr && newest->step + 1 < newest_step_) {
    violate("more than one step lost: " + std::to_string(newest_step_) + " to " +
            std::to_string(newest->step));
  }
  if (first && newest == nullptr) note("starts anew");
  if (first) newest_step_ = newest != nullptr ? newest->step : 0;
}

void ElasticSim::deliver(TaskNumber t, EpochNumber e, std::uint64_t number) {
  Worker& w = workers_.at(t);
  if (!w.alive || w.hung || w.epoch != e || w.round != number || !w.blocked) return;
  w.blocked = false;
  ++w.round;
  const Round round = groups_[e].rounds.at(number);
  w.synced ? deliver_step(w, round) : deliver_sync(w, round);
}

void ElasticSim::deliver_sync(Worker& w, const Round& round) {
  State source;
  for (auto m : w.in.members) {
    const State& s = round.in.at(m).state;
    if (s.has && (!source.has || s.step > source.step)) source = s;
  }
  if (!source.has) source = {true, 0, 1, {}};
  w.state = source;
  w.synced = true;
  say(w, WorkerSwitched{w.epoch, w.state.step, {}, false});
  w.pause_due = true;
  compute(w);
}

void ElasticSim::deliver_step(Worker& w, const Round& round) {
  if (options_.last_step != 0 && w.state.step == options_.last_step) return finish(w);
  const auto world = w.in.members.size();
  auto step = elastic::take(ledger_, w.state.cursor, elastic::global_batch(8, 0, world));
  w.state.hash = w.state.hash * 6364136223846793005ULL + step.at.next * 31 + step.count;
  w.state.cursor = step.after;
  ++w.state.step;
  if (w.state.step > newest_step_) step_at_ = now_;
  newest_step_ = std::max(newest_step_, w.state.step);
  if (std::exchange(w.pause_due, false)) {
    say(w, WorkerSwitched{w.epoch, w.state.step - 1, milliseconds(2), true});
  }
  double ready = 0, sum = 0, squares = 0;
  for (const auto& [t, offer] : round.in) {
    double tag = offer.ready ? 1 + offer.ready.value % 64 : 0;
    ready += offer.ready ? 1 : 0;
    sum += tag;
    squares += tag * tag;
  }
  bool agreed = ready == static_cast<double>(world) && ready * squares == sum * sum;
  bool withdrawn = std::exchange(w.drop_plan, false);
  if (agreed) {
    EpochPlan next = *w.offered;
    close_group(w);
    if (std::ranges::find(next.members, w.task) != next.members.end()) {
      enter(w, next, true);
      if (withdrawn) say(w, WorkerSwitched{next.epoch, w.state.step, {}, false});
      return;
    }
    say(w, WorkerLeft{w.epoch});
    w.left = true;
    return after(ms(1, 20), [this, t = w.task] { end_worker(workers_.at(t), "exit 0"); });
  }
  if (withdrawn) drop_plan(w);
  compute(w);
}

void ElasticSim::finish(Worker& w) {
  close_group(w);
  say(w, WorkerDone{w.state.step});
  w.done = true;
  training_over_ = true;
  after(ms(5, 20), [this, t = w.task] { end_worker(workers_.at(t), "exit 0"); });
}

void ElasticSim::compute(Worker& w) {
  w.computing = true;
  after(ms(20, 60), [this, t = w.task, life = w.life] { computed(t, life); });
}

void ElasticSim::computed(TaskNumber t, std::uint64_t life) {
  Worker& w = workers_.at(t);
  if (!w.alive || w.hung || w.life != life || !w.computing) return;
  if (w.broken) {
    w.computing = false;
    return fault_self(w, w.broken);
  }
  if (w.standing) {
    w.parked = true;
    return;
  }
  w.computing = false;
  offer(w);
}

void ElasticSim::obey(Worker& w, const WorkerStand& words) {
  w.standing = words.stand;
  if (!words.stand && std::exchange(w.parked, false)) computed(w.task, w.life);
}

/// The member leaves its group; the switch is done, so nobody is disturbed.
void ElasticSim::close_group(Worker& w) { w.blocked = w.computing = false; }

/// Members blocked with somebody who closed may fail by themselves, or hang until told.
void ElasticSim::disturb(EpochNumber e) {
  const Group& group = groups_[e];
  for (auto t : group.plan.members) {
    const Worker& w = workers_.at(t);
    if (w.alive && w.epoch == e && w.blocked && chance(0.6)) fail_soon(t, e, ms(1, 40));
  }
}

void ElasticSim::fail_soon(TaskNumber t, EpochNumber e, Duration delay) {
  after(delay, [this, t, e] {
    Worker& w = workers_.at(t);
    if (w.alive && !w.hung && w.epoch == e && w.blocked) fault_self(w, e);
  });
}

void ElasticSim::fault_self(Worker& w, EpochNumber e) {
  EpochNumber own = w.epoch;
  w.dead = std::max({w.dead, e, own});
  w.epoch = w.broken = {};
  w.blocked = w.computing = w.parked = false;
  ++w.life;
  drop_plan(w);
  groups_[own].closed.insert(w.task);
  disturb(own);
  say(w, WorkerFaulted{e, w.state.step, "a collective failed"});
}

void ElasticSim::obey(Worker& w, const EpochBroken& words) {
  w.dead = std::max(w.dead, words.epoch);
  if (w.plan && w.plan->epoch <= words.epoch) drop_plan(w);
  if (!w.epoch) {
    say(w, WorkerFaulted{words.epoch, w.state.step, "no group"});
  } else if (w.epoch > words.epoch) {
    return;
  } else if (w.computing) {  // answered at the step boundary; the group is closed at once
    w.broken = words.epoch;
    groups_[w.epoch].closed.insert(w.task);
    disturb(w.epoch);
    if (std::exchange(w.parked, false)) computed(w.task, w.life);
  } else {
    fault_self(w, words.epoch);
  }
}

void ElasticSim::obey(Worker& w, const EpochWithdrawn& words) {
  w.dead = std::max(w.dead, words.epoch);
  if (w.blocked && w.offered && w.offered->epoch == words.epoch) {
    w.drop_plan = true;  // the sum decides
  } else if (w.plan && w.plan->epoch <= words.epoch) {
    drop_plan(w);
  } else if (w.epoch == words.epoch && w.grouped) {
    say(w, WorkerSwitched{w.epoch, w.state.step, {}, false});  // too late: the lead breaks it
  } else if (w.epoch == words.epoch) {
    leave_unsynced(w);
  }
}

/// Leaves the first collective of a group that will not be, unless an older group was left for it.
void ElasticSim::leave_unsynced(Worker& w) {
  if (!w.epoch || w.synced || w.grouped) return;
  EpochNumber own = std::exchange(w.epoch, {});
  groups_[own].closed.insert(w.task);
  w.blocked = false;
  ++w.life;
  disturb(own);
}

void ElasticSim::obey(Worker& w, const WorkerLeave&) { end_worker(w, "exit 0"); }

void ElasticSim::end_worker(Worker& w, const std::string& reason) {
  if (!w.alive) return;
  note("end " + std::to_string(w.task.value) + ": " + reason);
  w.alive = false;
  ++w.life;
  EpochNumber own = w.epoch;
  if (own && !w.done && !w.left) {
    groups_[own].closed.insert(w.task);
    disturb(own);
  }
  drop_plan(w);
  auto incarnation = hosts_[w.host].incarnation;
  post("a" + std::to_string(w.task.value), ms(3, 8),
       [this, incarnation, h = w.host, gone = TaskGone{w.task, reason}] {
         if (hosts_[h].incarnation == incarnation) on_agent(h, NodeToAgent{gone});
       });
}

}  // namespace wm::sim
