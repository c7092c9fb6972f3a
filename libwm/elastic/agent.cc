// Routing: the lead part on this host is spoken to directly, others over the link.
#include "libwm/elastic/agent.h"

#include <algorithm>
#include <utility>

namespace wm::elastic {

Agent::Agent(AgentIdentity identity, TimePoint now)
    : identity_(std::move(identity)), member_(identity_.host, now) {}

std::vector<AgentAction> Agent::on(const AgentEvent& event, TimePoint now) {
  std::visit([&](const auto& e) { take(e, now); }, event);
  return std::exchange(actions_, {});
}

void Agent::report(const AgentFact& fact) {
  actions_.push_back(SendNode{{identity_.job, identity_.attempt, identity_.host, fact}});
}

void Agent::remember(const AgentFact& fact) {
  if (auto* formed = std::get_if<EpochFormed>(&fact)) formed_ = *formed;
  if (auto* faulty = std::get_if<TaskFaulty>(&fact)) faulty_.push_back(*faulty);
}

void Agent::take(const NodeUp&, TimePoint) {
  report(AgentUp{identity_.address});
  for (const auto& fact : member_.facts()) report(fact);
  if (!lead_) return;
  if (formed_) report(*formed_);
  for (const auto& fact : faulty_) report(fact);
}

void Agent::take(const NodeToAgent& words, TimePoint now) {
  if (auto* order = std::get_if<AgentOrder>(&words)) {
    obey(*order, now);
  } else if (auto* gone = std::get_if<TaskGone>(&words)) {
    pass(member_.on_gone(*gone), now);
  } else if (auto* beat = std::get_if<NodeHeartbeat>(&words)) {
    take(*beat, now);
  } else {
    pass(member_.on_checkpoint(std::get<WorkerCheckpoint>(words)), now);
  }
}

void Agent::take(const NodeHeartbeat& beat, TimePoint now) {
  bool back = beat.master == MasterSeen::Heard && master_ != MasterSeen::Heard;
  master_ = beat.master;
  if (master_ == MasterSeen::Heard) member_.hear_master(now);
  if (back) take(NodeUp{}, now);  // reports made meanwhile are lost
  lead_on(beat, now);
}

void Agent::take(const WorkerSaid& said, TimePoint now) {
  if (said.task) return pass(member_.on_worker(said), now);
  auto* progress = std::get_if<WorkerProgress>(&said.words);
  if (progress) report(JobProgress{*progress, order_.world});
}

void Agent::take(const LeadUp&, TimePoint) { actions_.push_back(SendLead{member_.status()}); }

void Agent::take(const LeadToAgent& words, TimePoint now) {
  pass(member_.on_lead(words, now), now);
}

void Agent::take(const FromAgent& from, TimePoint now) {
  if (!lead_) {
    actions_.push_back(DropAgent{from.host});
    return;
  }
  peers_.insert(from.host);
  lead_on(from, now);
}

void Agent::take(const Tick&, TimePoint now) {
  if (lead_) member_.hear_lead(now);
  pass(member_.on_tick(now), now);
  lead_on(Tick{}, now);
  if (now - beat_at_ < kBeat) return;
  beat_at_ = now;
  if (lead_) {
    for (auto host : peers_) actions_.push_back(SendAgent{host, Heartbeat{order_.lead}});
  } else if (order_.lead) {
    actions_.push_back(SendLead{Heartbeat{order_.lead}});
  }
}

void Agent::obey(const AgentOrder& order, TimePoint now) {
  if (order.job != identity_.job || order.attempt != identity_.attempt) return;
  auto age = [](const AgentOrder& o) { return std::pair(o.lead, o.generation); };
  if (age(order) <= age(order_)) return;
  bool new_lead = order.lead > order_.lead;
  bool moved = new_lead || order.lead_address != order_.lead_address;
  order_ = order;
  member_.obey(order.lead);
  if (moved) end_lead();
  bool here = order.lead_host == identity_.host && order.lead_address == identity_.address;
  if (!here && moved) actions_.push_back(FollowLead{order.lead_address});
  if (here && !lead_) return begin_lead(now);
  lead_on(order, now);
}

void Agent::begin_lead(TimePoint now) {
  actions_.push_back(FollowLead{});
  lead_.emplace(order_, now);
  lead_on(FromAgent{identity_.host, member_.status()}, now);
}

void Agent::end_lead() {
  // Agents that came too early, or for a former lead, come again with their status.
  for (auto host : peers_) actions_.push_back(DropAgent{host});
  peers_.clear();
  lead_.reset();
  formed_.reset();
  faulty_.clear();
}

void Agent::lead_on(const LeadEvent& event, TimePoint now) {
  if (!lead_) return;
  LeadOutput out = lead_->on(event, now);
  for (const auto& fact : out.facts) {
    remember(fact);
    report(fact);
  }
  for (const auto& tell : out.tell) {
    if (tell.host == identity_.host) {
      pass(member_.on_lead(tell.words, now), now);
    } else {
      actions_.push_back(SendAgent{tell.host, tell.words});
    }
  }
}

void Agent::pass(MemberOutput out, TimePoint now) {
  for (auto& tell : out.workers) actions_.push_back(SendWorker{tell.task, std::move(tell.words)});
  for (const auto& fact : out.facts) report(fact);
  for (auto& words : out.lead) {
    if (lead_) {
      lead_on(FromAgent{identity_.host, std::move(words)}, now);
    } else {
      actions_.push_back(SendLead{std::move(words)});
    }
  }
}

}  // namespace wm::elastic
