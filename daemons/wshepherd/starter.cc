#include "daemons/wshepherd/starter.h"

#include <algorithm>

#include "daemons/wshepherd/devices.h"
#include "daemons/wshepherd/suspension.h"

namespace wm::shepherd {
namespace {

/// What every exec of a task has.
proc::Exec exec_of(const launch::TaskSpec& task, const launch::AttemptSpec& spec) {
  return {.account = spec.account,
          .argv = task.argv,
          .env = task.env,
          .cwd = spec.cwd,
          .make_cwd = spec.make_cwd,
          .umask = spec.umask,
          .caps = spec.caps,
          .cpus = task.cpus,
          .in = task.in,
          .folders = task.folders,
          .memory = &task.memory,
          .rank = task.rank_socket.empty() ? nullptr : &task,
          .outputs = &task,
          .nice = spec.nice};
}

}  // namespace

void Starter::start(launch::TaskSpec spec) {
  auto [at, fresh] = attempt_.tasks.try_emplace(spec.task);
  if (!fresh) return;
  at->second.spec = std::move(spec);
  start(at->second);
}

void Starter::start(Task& task) {
  auto now = attempt_.env.clock.wall();
  guard_devices(attempt_);
  task.record.key = attempt_.spec.key;
  task.record.task = task.spec.task;
  task.record.started = now;
  auto started = task.spec.console.empty() ? start_process(task) : start_on_console(task);
  if (!started) {
    note_never_ran(task, launch::EndCause::StartFailed, started.error().text, kNotStarted);
  } else {
    bool makes = std::any_of(task.spec.out.begin(), task.spec.out.end(),
                             [](const auto& file) { return file.at_start; });
    attempt_.output_begun = attempt_.output_begun || makes;
    if (auto stat = attempt_.env.processes.stat(task.pid)) task.start = stat->start;
    attempt_.env.words.say(
        launch::TaskStarted{{task.spec.task, task.pid, task.record.started, false, task.start}});
  }
  if (attempt_.clock.stopped()) set_suspended(attempt_, true);
}

/// Its streams are an agent's business: the task fetches them there before its exec.
Result<void> Starter::start_on_console(Task& task) {
  const auto& t = task.spec;
  proc::ConsoleCall call{t.console, t.task, t.terminal, {t.rows, t.columns}};
  auto exec = exec_of(t, attempt_.spec);
  exec.cgroups = attempt_.env.group.joins(true);
  exec.console = &call;
  WM_TRY(auto child, attempt_.env.children.spawn(exec));
  task.pid = task.record.pid = child.pid;
  task.trouble = std::move(child.trouble);
  return {};
}

Result<void> Starter::start_process(Task& task) {
  const auto& env = attempt_.env;
  WM_TRY(auto out, env.files.pipe());
  Pipe err;
  if (!task.spec.merge_err) {
    WM_TRY(auto second, env.files.pipe());
    err = std::move(second);
  }
  int err_fd = task.spec.merge_err ? out.write.get() : err.write.get();
  proc::Child child;
  if (auto fork = warm_.fork_task(task.spec, out.write.get(), err_fd)) {
    child.pid = *fork;
  } else {
    auto exec = exec_of(task.spec, attempt_.spec);
    exec.cgroups = env.group.joins(true);
    exec.out = out.write.get();
    exec.err = err_fd;
    WM_TRY(child, env.children.spawn(exec));
  }
  task.pid = task.record.pid = child.pid;
  task.trouble = std::move(child.trouble);
  task.out = std::move(out.read);
  task.err = std::move(err.read);
  return {};
}

}  // namespace wm::shepherd
