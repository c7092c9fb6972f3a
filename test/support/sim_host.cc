#include "test/support/sim_host.h"

#include <algorithm>

#include "libwm/codec/codec.h"

namespace wm::test {

SimHost::SimHost(Sim& sim, SimNet& net, std::string name, std::uint32_t slots, std::uint32_t gpus)
    : sim_(sim), net_(net), name_(std::move(name)), slots_(slots), gpus_(gpus) {}

void SimHost::start() {
  try_connect();
  heartbeat();
}

void SimHost::heartbeat() {
  say(NodeVerb::Heartbeat, codec::encode(HostHeartbeat{}));
  sim_.after(std::chrono::seconds(1), [this] { heartbeat(); });
}

std::uint32_t SimHost::running_tasks() const {
  std::uint32_t n = 0;
  for (const auto& [key, tasks] : attempts_)
    for (const auto& [number, task] : tasks) n += task.running;
  return n;
}

void SimHost::try_connect() {
  if (peer_ || !on_) return;
  if (!net_.master || isolated_) {
    sim_.after(sim_.between(50, 400), [this] { try_connect(); });
    return;
  }
  peer_ = net_.master->connect(*this);
  HostRegister words;
  words.name = name_;
  words.address = "127.0.0.1";
  words.boot = name_ + "." + std::to_string(boot_);
  words.capacity.slots = slots_;
  words.capacity.milli_cpus = slots_ * 1000;
  words.capacity.gpus.resize(gpus_);
  for (const auto& [key, tasks] : attempts_) {
    AttemptStatus status{key.first, key.second, {}, ""};
    for (const auto& [number, task] : tasks)
      if (task.running || !task.acknowledged) status.tasks.push_back({number, task.pid});
    if (!status.tasks.empty()) words.attempts.push_back(std::move(status));
  }
  say(NodeVerb::Register, codec::encode(words));
  for (const auto& [number, fact] : unacknowledged_)
    say(NodeVerb::Fact, codec::encode(HostFact{number, fact}));
}

void SimHost::say(NodeVerb verb, const std::string& payload) {
  if (!peer_ || isolated_ || !on_) return;
  auto peer = peer_;
  auto* master = net_.master;
  sim_.after(sim_.between(1, 5), [this, peer, master, verb, payload] {
    if (net_.master != master || !master) return;
    master->when_running([=, this] {
      if (net_.master == master && master->is_connected(peer))
        net_.to_master_from_host(peer, static_cast<std::uint16_t>(verb), payload);
    });
  });
}

void SimHost::on_closed() {
  auto peer = peer_;
  peer_ = {};
  if (net_.master && net_.host_left) net_.host_left(peer);
  sim_.after(sim_.between(50, 400), [this] { try_connect(); });
}

void SimHost::end_everything() {
  for (auto& [key, tasks] : attempts_)
    for (auto& [number, task] : tasks)
      if (task.running) --net_.running[key.first][key.second];
  attempts_.clear();
  newest_.clear();
  epochs_.clear();
  unacknowledged_.clear();
  ++boot_;
}

void SimHost::reboot() {
  end_everything();
  restart_daemon();
}

void SimHost::isolate() { isolated_ = true; }

void SimHost::rejoin() {
  isolated_ = false;
  restart_daemon();
}

void SimHost::power_off() {
  if (!on_) return;
  end_everything();
  on_ = false;
  restart_daemon();
}

void SimHost::power_on() {
  if (on_) return;
  on_ = true;
  try_connect();
}

void SimHost::restart_daemon() {
  if (peer_ && net_.master) net_.master->cut(peer_);
}

void SimHost::report(Fact fact) {
  unacknowledged_[++facts_] = fact;
  say(NodeVerb::Fact, codec::encode(HostFact{facts_, std::move(fact)}));
}

void SimHost::on_frame(std::uint16_t type, const std::string& payload) {
  if (isolated_ || !on_) return;
  auto verb = static_cast<NodeVerb>(type);
  if (verb == NodeVerb::Welcome) {
    id_ = codec::decode<HostWelcome>(payload)->host;
    for (const auto& [key, tasks] : attempts_)
      report(AgentReport{key.first, key.second, id_, AgentUp{name_ + ":1"}});
  } else if (verb == NodeVerb::Order) {
    obey(*codec::decode<HostOrder>(payload));
  } else if (verb == NodeVerb::Agent) {
    lead(*codec::decode<AgentOrder>(payload));
  } else if (verb == NodeVerb::Ack) {
    unacknowledged_.erase(codec::decode<HostAck>(payload)->number);
  } else if (verb == NodeVerb::Forget) {
    auto words = *codec::decode<HostForget>(payload);
    forget({words.job, words.attempt});
  }
}

void SimHost::forget(Key key) {
  auto it = attempts_.find(key);
  if (it == attempts_.end()) return;
  for (auto& [number, task] : it->second)
    if (task.running) --net_.running[key.first][key.second];
  attempts_.erase(it);
}

void SimHost::obey(const HostOrder& order) {
  auto& newest = newest_[order.job];
  if (order.attempt < newest) return;
  newest = order.attempt;
  if (order.resolved.group != 0) no_workers_.insert({order.job, order.attempt});
  auto& known = attempts_[{order.job, order.attempt}];
  bool fresh = known.empty();
  for (const auto& wanted : order.tasks) {
    if (!known.count(wanted.task) && wanted.has_process && !order.control.end && !wanted.kill &&
        !order.control.preempt)
      start_task(order, wanted.task);
    else if (!known.count(wanted.task) && wanted.has_process)
      known[wanted.task], end_task({order.job, order.attempt}, wanted.task, 9, Term::None);
    if (order.control.preempt) {
      auto key = Key{order.job, order.attempt};
      sim_.after(sim_.between(10, 3000),
                 [this, key, n = wanted.task] { end_task(key, n, 15, Term::None); });
    }
    if (wanted.leave)
      sim_.after(sim_.between(5, 60), [this, key = Key{order.job, order.attempt}, n = wanted.task] {
        end_task(key, n, 0, Term::None);
      });
    if (order.control.end || wanted.kill) {
      auto key = Key{order.job, order.attempt};
      sim_.after(sim_.between(1, 30),
                 [this, key, n = wanted.task, term = wanted.term] { end_task(key, n, 9, term); });
    }
  }
  if (fresh && order.team.elastic)
    report(AgentReport{order.job, order.attempt, id_, AgentUp{name_ + ":1"}});
}

void SimHost::start_task(const HostOrder& order, TaskNumber number) {
  Key key{order.job, order.attempt};
  auto& task = attempts_[key][number];
  if (unproven_ > 0) {
    --unproven_;
    return end_task(key, number, 0, Term::NotSigned);
  }
  task.pid = ++pids_;
  task.running = true;
  if (order.resolved.open) task.report = "{\"last\":" + std::to_string(task.pid) + "}";
  auto& running = net_.running[order.job];
  ++running[order.attempt];
  for (const auto& [attempt, count] : running)
    if (attempt != order.attempt && count > 0)
      net_.violations.push_back("two attempts of job " + to_string(order.job) + " run at once");
  if (running_tasks() > slots_) net_.violations.push_back(name_ + " holds more tasks than slots");
  report(FactStarted{order.job, order.attempt, number, task.pid});
  bool trains = order.team.elastic && !no_workers_.count(key);
  if (trains) report(AgentReport{order.job, order.attempt, id_, WorkerSeen{number}});
  if (order.resolved.open) report_on_the_way(key, number);
  int boot = static_cast<int>(boot_);
  int status = sim_.once_in(8) && !trains ? 3 << 8 : 0;
  sim_.after(sim_.between(200, 6000), [this, key, number, boot, status] {
    if (boot == static_cast<int>(boot_)) end_task(key, number, status, Term::None);
  });
}

// As an agent does; what it read may be told after the end, and is older then.
void SimHost::report_on_the_way(Key key, TaskNumber number) {
  sim_.after(sim_.between(100, 400), [this, key, number] {
    auto attempt = attempts_.find(key);
    if (attempt == attempts_.end() || !attempt->second[number].running) return;
    report(AgentReport{key.first, key.second, id_, TrialSaid{"{\"first\":1}"}});
  });
}

void SimHost::end_task(Key key, TaskNumber number, std::int32_t status, Term term) {
  auto attempt = attempts_.find(key);
  if (attempt == attempts_.end()) return;
  auto& task = attempt->second[number];
  if (task.ended) return;
  if (task.running) --net_.running[key.first][key.second];
  task.running = false;
  task.ended = true;
  task.status = status;
  if (!task.report.empty()) net_.last_reports[key] = task.report;
  report(FactEnded{key.first, key.second, number, status, term, {}, "", {}, task.report});
}

// The lead of this simulation sees everybody: a task that is wanted and runs is a member.
void SimHost::lead(const AgentOrder& order) {
  Key key{order.job, order.attempt};
  if (order.lead_host != id_ || !attempts_.count(key) || no_workers_.count(key)) return;
  auto& epoch = epochs_[key];
  epoch = EpochNumber{std::max(epoch.value, order.last_epoch.value) + 1};
  EpochFormed formed;
  formed.epoch = epoch;
  formed.lead = order.lead;
  for (const auto& wanted : order.tasks)
    if (!wanted.leaving) formed.members.push_back(wanted.task);
  if (formed.members.empty()) return;
  sim_.after(sim_.between(5, 50), [this, key, formed] {
    if (attempts_.count(key)) report(AgentReport{key.first, key.second, id_, formed});
  });
}

}  // namespace wm::test
