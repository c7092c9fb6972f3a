// Time, hosts and links of the simulated job.
#include "test/prop/elastic_sim.h"

namespace wm::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

ElasticSim::ElasticSim(const ElasticSimOptions& options)
    : options_(options), rng_(options.seed), target_(options.target) {
  order_.job = {7, 0};
  order_.attempt = Attempt{1};
  order_.start_window = seconds(2);
  order_.connect_limit = seconds(5);
  order_.hang_limit = seconds(3);
  for (std::uint32_t k = 1; k <= options.hosts; ++k) {
    hosts_[HostId{k}].id = HostId{k};
    start_agent(HostId{k});
  }
  beat();
  master();
}

ElasticSim::~ElasticSim() = default;

void ElasticSim::run(Duration calm_for) {
  after(seconds(3), [this] { fault(); });
  const TimePoint end_of_faults = now_ + options_.faults_for;
  const TimePoint end = end_of_faults + calm_for;
  after(options_.faults_for, [this] { calm(); });
  while (!events_.empty() && violations_.empty() && now_ < end) {
    Event event = events_.top();
    events_.pop();
    now_ = event.at;
    event.act();
  }
}

void ElasticSim::after(Duration delay, std::function<void()> act) {
  events_.push({now_ + delay, ++event_number_, std::move(act)});
}

void ElasticSim::post(const std::string& channel, Duration delay, std::function<void()> act) {
  TimePoint& last = last_on_[channel];
  last = std::max(last, now_ + delay);
  events_.push({last, ++event_number_, std::move(act)});
}

Duration ElasticSim::ms(int low, int high) {
  return milliseconds(std::uniform_int_distribution<int>(low, high)(rng_));
}

bool ElasticSim::chance(double p) { return std::bernoulli_distribution(p)(rng_); }

void ElasticSim::violate(const std::string& text) {
  note("VIOLATION " + text);
  violations_.push_back(text);
}

void ElasticSim::note(const std::string& text) {
  auto at = std::chrono::duration_cast<milliseconds>(now_.time_since_epoch()).count() - 3600000;
  story_.push_back(std::to_string(at) + " " + text);
}

std::string ElasticSim::story() const {
  std::string text = "wanted " + std::to_string(target_) + ", lead on host " +
                     std::to_string(order_.lead_host.value) + "\n";
  for (const auto& w : order_.tasks) {
    const Worker& worker = workers_.at(w.task);
    text += "task " + std::to_string(w.task.value) + " host " + std::to_string(w.host.value) +
            (w.leaving ? " leaving" : "") + (worker.alive ? "" : " ended") +
            (worker.hung ? " hung" : "") + " epoch " + std::to_string(worker.epoch.value) +
            (worker.blocked ? " blocked" : "") + " step " + std::to_string(worker.state.step) +
            "\n";
  }
  for (const auto& [h, host] : hosts_) {
    text += "host " + std::to_string(h.value) + (host.linked ? " linked" : "");
    if (host.agent && host.agent->lead() != nullptr) {
      text += " leads epoch " + std::to_string(host.agent->lead()->current().epoch.value);
    }
    text += "\n";
  }
  std::size_t from = story_.size() > 400 ? story_.size() - 400 : 0;
  for (std::size_t i = from; i < story_.size(); ++i) text += story_[i] + "\n";
  return text;
}

bool ElasticSim::reach(HostId a, HostId b) const {
  const Host& x = hosts_.at(a);
  const Host& y = hosts_.at(b);
  return x.up && y.up && (a == b || (!x.cut && !y.cut));
}

bool ElasticSim::reach_master(HostId h) const {
  return master_up_ && hosts_.at(h).up && !hosts_.at(h).cut;
}

void ElasticSim::start_agent(HostId h) {
  Host& host = hosts_[h];
  ++host.incarnation;
  ++host.link;
  host.linked = false;
  host.follows.clear();
  host.seen = MasterSeen::Silent;
  std::string address = std::to_string(h.value) + ":" + std::to_string(host.incarnation);
  host.agent = std::make_unique<elastic::Agent>(
      elastic::AgentIdentity{order_.job, order_.attempt, h, address}, now_);
  on_agent(h, elastic::NodeUp{});
  for (auto& [task, worker] : workers_) {
    if (worker.host != h) continue;
    if (!worker.alive) on_agent(h, NodeToAgent{TaskGone{task, "ended"}});
    if (worker.alive) restate(worker);
  }
  tick(h, host.incarnation);
}

void ElasticSim::on_agent(HostId h, const elastic::AgentEvent& event) {
  Host& host = hosts_[h];
  if (!host.up || !host.agent) return;
  for (const auto& action : host.agent->on(event, now_)) act(h, action);
}

