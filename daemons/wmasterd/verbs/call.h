// Role: the templates of Call and how answers name a job, for the files that answer requests.
#pragma once

#include "daemons/wmasterd/verbs/clients.h"
#include "libwm/codec/codec.h"

namespace wm::master {

/// "Job <12[3]>". @cost O(1)
inline std::string named(JobId id) { return "Job <" + to_string(id) + ">"; }

/// What a frame takes, with room for its own words. @units bytes
inline constexpr std::size_t kLargestReply = 15 << 20;

// Who gets no answer asks again, for ever.
template <class Reply>
Result<std::string> Call::encoded(const Reply& value) {
  auto bytes = codec::encode(value);
  if (bytes.size() <= kLargestReply) return bytes;
  return fail(Code::Limit, "the answer has " + std::to_string(bytes.size()) + " bytes; at most " +
                               std::to_string(kLargestReply) +
                               " can be sent: ask for fewer at once");
}

template <class Reply>
void Call::reply(const Reply& value) const {
  send(encoded(value));
}

template <class Make>
void Clients::answer(const Call& call, Make make) const {
  auto bytes = std::make_shared<Result<std::string>>(std::string());
  c_.world.look([make = std::move(make), bytes] { *bytes = Call::encoded(make()); },
                [call, bytes] { call.send(std::move(*bytes)); });
}

template <class Reply>
KeptReply Call::kept(const std::string& key, const Reply& value) const {
  auto verb = static_cast<std::uint16_t>(verb_);
  std::string frame{static_cast<char>(verb & 0xff), static_cast<char>(verb >> 8)};
  return {key, frame + codec::encode(value)};
}

/// Is it done, or was it so before? @cost O(1)
inline bool holds(const Result<void>& done) { return done || done.error().code == Code::Stale; }

/// What became of what was asked about one job; `text`: if it is done, or was so before.
inline JobOutcome outcome_of(JobId id, const Result<void>& done, const std::string& text) {
  if (holds(done)) return {id, 0, text};
  const std::string& why = done.error().text;
  return {id, static_cast<std::uint8_t>(done.error().code),
          why.starts_with("Job <") ? why : named(id) + ": " + why};
}

template <class Reply>
void Clients::commit(const Call& call, const std::string& key, Proposal proposal,
                     Answer<Reply> answer, std::function<void()> then) {
  in_flight_[key];
  auto made = std::make_shared<Result<Reply>>(Reply{});
  proposal.judge = [call, key, made, answer = std::move(answer)](const auto& results) {
    *made = answer(results);
    return *made ? std::vector{call.kept(key, **made)} : std::vector<KeptReply>{};
  };
  proposal.done = [this, call, key, made, then = std::move(then)](const Result<void>& done) {
    auto askers = std::move(in_flight_[key]);
    in_flight_.erase(key);
    askers.push_back(call);
    if (done && *made && then) then();
    for (const auto& one : askers) {
      if (!done) one.refuse(done.error());
      else if (!*made) one.refuse(made->error());
      else one.reply(**made);
    }
  };
  c_.journal.propose(std::move(proposal));  // the results are what `judge` sees
}

template <class Reply>
void Clients::commit_all(const Call& call, const std::string& key, Proposal proposal,
                         const Reply& reply) {
  Answer<Reply> answer = [reply](const auto& results) -> Result<Reply> {
    for (const auto& result : results)
      if (!holds(result)) return result.error();
    return reply;
  };
  commit(call, key, std::move(proposal), std::move(answer));
}

}  // namespace wm::master
