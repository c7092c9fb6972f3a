#include "daemons/wshepherd/trial_words.h"

#include <signal.h>

#include "libwm/model/event.h"

namespace wm::shepherd {
namespace {

constexpr auto kWordsPatience = std::chrono::seconds(5);

}  // namespace

/// While another task runs here that one's end will say more.
bool TrialWords::is_asking(Task& task) {
  bool due = !task.reports && !task.spec.report_by.empty() && task.pid != 0;
  if (due && !attempt_.any_running()) start(task);
  if (task.reporter != 0 && task.reporter_until <= attempt_.now())
    attempt_.env.signals.kill(task.reporter, SIGKILL);
  return task.reporter != 0;
}

void TrialWords::start(Task& task) {
  task.reports = true;
  auto pipe = attempt_.env.files.pipe();
  if (!pipe) return;
  const launch::TaskSpec none;
  const std::vector<launch::ResourceCap> no_caps;
  const std::string root = "/";
  const auto& spec = attempt_.spec;
  proc::Exec exec{.account = spec.account,
                  .argv = task.spec.report_by,
                  .env = none.env,
                  .cwd = root,
                  .umask = spec.umask,
                  .caps = no_caps,
                  .cpus = none.cpus,
                  .in = none.in,
                  .folders = none.folders,
                  .out = pipe->write.get(),
                  .cgroups = attempt_.env.group.joins(false)};
  auto child = attempt_.env.children.spawn(exec);
  if (!child) return;
  task.reported = std::move(pipe->read);
  task.reporter = child->pid;
  task.reporter_until = attempt_.now() + kWordsPatience;
  attempt_.own.insert(child->pid);
}

void TrialWords::on_exit(const Exit& exit) {
  for (auto& [number, task] : attempt_.tasks)
    if (task.reporter == exit.pid) take_report(task, exit);
}

void TrialWords::take_report(Task& task, const Exit& exit) {
  task.reporter = 0;
  auto bytes = attempt_.env.files.read_waiting(task.reported);
  task.reported.reset();
  if (exit.status == 0 && bytes.size() <= kMaxReport) task.record.report = std::move(bytes);
}

}  // namespace wm::shepherd
