#include "daemons/wmasterd/hosts/recalls.h"

#include <span>
#include <utility>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/wire/pack_signature.h"

namespace wm::master {
namespace {

std::uint16_t wire_number(NodeVerb verb) { return static_cast<std::uint16_t>(verb); }

}  // namespace

std::string lost_text(const std::string& more) {
  return "the cluster's state was brought back from a copy that does not have this job" +
         (more.empty() ? "" : ": " + more);
}

bool Recalls::hold(PeerId peer, const HostRegister& words) {
  const Cluster& state = journal_.newest();
  held_.erase(peer);
  if (state.config->cluster.unknown_jobs != "adopt" || !words.recalls) return false;
  Held held{words, {}, {}};
  for (const auto& attempt : lost_attempts(state, words)) {
    held.asked[attempt.job] = {};
    peers_.send(peer, wire_number(NodeVerb::Recall),
                codec::encode(HostRecall{attempt.job, attempt.attempt}));
  }
  if (held.asked.empty()) return false;
  if (held_.empty()) since_ = clock_.mono();
  log::info("host_held", {{"host", words.name}, {"unknown_jobs", held.asked.size()}});
  held_.emplace(peer, std::move(held));
  return true;
}

bool Recalls::hear(PeerId peer, std::uint16_t type, const std::string& payload) {
  auto at = held_.find(peer);
  if (at == held_.end()) return false;
  if (type == wire_number(NodeVerb::Heartbeat)) {
    peers_.send(peer, type, codec::encode(journal_.rank()));
    return true;
  }
  if (type != wire_number(NodeVerb::Recalled)) {
    at->second.frames.emplace_back(type, payload);
    return true;
  }
  if (auto words = codec::decode<HostRecalled>(payload)) on_recalled(peer, *std::move(words));
  return true;
}

void Recalls::on_recalled(PeerId peer, HostRecalled words) {
  const JobId job = words.job;
  const auto& sealed = words.order.sealed;
  if (!words.order.attempt || words.order.job != job) return settle(peer, job, {});
  auto digest = keys_.hash(sealed.spec + sealed.request_key);
  auto packed = wire::pack_proof(sealed.credential, digest);
  auto credential = packed ? packed->credential : sealed.credential;
  auto owner = words.order.resolved.owner.uid;
  keys_.verify(credential, packed ? packed->root : digest,
               [this, peer, job, owner, order = std::move(words.order)](Result<Identity> who) {
                 bool own = who && who->uid == owner;
                 if (!own)
                   log::warn("unknown_job_unsigned",
                             {{"job", to_string(job)},
                              {"why", who ? "signed by another account" : who.error().text}});
                 settle(peer, job, own ? std::optional(order) : std::nullopt);
               });
}

void Recalls::settle(PeerId peer, JobId job, std::optional<HostOrder> order) {
  auto at = held_.find(peer);
  if (at == held_.end()) return;
  auto asked = at->second.asked.find(job);
  if (asked == at->second.asked.end()) return;
  asked->second = {true, std::move(order)};
  if (all_said()) release();
}

std::vector<SaidOf> Recalls::said_of(const Hosts& hosts, JobId job) {
  std::vector<SaidOf> said;
  for (const auto& [peer, held] : hosts) {
    auto asked = held.asked.find(job);
    if (asked != held.asked.end() && asked->second.order)
      said.push_back({&held.words, &*asked->second.order});
  }
  return said;
}

bool Recalls::all_said() const {
  for (const auto& [peer, held] : held_)
    for (const auto& [job, asked] : held.asked)
      if (!asked.answered || (asked.order && !are_all_hosts(said_of(held_, job)))) return false;
  return true;
}

void Recalls::on_tick() {
  if (!held_.empty() && clock_.mono() - since_ >= kRecallPatience) release();
}

void Recalls::release() {
  auto hosts = std::exchange(held_, {});
  std::set<JobId> jobs;
  for (const auto& [peer, held] : hosts)
    for (const auto& [job, asked] : held.asked)
      if (are_all_hosts(said_of(hosts, job)) && !said_of(hosts, job).empty()) jobs.insert(job);
  adopting_.insert(jobs.begin(), jobs.end());
  for (const auto& [peer, held] : hosts) then_.join(peer, held.words);
  for (JobId job : jobs) adopt(job, said_of(hosts, job));
  for (const auto& [peer, held] : hosts)
    for (const auto& [type, payload] : held.frames) then_.hear(peer, type, payload);
}

void Recalls::adopt(JobId job, std::span<const SaidOf> said) {
  auto events = adoption_of(journal_.newest(), said);
  if (!events) {
    adopting_.erase(job);
    return log::warn("unknown_job_not_adopted",
                     {{"job", to_string(job)}, {"why", events.error().text}});
  }
  auto results = journal_.propose(
      {*std::move(events), {}, {}, [this, job](const Result<void>&) { adopting_.erase(job); }});
  const auto& submitted = results.at(0);
  const auto& dispatched = results.at(1);
  if (submitted && dispatched) return log::info("unknown_job_adopted", {{"job", to_string(job)}});
  adopting_.erase(job);  // its hosts are told to end it, once they are registered
  if (submitted) give_up(job, dispatched.error().text);
}

// It is a job that waits now, and would begin anew: what it was signed for runs, or has run.
void Recalls::give_up(JobId job, const std::string& why) {
  log::warn("unknown_job_not_adopted", {{"job", to_string(job)}, {"why", why}});
  KillWish wish{Term::Admin, "wm", lost_text(why), clock_.wall()};
  journal_.propose({{KillRequested{job, wish}}, {}, {}, nullptr});
}

}  // namespace wm::master
