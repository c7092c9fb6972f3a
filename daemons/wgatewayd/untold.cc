#include "daemons/wgatewayd/untold.h"

#include <algorithm>
#include <chrono>

namespace wm::gateway {
namespace {

constexpr Duration kFirst = std::chrono::seconds(1), kLongest = std::chrono::minutes(1);
constexpr std::size_t kMostOfUser = 1000;

}  // namespace

bool Untold::add(LoggedOff one, TimePoint now) {
  auto uid = one.claims.uid;
  auto& user =
      users_.try_emplace(uid, OfUser{{}, now, 0, Backoff(kFirst, kLongest, uid)}).first->second;
  if (user.by_id.size() >= kMostOfUser) return false;
  auto id = one.claims.id;
  user.by_id.emplace(id, std::move(one));
  return true;
}

std::vector<LoggedOff> Untold::due(TimePoint now) const {
  std::vector<const OfUser*> users;
  for (const auto& [uid, user] : users_)
    if (user.next <= now) users.push_back(&user);
  std::ranges::stable_sort(users, {}, &OfUser::failures);
  std::vector<LoggedOff> list;
  for (const auto* user : users) list.push_back(user->by_id.begin()->second);
  return list;
}

void Untold::told(const LoggedOff& one, TimePoint now) {
  auto found = users_.find(one.claims.uid);
  if (found == users_.end()) return;
  auto& user = found->second;
  user.by_id.erase(one.claims.id);
  user.next = now;
  user.failures = 0;
  user.pauses.reset();
  if (user.by_id.empty()) users_.erase(found);
}

void Untold::failed(const LoggedOff& one, TimePoint now) {
  auto found = users_.find(one.claims.uid);
  if (found == users_.end()) return;
  found->second.next = now + found->second.pauses.next();
  ++found->second.failures;
}

std::optional<TimePoint> Untold::next() const {
  std::optional<TimePoint> first;
  for (const auto& [uid, user] : users_)
    if (!first || user.next < *first) first = user.next;
  return first;
}

}  // namespace wm::gateway
