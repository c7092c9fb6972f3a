#include "daemons/wmasterd/verbs/answers.h"

namespace wm::master {
namespace {

constexpr std::size_t kKeySize = 16;

}  // namespace

// A repeat while the first is under way gets its answer too, when there is one; while the first is
// looked for among the answers of old, it waits to be looked at.
void Answers::unless_answered(const Call& call, const std::string& request_key,
                              std::function<void()> act) {
  if (request_key.size() != kKeySize)
    return call.refuse(fail(Code::BadArgument, "a request key has 16 bytes, not " +
                                                   std::to_string(request_key.size())));
  const std::string key = call.own_key(request_key);
  if (auto it = in_flight_.find(key); it != in_flight_.end()) return it->second.push_back(call);
  auto [repeats, is_first] = looked_for_.try_emplace(key);
  if (!is_first) return repeats->second.push_back({call, std::move(act)});
  store_.kept_reply(key, [this, call, key, request_key,
                          act = std::move(act)](Result<std::optional<std::string>> kept) {
    auto repeats = std::move(looked_for_[key]);
    looked_for_.erase(key);
    if (!kept) call.refuse(kept.error());
    else if (*kept) call.resend(**kept);
    else act();
    for (auto& repeat : repeats) unless_answered(repeat.call, request_key, std::move(repeat.act));
  });
}

void Answers::refuse(const Call& call, const std::string& key, const Error& error) {
  for (const auto& one : end(call, key)) one.refuse(error);
}

// All callers that asked for it.
std::vector<Call> Answers::end(const Call& call, const std::string& key) {
  auto flight = in_flight_.extract(call.own_key(key));
  auto askers = flight ? std::move(flight.mapped()) : std::vector<Call>{};
  askers.push_back(call);
  return askers;
}

}  // namespace wm::master
