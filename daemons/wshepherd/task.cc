#include "daemons/wshepherd/task.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libwm/proc/spawn.h"

namespace wm::shepherd {
namespace {

struct Pipe {
  proc::Fd read, write;
};

Result<Pipe> make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return proc::system_error("pipe");
  return Pipe{proc::Fd(fds[0]), proc::Fd(fds[1])};
}

/// Exit status 2 as wait(2) encodes it: what a task that could not be prepared gets.
constexpr int kNotStarted = 2 << 8;

const launch::TaskSpec* as_rank(const launch::TaskSpec& task) {
  return task.rank_socket.empty() ? nullptr : &task;
}

/// Its streams are an agent's business: the task fetches them there before its exec.
Result<void> start_on_console(Task& task, const launch::AttemptSpec& spec,
                              const std::vector<std::string>& cgroups) {
  const auto& t = task.spec;
  proc::ConsoleCall call{t.console, t.task, t.terminal, {t.rows, t.columns}};
  proc::Exec exec{spec.account, t.argv,    t.env,   spec.cwd, spec.make_cwd,
                  spec.umask,   spec.caps, t.cpus,  t.in,     t.folders,
                  -1,           -1,        cgroups, nullptr,  &call};
  exec.memory = &t.memory;
  exec.rank = as_rank(t);
  exec.outputs = &t;
  WM_TRY(auto child, proc::spawn(exec));
  task.pid = task.record.pid = child.pid;
  task.trouble = std::move(child.trouble);
  return {};
}

/// The process itself; `out` and `err` are the ends it writes to.
Result<proc::Child> start_process(const Task& task, const launch::AttemptSpec& spec,
                                  const std::vector<std::string>& cgroups, int out, int err) {
  const auto& t = task.spec;
  proc::Exec exec{spec.account, t.argv, t.env,     spec.cwd, spec.make_cwd, spec.umask, spec.caps,
                  t.cpus,       t.in,   t.folders, out,      err,           cgroups};
  exec.memory = &t.memory;
  exec.rank = as_rank(t);
  exec.outputs = &t;
  return proc::spawn(exec);
}

Result<void> start(Task& task, const launch::AttemptSpec& spec,
                   const std::vector<std::string>& cgroups, Warm& warm) {
  if (!task.spec.console.empty()) return start_on_console(task, spec, cgroups);
  WM_TRY(auto out, make_pipe());
  Pipe err;
  if (!task.spec.merge_err) {
    WM_TRY(auto second, make_pipe());
    err = std::move(second);
  }
  int err_fd = task.spec.merge_err ? out.write.get() : err.write.get();
  proc::Child child;
  if (auto fork = warm.fork_task(task.spec, spec.cwd, out.write.get(), err_fd)) {
    child.pid = *fork;
  } else {
    WM_TRY(child, start_process(task, spec, cgroups, out.write.get(), err_fd));
  }
  task.pid = task.record.pid = child.pid;
  task.trouble = std::move(child.trouble);
  task.out = std::move(out.read);
  task.err = std::move(err.read);
  return {};
}

}  // namespace

std::vector<int> signals_to_end(const launch::EndTasks& order) {
  if (order.at_once) return {SIGKILL};
  if (order.first_signal == SIGQUIT) return {SIGQUIT, SIGKILL};
  if (order.first_signal == SIGTERM) return {SIGTERM, SIGKILL};
  return {SIGINT, SIGTERM, SIGKILL};
}

std::vector<int> signals_at_run_limit() { return {SIGUSR2, SIGINT, SIGTERM, SIGKILL}; }

std::vector<int> signals_at_limit(launch::EndCause cause) {
  if (cause == launch::EndCause::CpuLimit) return {SIGXCPU, SIGINT, SIGTERM, SIGKILL};
  return {SIGKILL};
}

void note_never_ran(Task& task, launch::EndCause cause, const std::string& text, int status) {
  task.phase = Phase::Exited;
  task.record.status = status;
  task.record.cause = cause;
  task.record.text = text;
  task.record.ended = task.record.started;
}

void start_task(Task& task, const launch::AttemptSpec& spec,
                const std::vector<std::string>& cgroups, Warm& warm, WallTime now) {
  task.record.key = spec.key;
  task.record.task = task.spec.task;
  task.record.started = now;
  if (auto started = start(task, spec, cgroups, warm); !started)
    note_never_ran(task, launch::EndCause::StartFailed, started.error().text, kNotStarted);
}

void note_exit(Task& task, int status, const wm::Usage& usage, WallTime now) {
  task.phase = Phase::Exited;
  task.record.status = status;
  task.record.usage = usage;
  task.record.usage.cpu += task.cpu_before;
  task.record.ended = now;
  auto [hindrance, text] = proc::read_trouble(task.trouble);
  if (hindrance == proc::Hindrance::None) return;
  task.record.text = std::move(text);
  if (hindrance == proc::Hindrance::NoFolder) task.record.cause = launch::EndCause::NoFolder;
  if (hindrance == proc::Hindrance::NotReady) task.record.cause = launch::EndCause::StartFailed;
}

}  // namespace wm::shepherd
