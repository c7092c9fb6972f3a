#include "daemons/wnoded/uses.h"

namespace wm::node {

void Uses::hear(const launch::AttemptKey& key, const launch::Used& word) {
  if (!word.now) return;
  auto& use = newest_[key];
  auto over = std::move(use.gpu_over);
  auto energy = use.gpu_energy_mj;
  use = word.use;
  use.gpu_over = std::move(over);
  use.gpu_energy_mj = energy;
  use.job = key.job, use.attempt = key.attempt;
  changed_ = true;
}

void Uses::set_gpu_over(const std::map<launch::AttemptKey, std::vector<GpuOveruse>>& by_attempt) {
  for (const auto& [key, over] : by_attempt) {
    auto& use = newest_[key];
    use.job = key.job, use.attempt = key.attempt;
  }
  for (auto& [key, use] : newest_) {
    auto at = by_attempt.find(key);
    auto over = at == by_attempt.end() ? std::vector<GpuOveruse>{} : at->second;
    changed_ = changed_ || over != use.gpu_over;
    use.gpu_over = std::move(over);
  }
}

void Uses::set_gpu_energy(const std::map<launch::AttemptKey, std::int64_t>& by_attempt) {
  for (auto& [key, use] : newest_) {
    auto at = by_attempt.find(key);
    auto energy = at == by_attempt.end() ? 0 : at->second;
    changed_ = changed_ || energy != use.gpu_energy_mj;
    use.gpu_energy_mj = energy;
  }
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
