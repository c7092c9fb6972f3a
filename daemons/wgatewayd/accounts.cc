#include "daemons/wgatewayd/accounts.h"

#include <utility>

#include "libwm/base/hash.h"

namespace wm::gateway {
namespace {

constexpr Duration kWindow = std::chrono::minutes(1);
constexpr std::size_t kMostKept = 10000;

// Of their hashes, which are equally long.
bool same(const std::string& a, const std::string& b) {
  return same_secret(hash_of(a), hash_of(b));
}

}  // namespace

bool Attempts::may(const std::string& who, TimePoint now) {
  auto found = counts_.find(who);
  if (found == counts_.end()) return true;
  if (now - found->second.since < kWindow) return found->second.failures < most_;
  counts_.erase(found);
  return true;
}

void Attempts::failed(const std::string& who, TimePoint now) {
  std::erase_if(counts_, [&](const auto& entry) { return now - entry.second.since >= kWindow; });
  if (counts_.size() >= kMostKept) counts_.clear();
  auto& count = counts_.try_emplace(who, Count{now, 0, false}).first->second;
  ++count.failures;
}

bool Attempts::is_first_refusal(const std::string& who) {
  auto found = counts_.find(who);
  return found != counts_.end() && !std::exchange(found->second.refused, true);
}

Result<void> Accounts::check(const rest::Login& login, const std::string& address, TimePoint now) {
  std::lock_guard lock(mutex_);
  auto who = address + " " + login.user.substr(0, 64);
  if (!attempts_.may(who, now)) return fail(Code::Limit, "too many failed attempts, wait a minute");
  bool user_fits = same(login.user, user_), key_fits = same(login.password, key_);
  if (user_fits && key_fits) return {};
  attempts_.failed(who, now);
  return fail(Code::Denied, "user name and password do not fit");
}

}  // namespace wm::gateway
