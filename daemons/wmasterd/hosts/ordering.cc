#include "daemons/wmasterd/hosts/ordering.h"

#include <algorithm>

#include "libwm/codec/codec.h"
#include "libwm/launch/warm.h"

namespace wm::master {
namespace {

// An order with files waits while so much is unsent to its host: a fourth of what a session holds
// before it is given up (wire::LinkOptions), so that several on their way fit as well.
constexpr std::size_t kEnoughUnsent = 16 << 20;
constexpr Duration kLookAgain = std::chrono::milliseconds(10);
constexpr std::size_t kAtOnce = 4;  // of those that wait, at a look
// Agents of a job on more hosts are told of changes only, after a pause; on fewer at once of all.
constexpr std::size_t kFewHosts = 32;
constexpr Duration kAgentPause = std::chrono::milliseconds(100);

// Do the files that the job brought go along?
bool brings_files(const HostOrder& order, const Job& job) {
  return starts_something(order, job) || launch::is_standby(order);
}

std::set<HostId> hosts_held_by(const Job& job) {
  std::set<HostId> hosts;
  for (const auto& task : job.tasks)
    if (task.holds_slot()) hosts.insert(task.host);
  return hosts;
}

}  // namespace

// What was decided before a registration is durable would have a rebooted host begin again what
// has been given up as lost.
bool Ordering::takes_orders(HostId host) const {
  Line line = line_(host);
  return line.peer && line.registered;
}

// A host that obeys an order knows from then on how far the store was that gave it.
void Ordering::send_bytes(HostId host, NodeVerb verb, const std::string& bytes) {
  auto peer = line_(host).peer;
  if (!peer) return;
  auto wire = [](NodeVerb v) { return static_cast<std::uint16_t>(v); };
  if (verb == NodeVerb::Order)
    peers_.send(peer, wire(NodeVerb::Heartbeat), codec::encode(journal_.rank()));
  peers_.send(peer, wire(verb), bytes);
}

void Ordering::signal(const Job& job, std::int32_t signal) {
  std::set<HostId> hosts;
  for (const auto& task : job.tasks)
    if (task.holds_slot()) hosts.insert(task.host);
  for (auto host : hosts) send(host, NodeVerb::Signal, HostSignal{job.id, job.attempt, signal});
}

// The orders to all hosts of a job follow one another, mostly of one state.
const JobPlaces& Ordering::places(const Job& job) {
  auto state = journal_.published_ptr();
  if (places_.of != state || places_.job != job.id)
    places_ = {state, job.id, places_of(*state, job)};
  return places_.all;
}

void Ordering::on_jobs_changed(const std::set<JobId>& jobs) {
  standby_.changed(journal_.published(), jobs);
}

void Ordering::on_reload() { standby_.reload(journal_.published()); }

void Ordering::forget_told(HostId host) {
  standby_.forget_told(host);
  news_.forget_told(host);
  hosts_changed_ = true;
}

bool Ordering::is_standby(HostId host, JobId job, Attempt attempt) const {
  return standby_.wanted(journal_.published(), job, host) == attempt;
}

void Ordering::forget(JobId job) {
  news_.forget(job);
  turns_.erase(job);
}

// Jobs are looked at when they change. Hosts change by the next look at the latest; of all that
// have registered since, there is one look.
void Ordering::on_tick(Duration attended) {
  constexpr Duration kLook = std::chrono::seconds(10);
  const Cluster& state = journal_.published();
  if (hosts_changed_ || attended - refreshed_ > kLook) {
    refreshed_ = attended;
    hosts_changed_ = false;
    standby_.refresh(state);
  }
  auto hears = [this](HostId host) { return takes_orders(host); };
  for (const auto& word : standby_.words(state, hears)) {
    const Job* job = find_job(state, word.job);
    if (word.attempt || (job && has_work_on(*job, word.host))) order({word.host, word.job});
    else send(word.host, NodeVerb::Forget, HostForget{word.job, Attempt{}});
  }
}

// What its part of the job is there, or the attempt that it is to be ready for.
std::optional<HostOrder> Ordering::order_of(const OrderHost& what) {
  const Cluster& state = journal_.published();
  const Job* job = find_job(state, what.job);
  if (!job) return std::nullopt;
  if (has_work_on(*job, what.host))
    return order_for(state, *job, places(*job), what.host, clock_.wall());
  auto attempt = standby_.wanted(state, what.job, what.host);
  if (!attempt) return std::nullopt;
  return standby_order(state, *job, *attempt, what.host, clock_.wall());
}

void Ordering::order(const OrderHost& what) {
  if (!takes_orders(what.host)) return;  // told when it is registered
  const Job* job = find_job(journal_.published(), what.job);
  auto order = order_of(what);
  if (!order) {
    auto attempt = job ? job->attempt : Attempt{};
    return send(what.host, NodeVerb::Forget, HostForget{what.job, attempt});
  }
  if (!brings_files(*order, *job)) return send(what.host, NodeVerb::Order, *order);
  if (is_full(what.host)) return wait(what);
  auto files = std::make_shared<Files>();
  workers_.urgent(
      [this, files, spec = job->sealed, hash = job->trial.data_hash] {
        if (!hash.empty())
          if (auto data = store_.blob(hash)) files->data = *std::move(data);
        if (auto env = store_.blob(spec->spec.program.env_hash)) files->env = *std::move(env);
        if (spec->spec.program.script_hash.empty()) return;
        if (auto script = store_.blob(spec->spec.program.script_hash))
          files->script = *std::move(script);
      },
      [this, what, files, sealed = job->sealed] { order_with(what, sealed, *files); });
}

// The state may have gone on while its files were read: the order says what holds by now.
void Ordering::order_with(const OrderHost& what, const std::shared_ptr<const SealedSpec>& sealed,
                          const Files& files) {
  const Job* job = find_job(journal_.published(), what.job);
  if (!job || job->sealed != sealed) return order(what);
  auto order = order_of(what);
  if (!takes_orders(what.host) || !order) return;  // told otherwise by now
  if (brings_files(*order, *job)) {
    if (is_full(what.host)) return wait(what);
    order->blobs.env = files.env;
    order->blobs.script = files.script;
    order->blobs.data = files.data;
  }
  send(what.host, NodeVerb::Order, *order);
}

bool Ordering::is_full(HostId host) const {
  return peers_.unsent(line_(host).peer) > kEnoughUnsent;
}

// Once there is room it is made anew, of the state as it is then.
void Ordering::wait(const OrderHost& what) {
  auto [waiting, first] = waiting_.try_emplace(what.host);
  auto& jobs = waiting->second;
  if (std::ranges::find(jobs, what.job) == jobs.end()) jobs.push_back(what.job);
  if (first) clock_.after(kLookAgain, [this, host = what.host] { go_on(host); });
}

void Ordering::go_on(HostId host) {
  auto waiting = waiting_.find(host);
  auto& jobs = waiting->second;
  std::vector<JobId> now;
  while (!is_full(host) && !jobs.empty() && now.size() < kAtOnce) {
    now.push_back(jobs.front());
    jobs.pop_front();
  }
  if (jobs.empty()) waiting_.erase(waiting);
  else clock_.after(kLookAgain, [this, host] { go_on(host); });
  for (JobId job : now) order({host, job});
}

void Ordering::order_agents(JobId id) {
  Turn& turn = turns_[id];
  if (turn.waits) return;
  auto left = turn.next - clock_.mono();
  if (left <= Duration{}) return say_agents(id);
  turn.waits = true;
  clock_.after(left, [this, id] { say_agents(id); });
}

// The lead's host is told everything, and of a large job the others what has changed, once their
// agent of it has come.
void Ordering::say_agents(JobId id) {
  const Job* job = find_job(journal_.published(), id);
  if (!job) return forget(id);
  auto order = agent_order_for(journal_.published(), *job);
  auto hosts = hosts_held_by(*job);
  bool few = hosts.size() <= kFewHosts;
  if (few) forget(id);
  else turns_[id] = {clock_.mono() + kAgentPause, false};
  if (hosts.contains(order.lead_host)) send(order.lead_host, NodeVerb::Agent, order);
  order.tasks.clear();
  std::vector<HostId> others;
  for (auto host : hosts)
    if (host != order.lead_host && line_(host).peer &&
        (few || job->membership.agents.contains(host)))
      others.push_back(host);
  if (few) {
    auto bytes = codec::encode(order);
    for (auto host : others) send_bytes(host, NodeVerb::Agent, bytes);
    return;
  }
  auto takes = [this](HostId host) { return line_(host).takes_changes; };
  for (const auto& word : news_.words(order, others, takes))
    send_bytes(word.host, NodeVerb::Agent, *word.bytes);
}

void Ordering::want_agent(const Job& job, HostId host) {
  if (!takes_orders(host) || !has_work_on(job, host)) return;
  auto order = order_for(journal_.published(), job, host, clock_.wall());
  order.control.attach = true;
  send(host, NodeVerb::Order, order);
}

}  // namespace wm::master
