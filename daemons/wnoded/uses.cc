#include "daemons/wnoded/uses.h"

namespace wm::node {

void Uses::hear(const launch::AttemptKey& key, const launch::Used& word) {
  if (!word.now) return;
  auto& use = newest_[key];
  use = word.use;
  use.job = key.job, use.attempt = key.attempt;
  changed_ = true;
}

std::optional<HostUses> Uses::take(TimePoint now) {
  constexpr auto kBetween = std::chrono::seconds(1);
  if (!changed_ || (said_ != TimePoint{} && now - said_ < kBetween)) return std::nullopt;
  changed_ = false;
  said_ = now;
  HostUses all;
  for (const auto& [key, use] : newest_) all.attempts.push_back(use);
  return all;
}

}  // namespace wm::node
