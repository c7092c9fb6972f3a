#include "daemons/wnoded/use_frames.h"

#include <utility>

#include "libwm/codec/codec.h"

namespace wm::node {
namespace {

constexpr auto kBetweenMeters = std::chrono::minutes(1);

}  // namespace

void UseFrames::hear(const LocalAttempt& attempt, const launch::Used& word) {
  const auto& tasks = attempt.order.tasks;
  if (!tasks.empty()) meters_.add(attempt.key, tasks.front().task, word);
  uses_.hear(attempt.key, word);
}

void UseFrames::look(const std::vector<gpu::GpuReading>& readings, const GpuHolders& holders,
                     Duration usual) {
  meters_.look(readings, holders, env_.mono(), usual);
}

void UseFrames::on_tick() {
  auto now = env_.mono();
  if (auto frame = uses_.take(now))
    env_.send(static_cast<NodeVerb>(kUsesFrame), codec::encode(*frame));
  tell_meters(now);
}

// What is lost on the way is not told again: the next frame has the next minute.
void UseFrames::tell_meters(TimePoint now) {
  if (now < meters_due_) return;
  meters_due_ = now + kBetweenMeters;
  HostMeter told;
  told.tasks = meters_.take();
  auto before = std::exchange(energy_at_, now);
  if (auto energy = env_.cpu_energy_mj()) {
    told.cpu_energy_mj = *energy;
    told.energy_seen = now - before;
  }
  if (told.tasks.empty() && told.energy_seen == Duration{}) return;
  env_.send(static_cast<NodeVerb>(kMeterFrame), codec::encode(told));
}

}  // namespace wm::node
