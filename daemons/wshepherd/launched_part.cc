#include "daemons/wshepherd/launched_part.h"

namespace wm::shepherd {

void LaunchedPart::end(const launch::EndTasks& order) {
  if (!ending_) ending_ = Ending{signals_to_end(order), attempt_.now()};
}

void LaunchedPart::fire() {
  if (!ending_ || attempt_.finishing) return;
  auto& signals = attempt_.env.signals;
  auto pids = agent_.launched();
  auto now = attempt_.now();
  if (pids.empty() || (ending_->signals.empty() && ending_->next <= now)) {
    attempt_.finishing = true;
    return;
  }
  if (ending_->signals.empty() || ending_->next > now) return;
  for (auto pid : pids) {
    signals.signal_tree(pid, ending_->signals.front());
    signals.continue_tree(pid);
  }
  ending_->signals.erase(ending_->signals.begin());
  ending_->next = now + attempt_.spec.kill_interval;
}

std::optional<TimePoint> LaunchedPart::next() const {
  if (!ending_) return std::nullopt;
  return attempt_.now() + std::chrono::milliseconds(20);
}

}  // namespace wm::shepherd
