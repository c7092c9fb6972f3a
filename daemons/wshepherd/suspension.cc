#include "daemons/wshepherd/suspension.h"

#include <signal.h>

namespace wm::shepherd {

void set_suspended(Attempt& attempt, bool on) {
  const auto& env = attempt.env;
  if (on) attempt.clock.stop(attempt.now());
  else attempt.clock.go(attempt.now());
  bool frozen = env.group.freeze(on);
  // What the agent has started for other hosts is not in the freezer: the agent itself has to go
  // on.
  auto others = [&attempt, frozen] {
    auto pids = frozen ? std::vector<pid_t>{} : attempt.everybody();
    auto launched = attempt.launched();
    pids.insert(pids.end(), launched.begin(), launched.end());
    return pids;
  };
  if (on) return env.signals.stop_all(others);
  // Whatever it looks like: a thread that waits in the kernel may yet come to its stop.
  for (auto pid : others()) env.signals.kill(pid, SIGCONT);
}

}  // namespace wm::shepherd
