#include "daemons/wnoded/attempts/agent_flow.h"

#include <algorithm>

#include "libwm/codec/codec.h"

namespace wm::node {
namespace {

constexpr double kBurst = 64, kPerSecond = 8, kBytesOfToken = 4096;
constexpr std::size_t kMostWaiting = 64;

double cost_of(const AgentReport& report) {
  return 1 + static_cast<double>(codec::encode(report).size()) / kBytesOfToken;
}

/// What a newer one of the same makes needless.
std::pair<std::size_t, TaskNumber> about(const AgentReport& report) {
  TaskNumber task;
  if (auto* seen = std::get_if<WorkerSeen>(&report.fact)) task = seen->task;
  if (auto* faulty = std::get_if<TaskFaulty>(&report.fact)) task = faulty->task;
  return {report.fact.index(), task};
}

}  // namespace

void AgentFlow::fill(TimePoint now) {
  auto seconds = std::chrono::duration<double>(now - filled_).count();
  tokens_ = begun_ ? std::min(kBurst, tokens_ + std::max(0.0, seconds) * kPerSecond) : kBurst;
  begun_ = true;
  filled_ = now;
}

std::vector<AgentReport> AgentFlow::say(AgentReport report, TimePoint now) {
  auto what = about(report);
  std::erase_if(waiting_, [&](const auto& entry) { return entry.first == what; });
  if (waiting_.size() < kMostWaiting) waiting_.emplace_back(what, std::move(report));
  return due(now);
}

std::vector<AgentReport> AgentFlow::due(TimePoint now) {
  std::vector<AgentReport> told;
  if (waiting_.empty()) return told;
  fill(now);
  auto at = waiting_.begin();
  for (; at != waiting_.end() && tokens_ > 0; ++at) {
    tokens_ -= cost_of(at->second);  // below zero for a long one: the next waits longer
    told.push_back(std::move(at->second));
  }
  waiting_.erase(waiting_.begin(), at);
  return told;
}

}  // namespace wm::node
