#include "daemons/wshepherd/ending.h"

#include <signal.h>

#include <algorithm>

#include "daemons/wshepherd/programs.h"
#include "daemons/wshepherd/suspension.h"

namespace wm::shepherd {
namespace {

bool has_signals_left(const Task& task) {
  return task.phase != Phase::Ended && task.ending && !task.ending->signals.empty();
}

}  // namespace

void Enders::end(Task& task, const EndWay& way, launch::EndCause cause, const std::string& text) {
  if (attempt_.clock.stopped()) set_suspended(attempt_, false);  // what is stopped cannot obey
  if (!task.ending) {
    task.record.cause = cause;
    task.record.text = text;
  }
  task.ending = Ending{way.signals, attempt_.now() + way.wait, attempt_.spec.kill_interval};
}

void Enders::end_all(const EndWay& way, launch::EndCause cause, const std::string& text) {
  for (auto* task : attempt_.chosen({})) end(*task, way, cause, text);
  strays_.spare_no_longer({});
}

void Enders::fire() {
  auto now = attempt_.now();
  for (auto& [number, task] : attempt_.tasks)
    if (has_signals_left(task) && task.ending->next <= now) send_next(task);
}

void Enders::send_next(Task& task) {
  const auto& env = attempt_.env;
  auto now = attempt_.now();
  int signal = task.ending->signals.front();
  task.ending->signals.erase(task.ending->signals.begin());
  task.ending->next = now + (signal == SIGQUIT ? kDumpTime : task.ending->interval);
  task.signal = signal;
  task.obeys_until =
      attempt_.jobs_now() + (signal == SIGKILL ? Duration{} : task.ending->next - now);
  if (task.phase == Phase::Exited) {
    for (auto pid : attempt_.strays())
      if (signal != SIGKILL && attempt_.is_of(pid, task)) env.signals.kill(pid, signal);
    return;  // SIGKILL is for clean_up
  }
  auto pid = task.pid;
  if (signal == SIGKILL) {
    env.signals.kill_all([&env, pid] {
      auto tree = env.processes.descendants_of(pid, {});
      tree.push_back(pid);
      return tree;
    });
    return strays_.expect_gone();
  }
  if (signal == SIGQUIT) env.signals.signal_handlers_of(pid, signal);
  else if (signal != SIGTERM || !signal_around_mpi(env, pid, signal))
    env.signals.signal_tree(pid, signal);
  env.signals.continue_tree(pid);  // a stopped one cannot obey
}

std::optional<TimePoint> Enders::next() const {
  std::optional<TimePoint> next;
  for (const auto& [number, task] : attempt_.tasks)
    if (has_signals_left(task))
      next = std::min(next.value_or(task.ending->next), task.ending->next);
  return next;
}

}  // namespace wm::shepherd
