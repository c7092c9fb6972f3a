#include "libwm/login/attempts.h"

#include <algorithm>
#include <chrono>

namespace wm::rest {
namespace {

constexpr Duration kFailureLife = std::chrono::minutes(1), kKnownLife = std::chrono::hours(24);
constexpr std::size_t kMostCounts = 30000, kMostKnown = 10000, kLongestName = 64;

std::string pair_of(std::string_view address, std::string_view user) {
  return std::string(address) + " " + std::string(user.substr(0, kLongestName));
}

// As anybody's, from wherever: told from an address by its beginning.
std::string user_key(const std::string& pair) { return "@" + pair.substr(pair.find(' ') + 1); }

// Told from an address by its end.
std::string network_key(std::string_view address) { return std::string(network_of(address)) + "*"; }

}  // namespace

std::string_view network_of(std::string_view address) {
  bool six = address.find(':') != address.npos;
  std::size_t wanted = six ? 4 : 3;
  for (std::size_t i = 0; i < address.size(); ++i)
    if (address[i] == (six ? ':' : '.') && --wanted == 0) return address.substr(0, i);
  return address;
}

TimePoint refusal_time(TimePoint begun, TimePoint now, Duration step) {
  auto passed = std::max(now - begun, Duration::zero());
  auto steps = std::max<std::int64_t>(1, (passed + step - Duration(1)) / step);
  return begun + steps * step;
}

std::uint32_t Attempts::failures(const std::string& who, TimePoint now) const {
  auto found = counts_.find(who);
  return found == counts_.end() || now - found->second.since >= kFailureLife
             ? 0
             : found->second.failures;
}

std::size_t Attempts::going(const std::string Attempt::*field, const std::string& who) const {
  return static_cast<std::size_t>(std::ranges::count_if(attempts_, [&](const auto& one) {
    return one.second.turn == Turn::Go && one.second.*field == who;
  }));
}

bool Attempts::is_known(const std::string& pair, TimePoint now) const {
  auto found = known_.find(pair);
  return found != known_.end() && now - found->second < kKnownLife;
}

std::uint32_t Attempts::score(const Attempt& attempt, TimePoint now) const {
  if (is_known(attempt.pair, now)) return failures(attempt.pair, now);
  // A network counts less than an address of it: neighbours are not to blame.
  return 1 + 4 * failures(attempt.address, now) + failures(network_key(attempt.address), now) +
         failures(user_key(attempt.pair), now);
}

std::set<Attempts::Rank> Attempts::waiting(TimePoint now) const {
  std::set<Rank> sorted;
  for (const auto& [number, attempt] : attempts_)
    if (attempt.turn == Turn::Wait) sorted.emplace(score(attempt, now), number);
  return sorted;
}

Turn Attempts::decide(const Attempt& attempt, TimePoint now) const {
  auto failed = failures(attempt.pair, now);
  bool tried = failed >= rules_.pair_failures;
  bool sprays =
      !is_known(attempt.pair, now) && failures(attempt.address, now) >= rules_.address_failures;
  if (tried || sprays) return Turn::Refused;
  bool room = failed + going(&Attempt::pair, attempt.pair) < rules_.pair_failures &&
              going(&Attempt::address, attempt.address) < rules_.of_address;
  return room ? Turn::Go : Turn::Wait;
}

void Attempts::advance(TimePoint now) {
  auto busy = static_cast<std::size_t>(std::ranges::count_if(
      attempts_, [](const auto& one) { return one.second.turn == Turn::Go; }));
  for (const auto& [rank, number] : waiting(now)) {
    auto& attempt = attempts_.at(number);
    auto turn = decide(attempt, now);
    if (turn == Turn::Go && busy++ >= rules_.at_once) turn = Turn::Wait;
    attempt.turn = turn;
  }
  auto left = waiting(now);
  while (left.size() > rules_.waiting) {
    attempts_.at(left.rbegin()->second).turn = Turn::Refused;
    left.erase(std::prev(left.end()));
  }
}

std::uint64_t Attempts::enter(std::string_view address, std::string_view user, TimePoint now) {
  auto number = next_++;
  attempts_.emplace(number, Attempt{std::string(address), pair_of(address, user)});
  advance(now);
  return number;
}

Turn Attempts::turn(std::uint64_t number) const {
  auto found = attempts_.find(number);
  return found == attempts_.end() ? Turn::Refused : found->second.turn;
}

void Attempts::count(const std::string& who, TimePoint now) {
  auto& count = counts_.try_emplace(who, Count{now}).first->second;
  if (now - count.since >= kFailureLife) count = {now};
  ++count.failures;
}

void Attempts::end(std::uint64_t number, bool failed, TimePoint now) {
  auto node = attempts_.extract(number);
  if (node.empty()) return;
  const auto& attempt = node.mapped();
  bool asked = attempt.turn == Turn::Go;
  if (asked && failed) {
    if (counts_.size() >= kMostCounts)
      std::erase_if(counts_, [&](const auto& c) { return now - c.second.since >= kFailureLife; });
    if (counts_.size() >= kMostCounts) counts_.clear();
    for (const auto& who :
         {attempt.pair, attempt.address, network_key(attempt.address), user_key(attempt.pair)})
      count(who, now);
  } else if (asked) {
    if (known_.size() >= kMostKnown) known_.clear();
    known_[attempt.pair] = now;
  }
  advance(now);
}

bool Attempts::is_first_refusal(std::string_view address, std::string_view user, TimePoint now) {
  auto found = counts_.find(pair_of(address, user));
  bool counted = found != counts_.end() && now - found->second.since < kFailureLife &&
                 found->second.failures >= rules_.pair_failures;
  return counted && !std::exchange(found->second.told, true);
}

}  // namespace wm::rest
