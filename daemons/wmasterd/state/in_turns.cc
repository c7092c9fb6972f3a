#include "daemons/wmasterd/state/in_turns.h"

#include <algorithm>

namespace wm::master {

void InTurns::on_tick() {
  if (proposed_ || rest_.empty()) return;
  const auto part = static_cast<std::ptrdiff_t>(std::min(rest_.size(), kPart));
  proposed_ = true;
  auto done = [this, part](const Result<void>& done) {
    proposed_ = false;
    if (!done) return;
    rest_.erase(rest_.begin(), rest_.begin() + part);
    on_tick();
  };
  journal_.propose({{rest_.begin(), rest_.begin() + part}, {}, {}, std::move(done)});
}

}  // namespace wm::master
