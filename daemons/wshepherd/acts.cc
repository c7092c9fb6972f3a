#include "daemons/wshepherd/acts.h"

#include <signal.h>

#include "daemons/wshepherd/suspension.h"

namespace wm::shepherd {
namespace {

/// A command that stops a job, or lets it go on, is ended after this time.
constexpr Duration kControlLimit = std::chrono::minutes(1);

template <class Pids>
std::string variable(const char* name, const Pids& pids) {
  std::string text = name;
  for (auto pid : pids) text += (text.back() == '=' ? "" : " ") + std::to_string(pid);
  return text;
}

}  // namespace

void Acts::suspend(bool on) {
  const auto& acts = attempt_.spec.acts;
  const auto& act = on ? acts.suspend : acts.resume;
  auto& clock = attempt_.clock;
  bool by_site = !acts.suspend.usual();
  sides_.cancel(SideKind::Control);
  if (on && by_site) {
    clock.stop(attempt_.now());
    return perform(act, kControlLimit);
  }
  set_suspended(attempt_, on);
  if (on) return;
  if (!act.usual()) return perform(act, kControlLimit);
  if (!by_site) return;
  for (auto pid : attempt_.everybody()) attempt_.env.signals.kill(pid, SIGCONT);
}

EndWay Acts::terminate(std::vector<int> usual) {
  const auto& act = attempt_.spec.acts.terminate;
  if (act.signal == SIGKILL) return {{SIGKILL}};
  if (act.signal != 0) return {{act.signal, SIGKILL}};
  if (act.usual()) return {std::move(usual)};
  Duration wait = 2 * attempt_.spec.kill_interval;
  sides_.cancel(SideKind::Control);
  perform(act, wait);
  return {{SIGKILL}, wait};
}

void Acts::perform(const launch::JobAct& act, Duration time_limit) {
  auto& signals = attempt_.env.signals;
  if (act.signal != 0) {
    for (auto* task : attempt_.chosen({}))
      if (!signals.kill(-task->pid, act.signal)) signals.kill(task->pid, act.signal);
    return;
  }
  auto command = act.command;
  command.time_limit = time_limit;
  run(std::move(command), SideKind::Control);
}

/// @source LSF: LSB_JOBPIDS, LSB_JOBPGIDS of JOB_CONTROLS
void Acts::run(launch::SideCommand command, SideKind kind) {
  std::vector<pid_t> groups;
  for (const auto* task : attempt_.chosen({})) groups.push_back(task->pid);
  command.env.push_back(variable("LSB_JOBPGIDS=", groups));
  command.env.push_back(variable("LSB_JOBPIDS=", attempt_.everybody()));
  if (auto end = sides_.start(std::move(command), kind)) attempt_.env.words.complain(end->text);
}

void Acts::fire() {
  if (!writes_checkpoints()) return;
  const auto& wish = attempt_.spec.acts.checkpoints;
  auto now = attempt_.jobs_now();
  if (!due_) due_ = now + wish.period;
  if (now < *due_) return;
  due_ = now + wish.period;
  if (!wish.command.argv.empty()) {
    if (!sides_.runs(SideKind::Checkpoint)) run(wish.command, SideKind::Checkpoint);
    return;
  }
  for (const auto* task : attempt_.chosen({}))
    attempt_.env.signals.signal_handlers_of(task->pid, SIGUSR1);
}

bool Acts::writes_checkpoints() const {
  bool wanted = attempt_.spec.acts.checkpoints.period > Duration{} && !attempt_.clock.stopped();
  return wanted && !attempt_.finishing && attempt_.any_running();
}

std::optional<TimePoint> Acts::next() const {
  return due_ && writes_checkpoints() ? attempt_.clock.steady(*due_) : std::nullopt;
}

}  // namespace wm::shepherd
