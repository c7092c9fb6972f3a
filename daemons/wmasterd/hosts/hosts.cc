#include "daemons/wmasterd/hosts/hosts.h"

#include <algorithm>

#include "daemons/wmasterd/hosts/fence.h"
#include "daemons/wmasterd/hosts/gpu_marks.h"
#include "daemons/wmasterd/hosts/host_faults.h"
#include "daemons/wmasterd/hosts/serving.h"
#include "daemons/wmasterd/state/reconfig.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/fsm/part.h"

namespace wm::master {
namespace {

// A session that ended may come back within this time before its host counts as silent.
constexpr Duration kLostAfter = std::chrono::seconds(3);

std::uint16_t wire(NodeVerb verb) { return static_cast<std::uint16_t>(verb); }

bool reported(const HostRegister& words, const Job& job, TaskNumber task, std::int32_t* pid) {
  for (const auto& attempt : words.attempts) {
    if (attempt.job != job.id || attempt.attempt != job.attempt) continue;
    for (const auto& status : attempt.tasks) {
      if (status.task != task) continue;
      *pid = status.pid;
      return true;
    }
  }
  return false;
}

bool knows_attempt(const HostRegister& words, const Job& job) {
  return std::any_of(words.attempts.begin(), words.attempts.end(), [&](const auto& attempt) {
    return attempt.job == job.id && attempt.attempt == job.attempt;
  });
}

// Is this attempt still wanted by the state?
bool is_current(const Cluster& state, const AttemptStatus& attempt) {
  const Job* job = find_job(state, attempt.job);
  return job && job->attempt == attempt.attempt && slots_held(*job) > 0;
}

}  // namespace

HostId Hosts::host_of(PeerId peer) const {
  auto it = host_of_.find(peer);
  return it == host_of_.end() ? HostId{} : it->second;
}

bool Hosts::connected(HostId host) const {
  auto it = sessions_.find(host);
  return it != sessions_.end() && it->second.peer;
}

Line Hosts::line(HostId host) const {
  auto it = sessions_.find(host);
  if (it == sessions_.end()) return {};
  return {it->second.peer, it->second.registered, it->second.takes_changes};
}

HostStanding& Hosts::standing(HostId host) {
  if (!standings_.find(host.value)) standings_.set(host.value, {});
  return standings_.edit(host.value);
}

void Hosts::on_gpus(HostId host, const GpuReports& words) {
  standing(host).gpus = words.gpus;
  const Host* known = journal_.newest().hosts.find(host.value);
  if (!known) return;
  auto events = marks_by_health(*known, words.gpus, false);
  if (!events.empty()) journal_.propose({std::move(events), {}, {}, nullptr});
}

void Hosts::on_start() {
  journal_.published().hosts.each([&](std::uint32_t, const Host& host) { sessions_[host.id]; });
  ordering_.on_reload();
}

void Hosts::on_frame(PeerId peer, std::uint16_t type, const std::string& payload) {
  auto bad = [&](const Error& error) {
    log::warn("host_session_closed", {{"peer", peer.value}, {"why", error.text}});
    peers_.close(peer);
    on_left(peer);
  };
  if (type == wire(NodeVerb::Register)) {
    if (!told_) told_ = journal_.published().config;
    auto words = codec::decode<HostRegister>(payload);
    return words ? on_register(peer, *words) : bad(words.error());
  }
  if (recalls_.hear(peer, type, payload)) return;
  HostId host = host_of(peer);
  if (!host) return bad(fail(Code::BadArgument, "a frame before registration"));
  sessions_[host].heard = attended_.now();
  const Host* known = journal_.newest().hosts.find(host.value);
  if (known && known->state == HostState::Silent)
    journal_.propose({{HostHeard{host}}, {}, {}, nullptr});
  if (type == wire(NodeVerb::Heartbeat)) {
    if (auto words = codec::decode<HostHeartbeat>(payload)) {
      standing(host).load = words->load;
      standing(host).more = words->more;
    }
    peers_.send(peer, wire(NodeVerb::Heartbeat), codec::encode(journal_.rank()));
  } else if (type == wire(NodeVerb::Fact)) {
    auto fact = codec::decode<HostFact>(payload);
    return fact ? on_fact(peer, host, *fact) : bad(fact.error());
  } else if (type == wire(NodeVerb::Gpus)) {
    auto words = codec::decode<GpuReports>(payload);
    return words ? on_gpus(host, *words) : bad(words.error());
  } else if (type == kUsesFrame) {
    if (auto words = codec::decode<HostUses>(payload))
      standing(host).uses = std::make_shared<const HostUses>(std::move(*words));
  } else if (type == kMeterFrame) {
    if (auto words = codec::decode<HostMeter>(payload); words && known && metered_)
      metered_(known->name, *words);
  } else if (type == wire(NodeVerb::PeekReply)) {
    if (auto reply = codec::decode<PeekReply>(payload)) on_peek_reply(*reply);
  }
}

void Hosts::set_busy(HostId host, const std::string& why) {
  const HostStanding* known = standings_.find(host.value);
  if (known && known->busy != why) standing(host).busy = why;
}

void Hosts::on_left(PeerId peer) {
  recalls_.on_left(peer);
  HostId host = host_of(peer);
  host_of_.erase(peer);
  if (!host) return;
  auto& session = sessions_[host];
  if (session.peer != peer) return;
  session.peer = {};
  standing(host).connected = false;
  session.left = attended_.now();
  std::vector<Peek> lost;
  for (auto it = peeks_.begin(); it != peeks_.end();) {
    if (it->second.host == host) {
      lost.push_back(std::move(it->second));
      it = peeks_.erase(it);
    } else {
      ++it;
    }
  }
  for (auto& peek : lost) peek.done(fail(Code::Unavailable, "the host's session ended"));
}

void Hosts::end_session(HostId host) {
  auto it = sessions_.find(host);
  if (it == sessions_.end() || !it->second.peer) return;
  auto peer = it->second.peer;
  peers_.close(peer);
  on_left(peer);
}

void Hosts::on_register(PeerId peer, const HostRegister& words, bool was_held) {
  const Cluster& state = journal_.newest();
  if (!lists_host(*state.config, words.name)) return refuse(peer, words);
  if (!may_obey(words.obeyed, journal_.rank())) return give_way(peer, words);
  if (!was_held && recalls_.hold(peer, words)) return;
  strangers_.joined(words.name);
  const Host* known = find_host(state, words.name);
  HostId id = known ? known->id : HostId{static_cast<std::uint32_t>(state.hosts.last() + 1)};
  std::vector<EventBody> events{HostRegistered{id, words.name, words.address, words.boot,
                                               words.type, words.model, words.capacity,
                                               words.network}};
  if (known)
    for (auto& event : marks_by_health(*known, words.gpus, known->boot != words.boot))
      events.push_back(std::move(event));
  for (auto& event : reconcile(id, words)) events.push_back(std::move(event));
  journal_.propose({std::move(events), {}, {}, [this, peer, id, words](const Result<void>& done) {
                      if (!done) {
                        peers_.close(peer);
                        return on_left(peer);
                      }
                      sessions_[id].registered = sessions_[id].peer == peer;
                      ordering_.forget_told(id);
                      drop_strangers(peer, words);
                    }});
  auto& session = sessions_[id];
  if (session.peer && session.peer != peer) {
    host_of_.erase(session.peer);
    peers_.close(session.peer);
  }
  session.peer = peer;
  session.registered = false;
  session.takes_changes = words.takes_changes;
  session.came = true;
  session.heard = attended_.now();
  session.began = clock_.wall();
  auto& shown = standing(id);
  shown.connected = true;
  shown.gpus = words.gpus;
  shown.cpus = words.cpus;
  host_of_[peer] = id;
  welcome(peer, id);
  log::info("host_registered",
            {{"host", words.name}, {"boot", words.boot}, {"attempts", words.attempts.size()}});
}

void Hosts::refuse(PeerId peer, const HostRegister& words) {
  if (strangers_.knocked(words.name, words.address, clock_.mono()))
    log::warn("host_refused", {{"host", words.name},
                               {"address", words.address},
                               {"why", "it is not in hosts.conf"},
                               {"remedy", "add [" + words.name + "], badmin reconfig"}});
  peers_.send(peer, wire(NodeVerb::Refused), "host '" + words.name + "' is not in hosts.conf");
  peers_.close(peer);
}

// What this store orders would undo what a newer one has ordered there.
void Hosts::give_way(PeerId peer, const HostRegister& words) {
  log::error("outranked", {{"host", words.name},
                           {"obeyed", to_string(words.obeyed)},
                           {"ours", to_string(journal_.rank())}});
  peers_.close(peer);
  if (outranked_) outranked_(words.name, words.obeyed);
}

// Welcome goes first so that orders, which follow the commit, find a host that knows itself.
// It tells the newest configuration: a master that has just started may not have published its
// own yet. If that never becomes durable, neither does this registration, and the session is
// closed.
void Hosts::welcome(PeerId peer, HostId host) {
  const auto& config = *journal_.newest().config;
  const auto& conf = config.cluster;
  auto times = conf.times;
  times.heartbeat = sessions_[host].beat = beat_of(config, serving_.contains(host));
  peers_.send(peer, wire(NodeVerb::Welcome),
              codec::encode(HostWelcome{host, conf.name, conf.dirs, times, conf.limits,
                                        conf.scripts, journal_.rank()}));
}

std::vector<EventBody> Hosts::reconcile(HostId host, const HostRegister& words) const {
  std::vector<EventBody> events;
  const Cluster& state = journal_.newest();
  const Host* known = state.hosts.find(host.value);
  bool rebooted = known && known->boot != words.boot;
  each_job_on(state, host, [&](const Job& job) {
    for (const auto& task : job.tasks) {
      if (task.host != host || !task.holds_slot()) continue;
      if (!task.has_process && !fsm::is_part(job, task)) continue;
      std::int32_t pid = 0;
      if (!task.has_process && knows_attempt(words, job)) continue;
      if (reported(words, job, task.number, &pid)) {
        if (pid && !task.pid) events.push_back(TaskStarted{job.id, job.attempt, task.number, pid});
      } else if (task.pid || rebooted || !task.has_process) {
        Term term = rebooted ? Term::HostLost : Term::ShepherdLost;
        events.push_back(TaskEnded{job.id,
                                   job.attempt,
                                   task.number,
                                   kKilled,
                                   term,
                                   {},
                                   words.name + " knows nothing of it any more"});
      }
    }
    for (const auto& attempt : words.attempts)
      if (attempt.job == job.id && attempt.attempt == job.attempt && !attempt.agent_address.empty())
        events.push_back(
            AgentSeen{job.id, job.attempt, host, attempt.agent_address, attempt.doors});
  });
  for (auto& event : undelivered(state, host, words)) events.push_back(std::move(event));
  return events;
}

// What runs there and is not wanted any more is ended and forgotten.
void Hosts::drop_strangers(PeerId peer, const HostRegister& words) const {
  const Cluster& state = journal_.published();
  for (const auto& attempt : words.attempts) {
    if (is_current(state, attempt) || recalls_.is_adopting(attempt.job) ||
        ordering_.is_standby(host_of(peer), attempt.job, attempt.attempt))
      continue;
    HostForget forget{attempt.job, attempt.attempt, ""};
    if (is_lost(state, attempt.job)) {
      forget.why = lost_text("");
      log::warn("unknown_job_ended", {{"job", to_string(attempt.job)}, {"host", words.name}});
    }
    peers_.send(peer, wire(NodeVerb::Forget), codec::encode(forget));
  }
}

void Hosts::on_fact(PeerId peer, HostId host, const HostFact& fact) {
  Proposal proposal;
  proposal.events = events_of(host, fact.fact);
  if (fact.number != 0)
    proposal.done = [this, peer, number = fact.number](const Result<void>& done) {
      if (done) return peers_.send(peer, wire(NodeVerb::Ack), codec::encode(HostAck{number}));
      peers_.close(peer);  // not kept: the host says everything again when it registers
      on_left(peer);
    };
  if (proposal.events.empty() && !proposal.done) return;
  journal_.propose(std::move(proposal));
}

/// A host hears of another configuration as it heard of the first; and how often it is to be heard,
/// when it begins to serve or serves no more. The time until it knows does not count against it.
void Hosts::tell_configuration() {
  const auto& config = journal_.published().config;
  bool all = told_ && std::exchange(told_, config) != config;
  serving_ = serving_hosts(journal_.newest());
  for (auto& [host, session] : sessions_) {
    bool other = session.beat != beat_of(*journal_.newest().config, serving_.contains(host));
    if (!session.peer || !(all || other)) continue;
    if (other) session.heard = attended_.now();
    welcome(session.peer, host);
  }
}

void Hosts::on_tick() {
  constexpr Duration kTold = std::chrono::seconds(1);
  if (auto late = attended_.on_tick(clock_.mono()); late > kTold)
    log::warn("loop_was_away", {{"ms", late / std::chrono::milliseconds(1)}});
  tell_configuration();
  recalls_.on_tick();
  auto events = fallen_silent();
  if (!events.empty()) journal_.propose({std::move(events), {}, {}, nullptr});
  ordering_.on_tick(attended_.now());
}

bool Hosts::is_silent(const Session& session, Duration after) const {
  const Config& config = *journal_.newest().config;
  if (session.peer) return attended_.now() - session.heard > after;
  return attended_.now() - session.left > (session.came ? kLostAfter : time_to_register(config));
}

std::vector<EventBody> Hosts::fallen_silent() {
  std::vector<EventBody> events;
  const Cluster& state = journal_.newest();
  auto after = silent_after_for(*state.config);
  state.hosts.each([&](std::uint32_t, const Host& host) {
    if (host.state != HostState::Ok) return;
    const Session& session = sessions_[host.id];
    bool silent = is_silent(session, after);
    bool given_up = silent || (serving_.contains(host.id) &&
                               is_silent(session, std::min<Duration>(after, kServingSilence)));
    if (given_up)
      for (auto& event : given_up_on(state, host, silent)) events.push_back(std::move(event));
    if (silent) events.push_back(HostSilent{host.id});
  });
  for (auto& event : room_for_routers(state)) events.push_back(std::move(event));
  return events;
}

void Hosts::signal(const Job& job, std::int32_t signal) {
  std::set<HostId> hosts;
  for (const auto& task : job.tasks)
    if (task.holds_slot()) hosts.insert(task.host);
  for (auto host : hosts)
    ordering_.send(host, NodeVerb::Signal, HostSignal{job.id, job.attempt, signal});
}

void Hosts::peek(HostId host, PeekRequest request, std::function<void(Result<std::string>)> done) {
  if (!connected(host)) {
    done(fail(Code::Unavailable, "the job's host does not answer at the moment"));
    return;
  }
  request.id = next_peek_++;
  peeks_[request.id] = {host, std::move(done)};
  ordering_.send(host, NodeVerb::Peek, request);
}

void Hosts::on_peek_reply(const PeekReply& reply) {
  auto it = peeks_.find(reply.id);
  if (it == peeks_.end()) return;
  auto done = std::move(it->second.done);
  peeks_.erase(it);
  if (reply.error.empty()) done(reply.bytes);
  else done(fail(Code::NotFound, reply.error));
}

}  // namespace wm::master
