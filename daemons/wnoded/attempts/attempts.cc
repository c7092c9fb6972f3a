#include "daemons/wnoded/attempts/attempts.h"

#include <algorithm>

namespace wm::node {
namespace {

/// The record file is looked through after so many attempts have gone.
constexpr std::uint32_t kShrinkAfter = 2000;
/// The newest attempts of so many jobs are remembered after they have gone.
constexpr std::size_t kMaxNewest = 100000;

}  // namespace

LocalAttempt* Attempts::find(const launch::AttemptKey& key) {
  auto at = all_.find(key);
  return at == all_.end() ? nullptr : &at->second;
}

const LocalAttempt* Attempts::find(const launch::AttemptKey& key) const {
  auto at = all_.find(key);
  return at == all_.end() ? nullptr : &at->second;
}

LocalAttempt& Attempts::add(const launch::AttemptKey& key) {
  auto [at, fresh] = all_.try_emplace(key);
  if (fresh) {
    at->second.key = key;
    at->second.order.job = key.job;
    at->second.order.attempt = key.attempt;
  }
  return at->second;
}

bool Attempts::is_stale(const launch::AttemptKey& key) const {
  auto at = newest_.find(key.job);
  return at != newest_.end() && key.attempt < at->second;
}

bool Attempts::is_next(const launch::AttemptKey& key) const {
  auto at = newest_.find(key.job);
  return key.attempt.value > 1 && (at == newest_.end() || key.attempt > at->second);
}

void Attempts::note(const launch::AttemptKey& key) {
  auto& newest = newest_[key.job];
  newest = std::max(newest, key.attempt);
}

void Attempts::drop_if_done(const launch::AttemptKey& key) {
  auto at = all_.find(key);
  if (at == all_.end() || at->second.stage != LocalAttempt::Stage::Over || at->second.waits ||
      awaited_(key))
    return;
  gone_(key);
  all_.erase(at);
  ++dropped_;
}

bool Attempts::take_shrink() {
  if (dropped_ < kShrinkAfter) return false;
  dropped_ = 0;
  if (newest_.size() > kMaxNewest)
    std::erase_if(newest_, [this](const auto& known) {
      return !all_.contains({known.first, known.second});
    });
  return true;
}

std::set<std::uint32_t> bound_cpus(const Attempts& attempts) {
  std::set<std::uint32_t> taken;
  for (const auto& [key, attempt] : attempts.all()) {
    if (attempt.stage == LocalAttempt::Stage::Over) continue;
    for (auto slot : attempt.cpus.slots()) {
      if (has_ended(attempt, slot)) continue;
      auto cpus = attempt.cpus.taken_by(slot);
      taken.insert(cpus.begin(), cpus.end());
    }
  }
  return taken;
}

}  // namespace wm::node
