#include "daemons/wmasterd/hosts/hosts.h"

#include <algorithm>

#include "daemons/wmasterd/hosts/fence.h"
#include "daemons/wmasterd/hosts/gpu_marks.h"
#include "daemons/wmasterd/hosts/host_faults.h"
#include "daemons/wmasterd/hosts/reconcile.h"
#include "daemons/wmasterd/hosts/serving.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/fsm/reconfig.h"

namespace wm::master {
namespace {

std::uint16_t wire(NodeVerb verb) { return static_cast<std::uint16_t>(verb); }

// Is this attempt still wanted by the state?
bool is_current(const Cluster& state, const AttemptStatus& attempt) {
  const Job* job = find_job(state, attempt.job);
  return job && job->attempt == attempt.attempt && slots_held(*job) > 0;
}

// Memory can be plugged in while a machine runs. A host of an earlier version tells none, and what
// hosts.conf says stays.
std::optional<HostMemoryChanged> memory_news(const Config& config, const Host& known,
                                             wm::Bytes mem) {
  const HostConf* conf = config.host(known.name);
  bool declared = conf && conf->mem.value > 0;
  if (mem.value <= 0 || declared || mem == known.capacity.mem) return {};
  return HostMemoryChanged{known.id, mem};
}

}  // namespace

void Hosts::on_gpus(HostId host, const GpuReports& words) {
  readings_.of(host).gpus = words.gpus;
  const Host* known = journal_.newest().hosts.find(host.value);
  if (!known) return;
  auto events = marks_by_health(*known, words.gpus, false);
  if (!events.empty()) journal_.propose({std::move(events), {}, {}, nullptr});
}

void Hosts::on_start() {
  journal_.published().hosts.each([&](std::uint32_t, const Host& host) { sessions_.of(host.id); });
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
  HostId host = sessions_.host_of(peer);
  if (!host) return bad(fail(Code::BadArgument, "a frame before registration"));
  sessions_.of(host).heard = attended_.now();
  const Host* known = journal_.newest().hosts.find(host.value);
  if (known && known->state == HostState::Silent)
    journal_.propose({{HostHeard{host}}, {}, {}, nullptr});
  if (type == wire(NodeVerb::Heartbeat)) {
    if (auto words = codec::decode<HostHeartbeat>(payload)) {
      readings_.of(host).load = words->load;
      readings_.of(host).more = words->more;
      if (known)
        if (auto news = memory_news(*journal_.newest().config, *known, words->mem))
          journal_.propose({{*news}, {}, {}, nullptr});
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
      readings_.of(host).uses = std::make_shared<const HostUses>(std::move(*words));
  } else if (type == kMeterFrame) {
    if (auto words = codec::decode<HostMeter>(payload); words && known && metered_)
      metered_(known->name, *words);
  } else if (type == wire(NodeVerb::PeekReply)) {
    if (auto reply = codec::decode<PeekReply>(payload)) peeks_.on_reply(*reply);
  }
}

void Hosts::on_left(PeerId peer) {
  recalls_.on_left(peer);
  HostId host = sessions_.leave(peer, attended_.now());
  if (!host) return;
  readings_.of(host).connected = false;
  peeks_.on_left(host);
}

void Hosts::end_session(HostId host) {
  auto peer = sessions_.line(host).peer;
  if (!peer) return;
  peers_.close(peer);
  on_left(peer);
}

void Hosts::on_register(PeerId peer, const HostRegister& words, bool was_held) {
  const Cluster& state = journal_.newest();
  if (!fsm::lists_host(*state.config, words.name)) return refuse(peer, words);
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
  for (auto& event : reconcile(state, id, words)) events.push_back(std::move(event));
  journal_.propose({std::move(events), {}, {}, [this, peer, id, words](const Result<void>& done) {
                      if (!done) {
                        peers_.close(peer);
                        return on_left(peer);
                      }
                      auto& session = sessions_.of(id);
                      session.registered = session.peer == peer;
                      ordering_.forget_told(id);
                      drop_strangers(peer, words);
                    }});
  if (auto former = sessions_.join(peer, id, words.takes_changes, clock_.wall(), attended_.now()))
    peers_.close(former);
  auto& shown = readings_.of(id);
  shown.connected = true;
  shown.gpus = words.gpus;
  shown.cpus = words.cpus;
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
  times.heartbeat = sessions_.of(host).beat = beat_of(config, serving_.contains(host));
  peers_.send(peer, wire(NodeVerb::Welcome),
              codec::encode(HostWelcome{host, conf.name, conf.dirs, times, conf.limits,
                                        conf.scripts, journal_.rank()}));
}

// What runs there and is not wanted any more is ended and forgotten.
void Hosts::drop_strangers(PeerId peer, const HostRegister& words) const {
  const Cluster& state = journal_.published();
  for (const auto& attempt : words.attempts) {
    if (is_current(state, attempt) || recalls_.is_adopting(attempt.job) ||
        ordering_.is_standby(sessions_.host_of(peer), attempt.job, attempt.attempt))
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
  proposal.events = facts_.events_of(host, fact.fact, sessions_.of(host).began);
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
  for (auto& [host, session] : sessions_.all()) {
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
  peeks_.on_tick(attended_.now());
  auto events = fallen_silent();
  if (!events.empty()) journal_.propose({std::move(events), {}, {}, nullptr});
  ordering_.on_tick(attended_.now());
}

std::vector<EventBody> Hosts::fallen_silent() {
  std::vector<EventBody> events;
  const Cluster& state = journal_.newest();
  auto after = silent_after_for(*state.config), to_register = time_to_register(*state.config);
  state.hosts.each([&](std::uint32_t, const Host& host) {
    if (host.state != HostState::Ok) return;
    auto is_silent = [&](Duration limit) {
      return sessions_.is_silent(host.id, attended_.now(), limit, to_register);
    };
    bool silent = is_silent(after);
    bool given_up = silent || (serving_.contains(host.id) &&
                               is_silent(std::min<Duration>(after, kServingSilence)));
    if (given_up)
      for (auto& event : given_up_on(state, host, silent)) events.push_back(std::move(event));
    if (silent) events.push_back(HostSilent{host.id});
  });
  for (auto& event : room_for_routers(state)) events.push_back(std::move(event));
  return events;
}

void Hosts::peek(HostId host, PeekRequest request, Peeks::Done done) {
  if (!connected(host)) {
    done(fail(Code::Unavailable, "the job's host does not answer at the moment"));
    return;
  }
  request.id = peeks_.ask(host, std::move(done), attended_.now());
  ordering_.send(host, NodeVerb::Peek, request);
}

}  // namespace wm::master
