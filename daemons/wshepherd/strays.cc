#include "daemons/wshepherd/strays.h"

#include <signal.h>

#include <algorithm>
#include <cstdlib>

#include "daemons/wshepherd/programs.h"
#include "daemons/wshepherd/suspension.h"

namespace wm::shepherd {

/// While other tasks run, a process below us may be a daemon that one of those started.
bool Strays::is_to_end(pid_t pid) const {
  if (!attempt_.any_running()) return true;
  auto stat = attempt_.env.processes.stat(pid);
  if (!stat) return false;
  for (const auto& [number, task] : attempt_.tasks)
    if (stat->session == task.pid) return task.phase != Phase::Running;
  auto mark = attempt_.env.processes.variable_of(pid, launch::kTaskVariable);
  auto number = std::atoi(mark.c_str());
  return number > 0 && !attempt_.running(TaskNumber{static_cast<std::uint32_t>(number)});
}

/// The main process may end before what it started does: it has been written to till the end, or
/// obeys a signal, as a shell that wraps a program ends at once and the program still saves its
/// work.
bool Strays::is_spared(pid_t pid) const {
  auto now = attempt_.jobs_now();
  return std::any_of(attempt_.tasks.begin(), attempt_.tasks.end(), [&](const auto& entry) {
    const auto& task = entry.second;
    if (task.phase != Phase::Exited || !attempt_.is_of(pid, task)) return false;
    if (now < task.spared_until) return true;
    return now < task.obeys_until && attempt_.env.processes.handles(pid, task.signal);
  });
}

/// What runs the ranks that still save their work, and need not handle the signal: a shell, say.
std::set<pid_t> Strays::runtime_among(const std::vector<pid_t>& pids) const {
  auto now = attempt_.jobs_now();
  bool any = std::any_of(attempt_.tasks.begin(), attempt_.tasks.end(), [&](const auto& entry) {
    const auto& task = entry.second;
    return task.phase == Phase::Exited && task.signal == SIGTERM && now < task.obeys_until;
  });
  return any ? mpi_runtime_of(attempt_.env, pids) : std::set<pid_t>{};
}

bool Strays::spares_any() const {
  auto now = attempt_.jobs_now();
  return std::any_of(attempt_.tasks.begin(), attempt_.tasks.end(), [&](const auto& entry) {
    return entry.second.phase == Phase::Exited && now < entry.second.spared_until;
  });
}

void Strays::spare_no_longer(const std::vector<TaskNumber>& numbers) {
  auto tasks = attempt_.chosen(numbers, Phase::Exited);
  if (tasks.empty()) return;
  if (attempt_.clock.stopped()) set_suspended(attempt_, false);  // what is stopped does not die
  for (auto* task : tasks) task->spared_until = {};
}

bool Strays::clean_up() {
  cleaning_ = false;
  bool needed = attempt_.ending() && !attempt_.any_running();  // what an agent leaves, too
  for (const auto& [number, task] : attempt_.tasks) needed = needed || task.phase == Phase::Exited;
  if (!needed || attempt_.env.children.childless()) return false;
  auto list = [this] {
    auto pids = attempt_.strays();
    auto runtime = runtime_among(pids);
    std::erase_if(pids, [&](pid_t pid) {
      return !is_to_end(pid) || is_spared(pid) || runtime.contains(pid);
    });
    return pids;
  };
  auto pids = list();
  if (pids.empty()) return false;
  cleaning_ = true;
  expect_gone();
  if (!pace_.is_due(std::move(pids), attempt_.now())) return false;
  attempt_.env.signals.kill_all(list);
  return true;
}

void Strays::expect_gone() {
  if (!gone_by_) gone_by_ = attempt_.now() + attempt_.spec.kill_grace;
}

void Strays::settle(bool nothing_left) {
  if (!cleaning_ && nothing_left && !attempt_.any_running()) gone_by_.reset();
}

void Strays::fire() {
  if (gone_by_ && *gone_by_ <= attempt_.now()) say_stuck();
}

void Strays::say_stuck() {
  gone_by_.reset();
  auto pids = attempt_.strays();
  for (const auto& [number, task] : attempt_.tasks)
    if (task.phase == Phase::Running && task.ending) pids.push_back(task.pid);
  if (pids.empty() || stuck_told_) return;
  stuck_told_ = true;
  attempt_.env.words.say(launch::AttemptStuck{{pids.begin(), pids.end()}});
}

std::optional<TimePoint> Strays::next() const {
  auto next = gone_by_;
  auto earliest = [&](TimePoint t) { next = next ? std::min(*next, t) : t; };
  if (cleaning_) earliest(pace_.next());
  for (const auto& [number, task] : attempt_.tasks) {
    auto until = attempt_.clock.steady(task.spared_until);
    if (task.phase != Phase::Ended && until && attempt_.now() < *until) earliest(*until);
  }
  return next;
}

}  // namespace wm::shepherd
