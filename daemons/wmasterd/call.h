// Role: the templates of Call and how answers name a job, for the files that answer requests.
#pragma once

#include "daemons/wmasterd/clients.h"
#include "libwm/codec/codec.h"

namespace wm::master {

/// "Job <12[3]>". @cost O(1)
inline std::string named(JobId id) { return "Job <" + to_string(id) + ">"; }

template <class Reply>
void Call::reply(const Reply& value) const {
  world_->send(peer_, static_cast<std::uint16_t>(verb_), codec::encode(value));
}

template <class Reply>
KeptReply Call::kept(const std::string& key, const Reply& value) const {
  auto verb = static_cast<std::uint16_t>(verb_);
  std::string frame{static_cast<char>(verb & 0xff), static_cast<char>(verb >> 8)};
  return {key, frame + codec::encode(value)};
}

template <class Reply>
void Clients::commit(const Call& call, const std::string& key, const Reply& reply,
                     Proposal proposal, std::function<void()> then) {
  in_flight_[key];
  proposal.replies = {call.kept(key, reply)};
  proposal.done = [this, call, key, reply, then = std::move(then)](const Result<void>& done) {
    auto askers = std::move(in_flight_[key]);
    in_flight_.erase(key);
    askers.push_back(call);
    if (done && then) then();
    for (const auto& one : askers) {
      if (done) one.reply(reply);
      else one.refuse(done.error());
    }
  };
  c_.journal.propose(std::move(proposal));
}

}  // namespace wm::master
