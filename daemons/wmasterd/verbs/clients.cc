#include "daemons/wmasterd/verbs/clients.h"

#include <algorithm>

#include "daemons/wmasterd/verbs/call.h"
#include "libwm/fsm/fsm.h"

namespace wm::master {
namespace {

constexpr std::size_t kKeySize = 16;

WaitReply standing_of(const Cluster& state, const Job& job) {
  WaitReply reply{job.state, "", job.exit_status, job.term, job.attempt};
  const Host* host = job.tasks.empty() ? nullptr : state.hosts.find(job.tasks.front().host.value);
  if (host) reply.first_host = host->name;
  return reply;
}

// An array is over when all its elements are, and as well as the first that did not end well.
WaitReply end_of_array(const Cluster& state, const Job& base) {
  std::optional<WaitReply> end;
  for (std::uint32_t p = 0; p < element_count(base.spec()); ++p) {
    const Job* element = state.elements.find(base.first_element + p);
    WaitReply one{JobState::Array, "", 0, Term::None, {}};
    if (element && is_over(element->state))
      one = {element->state, "", element->exit_status, element->term, {}};
    else if (!element && base.kill) one = {base.kill->end(), "", 0, base.kill->term, {}};
    if (one.state == JobState::Array) return one;
    if (!end || end->state == JobState::Finished) end = one;
  }
  return *end;
}

}  // namespace

void Call::refuse(const Error& error) const {
  world_->send(peer_, static_cast<std::uint16_t>(Verb::Failed),
               codec::encode(VerbError{static_cast<std::uint8_t>(error.code), error.text}));
}

void Call::send(Result<std::string> bytes) const {
  if (!bytes) return refuse(bytes.error());
  world_->send(peer_, static_cast<std::uint16_t>(verb_), *std::move(bytes));
}

void Call::resend(const std::string& kept) const {
  if (kept.size() < 2) return refuse(fail(Code::Damaged, "the kept reply is damaged"));
  auto type = static_cast<std::uint16_t>(static_cast<unsigned char>(kept[0]) |
                                         static_cast<unsigned char>(kept[1]) << 8);
  world_->send(peer_, type, kept.substr(2));
}

void Clients::on_frame(PeerId peer, const Caller& caller, std::uint16_t type,
                       const std::string& payload) {
  auto verb = static_cast<Verb>(type);
  Call call(c_.world, peer, verb, caller);
  auto with = [&]<class Request>(void (Clients::*act)(Call, const Request&)) {
    auto request = codec::decode<Request>(payload);
    if (!request) return call.refuse(request.error());
    if constexpr (requires { request->request_key; }) {
      auto once = std::make_shared<const Request>(*std::move(request));
      return unless_answered(call, once->request_key, [=, this] { (this->*act)(call, *once); });
    } else {
      (this->*act)(call, *request);
    }
  };
  switch (verb) {
    case Verb::Submit: return with(&Clients::submit);
    case Verb::Kill: return with(&Clients::kill);
    case Verb::Release: return with(&Clients::release);
    case Verb::Resize: return with(&Clients::resize);
    case Verb::Jobs: return with(&Clients::jobs);
    case Verb::Queues: return with(&Clients::queues);
    case Verb::Hosts: return with(&Clients::hosts);
    case Verb::Plans: return with(&Clients::plans);
    case Verb::History: return with(&Clients::history);
    case Verb::Peek: return with(&Clients::peek);
    case Verb::Admin: return with(&Clients::admin);
    case Verb::Wait: return with(&Clients::wait);
    case Verb::Ping: return with(&Clients::ping);
    case Verb::Attach: return with(&Clients::attach);
    case Verb::Account: return with(&Clients::account);
    case Verb::State: return with(&Clients::state);
    case Verb::Move: return with(&Clients::move);
    case Verb::Switch: return with(&Clients::switch_queue);
    case Verb::Spec: return with(&Clients::spec);
    case Verb::Modify: return with(&Clients::modify);
    case Verb::Limit: return with(&Clients::limit_run);
    case Verb::Requeue: return with(&Clients::requeue);
    case Verb::Failed: break;
  }
  call.refuse(
      fail(Code::Version, "request " + std::to_string(type) + " is not known to this master"));
}

// A repeat while the first is under way gets its answer too, when there is one; while the first is
// looked for among the answers of old, it waits to be looked at.
void Clients::unless_answered(const Call& call, const std::string& key, std::function<void()> act) {
  if (key.size() != kKeySize)
    return call.refuse(
        fail(Code::BadArgument, "a request key has 16 bytes, not " + std::to_string(key.size())));
  if (auto it = in_flight_.find(key); it != in_flight_.end()) return it->second.push_back(call);
  auto [repeats, is_first] = looked_for_.try_emplace(key);
  if (!is_first) return repeats->second.push_back({call, std::move(act)});
  c_.world.kept_reply(
      key, [this, call, key, act = std::move(act)](Result<std::optional<std::string>> kept) {
        auto repeats = std::move(looked_for_[key]);
        looked_for_.erase(key);
        if (!kept) call.refuse(kept.error());
        else if (*kept) call.resend(**kept);
        else act();
        for (auto& repeat : repeats) unless_answered(repeat.call, key, std::move(repeat.act));
      });
}

void Clients::refuse(const Call& call, const std::string& key, const Error& error) {
  auto askers = std::move(in_flight_[key]);
  in_flight_.erase(key);
  askers.push_back(call);
  for (const auto& one : askers) one.refuse(error);
}

bool Clients::is_admin(const Identity& who) const {
  const auto& admins = c_.journal.published().config->cluster.admins;
  return c_.rights.admin_uids.count(who.uid) ||
         std::find(admins.begin(), admins.end(), who.user) != admins.end();
}

bool Clients::runs_queue(const Identity& who, const std::string& queue) const {
  const Config& config = *c_.journal.published().config;
  const QueueConf* conf = config.queue(queue);
  return is_admin(who) || (conf && is_listed(config, conf->admins, who));
}

bool Clients::may_touch(const Identity& who, const Job& job) const {
  return job.spec().owner.uid == who.uid || runs_queue(who, job.spec().queue);
}

Clients::InfoRule Clients::info_for(const Identity& who) const {
  auto state = c_.journal.published_ptr();
  return [state, who, admin = is_admin(who)](bool own, const std::string& queue) {
    const Config& config = *state->config;
    const QueueConf* conf = config.queue(queue);
    bool sees = own || admin || (conf && is_listed(config, conf->admins, who));
    return sees ? JobInfo::All : config.cluster.job_info;
  };
}

void Clients::on_left(PeerId peer) {
  std::erase_if(waiters_, [&](const Waiter& w) { return w.call.peer() == peer; });
}

void Clients::on_jobs_changed(const std::set<JobId>& jobs) {
  auto concerns = [&](JobId id) {  // an array all its elements do
    auto first = jobs.lower_bound(id);
    return first != jobs.end() && (id.index ? *first == id : first->job == id.job);
  };
  std::erase_if(waiters_,
                [&](const Waiter& w) { return concerns(w.request.job) && answer_wait(w); });
}

bool Clients::answer_wait(const Waiter& waiter) {
  const Cluster& state = c_.journal.published();
  const Job* job = find_job(state, waiter.request.job);
  if (!job) {
    waiter.call.refuse(fail(Code::NotFound, named(waiter.request.job) + " is not found"));
    return true;
  }
  auto reply = fsm::is_array(*job) ? end_of_array(state, *job) : standing_of(state, *job);
  const auto& known = waiter.request;
  if (reply.state == known.known && reply.attempt == known.attempt) return false;
  waiter.call.reply(reply);
  return true;
}

void Clients::wait(Call call, const WaitRequest& request) {
  Waiter waiter{call, request};
  if (!answer_wait(waiter)) waiters_.push_back(std::move(waiter));
}

void Clients::ping(Call call, const PingRequest&) {
  call.reply(PingReply{c_.journal.published().config->cluster.name,
                       c_.journal.published().config->cluster.master_host, WM_VERSION});
}

}  // namespace wm::master
