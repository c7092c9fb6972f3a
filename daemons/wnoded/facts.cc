#include "daemons/wnoded/facts.h"

#include <algorithm>

namespace wm::node {

launch::AttemptKey attempt_of(const Fact& fact) {
  return std::visit(
      [](const auto& f) {
        if constexpr (requires { f.job; }) return launch::AttemptKey{f.job, f.attempt};
        else return launch::AttemptKey{};
      },
      fact);
}

HostFact Facts::add(Fact fact) {
  auto number = next_++;
  about_[attempt_of(fact)].insert(number);
  auto at = waiting_.emplace(number, std::move(fact)).first;
  return {number, at->second};
}

std::optional<launch::AttemptKey> Facts::acknowledge(std::uint64_t number) {
  auto at = waiting_.find(number);
  if (at == waiting_.end()) return std::nullopt;
  auto key = attempt_of(at->second);
  waiting_.erase(at);
  auto& numbers = about_[key];
  numbers.erase(number);
  if (numbers.empty()) about_.erase(key);
  return key;
}

void Facts::forget(const launch::AttemptKey& key) {
  auto at = about_.find(key);
  if (at == about_.end()) return;
  for (auto number : at->second) waiting_.erase(number);
  about_.erase(at);
}

bool Facts::end_waits(const launch::AttemptKey& key, TaskNumber task) const {
  auto at = about_.find(key);
  if (at == about_.end()) return false;
  return std::any_of(at->second.begin(), at->second.end(), [&](std::uint64_t number) {
    auto* ended = std::get_if<FactEnded>(&waiting_.at(number));
    return ended && ended->task == task;
  });
}

void Facts::each(const std::function<void(const HostFact&)>& use) const {
  for (const auto& [number, fact] : waiting_) use({number, fact});
}

}  // namespace wm::node
