#include "commands/common/progress.h"

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <string>

#include "libwm/base/clock.h"

namespace wm::cmd {

std::function<void(double)> progress_bar() {
  constexpr int kWidth = 60;
  if (!isatty(STDERR_FILENO)) return {};
  return [shown = -1, from = steady_now() + std::chrono::seconds(1)](double part) mutable {
    int filled = static_cast<int>(part * kWidth);
    bool begins = shown >= 0 || (filled < kWidth && steady_now() >= from);
    if (filled == shown || !begins) return;
    shown = filled;
    std::cerr << "\r[" << std::string(filled, '#') << std::string(kWidth - filled, ' ') << "] "
              << static_cast<int>(part * 100) << " %" << (filled == kWidth ? "\n" : "")
              << std::flush;
  };
}

}  // namespace wm::cmd
