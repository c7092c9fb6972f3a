#include "daemons/wshepherd/at_run_limit.h"

#include "daemons/wshepherd/programs.h"
#include "libwm/model/reason.h"

namespace wm::shepherd {

std::optional<TimePoint> AtRunLimit::next() const {
  auto due = limit_.next();
  return due ? attempt_.clock.steady(*due) : due;
}

void AtRunLimit::fire() {
  if (attempt_.clock.stopped()) return;
  auto now = attempt_.jobs_now();
  if (limit_.takes_warning(now)) warn();
  if (!limit_.takes_end(now)) return;
  auto text =
      std::string(term_name(Term::RunLimit)) + ": " + std::string(term_text(Term::RunLimit));
  enders_.end_all(acts_.terminate(signals_at_run_limit()), launch::EndCause::RunLimit, text);
}

/// Tells the tasks as the job asked. A warning command that cannot be started warns nobody.
void AtRunLimit::warn() {
  const auto& warning = attempt_.spec.warning;
  if (!warning.command.argv.empty()) {
    sides_.start(warning.command, SideKind::Warning);
    return;
  }
  auto& signals = attempt_.env.signals;
  for (auto* task : attempt_.chosen({}))
    if (!signals.kill(-task->pid, warning.signal)) signals.kill(task->pid, warning.signal);
}

}  // namespace wm::shepherd
