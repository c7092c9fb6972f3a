// Role: answers that come once: a write is done and answered once for its request key, however
// often it is asked; a read is made off the loop. Used by every verb.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemons/wmasterd/state/journal.h"
#include "daemons/wmasterd/verbs/call.h"

namespace wm::master {

/// Is it done, or was it so before? @cost O(1)
inline bool holds(const Result<void>& done) { return done || done.error().code == Code::Stale; }

/// What became of what was asked about one job; `text`: if it is done, or was so before.
inline JobOutcome outcome_of(JobId id, const Result<void>& done, const std::string& text) {
  if (holds(done)) return {id, 0, text};
  const std::string& why = done.error().text;
  return {id, code_of(done.error().code), why.starts_with("Job <") ? why : named(id) + ": " + why};
}

/// What a write answers, made of what became of each of its events. An error is not kept: the
/// request may come again.
template <class Reply>
using Answer = std::function<Result<Reply>(const std::vector<Result<void>>&)>;

/// @thread the loop's
class Answers {
 public:
  Answers(Store& store, Workers& workers, Journal& journal)
      : store_(store), workers_(workers), journal_(journal) {}

  /// Acts on a write, unless its key has been answered or is under way: a repeat by the same user
  /// gets the first answer, when there is one; to others a key says nothing. @errors (to the
  /// caller) BadArgument: no key of 16 bytes
  void unless_answered(const Call& call, const std::string& key, std::function<void()> act);
  /// Repeats wait from now on for what ends with commit() or refuse().
  void begin(const Call& call, const std::string& key) { in_flight_[call.own_key(key)]; }
  /// Refuses a write that has begun; callers that asked meanwhile get the same error.
  void refuse(const Call& call, const std::string& key, const Error& error);
  /// Answers a write that has begun and changed nothing, likewise; the answer is not kept.
  template <class Reply>
  void tell(const Call& call, const std::string& key, const Reply& reply) {
    for (const auto& one : end(call, key)) one.reply(reply);
  }
  /// Commits a write with its answer; then does `then` and tells callers that asked meanwhile.
  template <class Reply>
  void commit(const Call& call, const std::string& key, Proposal proposal, Answer<Reply> answer,
              std::function<void()> then = nullptr);
  /// The same where the answer is known before: it is given unless an event is refused.
  template <class Reply>
  void commit_all(const Call& call, const std::string& key, Proposal proposal, const Reply& reply);
  /// Makes an answer off the loop and sends it. `make` may look at values of its own only.
  template <class Make>
  void read(const Call& call, Make make) const;

 private:
  struct Repeat {
    Call call;
    std::function<void()> act;
  };

  std::vector<Call> end(const Call& call, const std::string& key);

  Store& store_;
  Workers& workers_;
  Journal& journal_;
  // The caller's own key (Call::own_key) → repeats meanwhile.
  std::map<std::string, std::vector<Call>> in_flight_;
  // The same → repeats, while it is looked for among the answers of old.
  std::map<std::string, std::vector<Repeat>> looked_for_;
};

template <class Make>
void Answers::read(const Call& call, Make make) const {
  auto bytes = std::make_shared<Result<std::string>>(std::string());
  workers_.answer([make = std::move(make), bytes] { *bytes = Call::encoded(make()); },
                  [call, bytes] { call.send(std::move(*bytes)); });
}

template <class Reply>
void Answers::commit(const Call& call, const std::string& key, Proposal proposal,
                     Answer<Reply> answer, std::function<void()> then) {
  begin(call, key);
  auto made = std::make_shared<Result<Reply>>(Reply{});
  proposal.judge = [call, key, made, answer = std::move(answer)](const auto& results) {
    *made = answer(results);
    return *made ? std::vector{call.kept(key, **made)} : std::vector<KeptReply>{};
  };
  proposal.done = [this, call, key, made, then = std::move(then)](const Result<void>& done) {
    auto askers = end(call, key);
    if (done && *made && then) then();
    for (const auto& one : askers) {
      if (!done) one.refuse(done.error());
      else if (!*made) one.refuse(made->error());
      else one.reply(**made);
    }
  };
  journal_.propose(std::move(proposal));  // the results are what `judge` sees
}

template <class Reply>
void Answers::commit_all(const Call& call, const std::string& key, Proposal proposal,
                         const Reply& reply) {
  Answer<Reply> answer = [reply](const auto& results) -> Result<Reply> {
    for (const auto& result : results)
      if (!holds(result)) return result.error();
    return reply;
  };
  commit(call, key, std::move(proposal), std::move(answer));
}

}  // namespace wm::master
