#include "daemons/wshepherd/suspension.h"

#include <signal.h>

namespace wm::shepherd {

void set_suspended(Attempt& attempt, bool on) {
  const auto& kernel = attempt.kernel;
  if (on) attempt.clock.stop(attempt.now());
  else attempt.clock.go(attempt.now());
  if (kernel.group.freeze(on)) return;
  if (on) return kernel.signals.stop_all([&attempt] { return attempt.everybody(); });
  // Whatever it looks like: a thread that waits in the kernel may yet come to its stop.
  for (auto pid : attempt.everybody()) kernel.signals.kill(pid, SIGCONT);
}

}  // namespace wm::shepherd