void ElasticSim::act(HostId h, const elastic::AgentAction& action) {
  Host& host = hosts_[h];
  if (auto* node = std::get_if<elastic::SendNode>(&action)) {
    if (reach_master(h)) {
      after(ms(1, 10), [this, h, r = node->report] { heard(h, r); });
    }
  } else if (auto* tell_worker = std::get_if<elastic::SendWorker>(&action)) {
    post("w" + std::to_string(tell_worker->task.value), ms(0, 3),
         [this, t = *tell_worker] { tell(t.task, t.words); });
  } else if (auto* lead = std::get_if<elastic::SendLead>(&action)) {
    send_lead(h, lead->words);
  } else if (auto* agent = std::get_if<elastic::SendAgent>(&action)) {
    send_agent(h, agent->host, agent->words);
  } else if (auto* follow = std::get_if<elastic::FollowLead>(&action)) {
    host.follows = follow->address;
    host.linked = false;
    ++host.link;
    if (!host.follows.empty()) try_link(h);
  } else if (auto* drop = std::get_if<elastic::DropAgent>(&action)) {
    after(ms(0, 5), [this, to = drop->host, link = hosts_[drop->host].link] {
      if (hosts_[to].link == link) break_link(to);
    });
  }
}

void ElasticSim::try_link(HostId h) {
  Host& host = hosts_[h];
  if (host.linked || host.follows.empty() || !host.up) return;
  auto colon = host.follows.find(':');
  HostId to{static_cast<std::uint32_t>(std::stoul(host.follows.substr(0, colon)))};
  auto incarnation = std::stoul(host.follows.substr(colon + 1));
  if (!reach(h, to) || hosts_[to].incarnation != incarnation) {
    after(ms(90, 110), [this, h, link = host.link] {
      if (hosts_[h].link == link) try_link(h);
    });
    return;
  }
  host.linked = true;
  ++host.link;
  on_agent(h, elastic::LeadUp{});
}

/// What is under way is lost; the agent looks for its lead again.
void ElasticSim::break_link(HostId h) {
  Host& host = hosts_[h];
  ++host.link;
  host.linked = false;
  after(ms(90, 110), [this, h] { try_link(h); });
}

void ElasticSim::send_lead(HostId h, const AgentToLead& words) {
  Host& host = hosts_[h];
  if (!host.linked) return;
  HostId to{static_cast<std::uint32_t>(std::stoul(host.follows))};
  if (chance(0.002)) {  // the connection breaks and what was under way is lost
    return break_link(h);
  }
  auto arrive = [this, h, to, words, link = host.link, lead = hosts_[to].incarnation] {
    if (hosts_[h].link != link || hosts_[to].incarnation != lead) return;
    if (!reach(h, to)) return break_link(h);
    on_agent(to, elastic::FromAgent{h, words});
  };
  int copies = chance(0.02) ? 2 : 1;  // late and doubled words, as after a reconnect
  for (int i = 0; i < copies; ++i) after(ms(0, chance(0.02) ? 300 : 5), arrive);
}

void ElasticSim::send_agent(HostId from, HostId to, const LeadToAgent& words) {
  Host& host = hosts_[to];
  if (!host.linked || HostId{static_cast<std::uint32_t>(std::stoul(host.follows))} != from) return;
  post("l" + std::to_string(to.value), ms(0, 5), [this, from, to, words, link = host.link] {
    if (hosts_[to].link != link) return;
    if (!reach(from, to)) return break_link(to);
    on_agent(to, words);
  });
}

void ElasticSim::tick(HostId h, std::uint32_t incarnation) {
  Host& host = hosts_[h];
  if (host.incarnation != incarnation || !host.up) return;
  on_agent(h, elastic::Tick{});
  after(milliseconds(100), [this, h, incarnation] { tick(h, incarnation); });
}

void ElasticSim::beat() {
  for (auto& [h, host] : hosts_) {
    MasterSeen seen = host.cut ? MasterSeen::Silent : MasterSeen::Heard;
    if (!host.cut && !master_up_) seen = MasterSeen::Down;
    bool back = seen == MasterSeen::Heard && host.seen != MasterSeen::Heard;
    host.seen = seen;
    if (back && order_.lead) on_agent(h, NodeToAgent{order_});
    on_agent(h, NodeToAgent{NodeHeartbeat{seen}});
    for (auto& [number, group] : groups_) {
      for (auto& [round, r] : group.rounds) {
        if (!r.complete) try_complete(number, round);
      }
    }
  }
  after(milliseconds(200), [this] { beat(); });
}

bool ElasticSim::is_complete() const {
  bool all = !workers_.empty();
  for (const auto& [task, w] : workers_) all = all && !w.alive;
  return all && newest_step_ == options_.last_step;
}

bool ElasticSim::is_settled() const {
  for (const auto& [h, host] : hosts_) {
    if (!host.agent || host.agent->lead() == nullptr || order_.lead_host != h) continue;
    const EpochPlan& current = host.agent->lead()->current();
    std::set<TaskNumber> members(current.members.begin(), current.members.end());
    std::set<TaskNumber> wanted;
    for (const auto& w : order_.tasks) {
      if (!w.leaving) wanted.insert(w.task);
    }
    for (auto t : wanted) {
      const Worker& w = workers_.at(t);
      if (!w.alive || w.epoch != current.epoch || !w.synced) return false;
    }
    return members == wanted && wanted.size() == target_ && now_ - step_at_ < seconds(2);
  }
  return false;
}

}  // namespace wm::sim
