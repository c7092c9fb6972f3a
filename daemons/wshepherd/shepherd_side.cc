// Commands beside the tasks: before them (site's prolog, pre-execution commands), after them
// (post-execution commands, epilog), and while they run (notification, warning).
//
//   before ─all well─► tasks ─► after ─► the attempt's end
//      └──failed──► no task runs; only the site's own commands come after
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "daemons/wshepherd/shepherd.h"
#include "libwm/proc/spawn.h"
#include "libwm/proc/tree.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;

/// What the site's own commands make is not for the submitter to open to all.
constexpr std::uint32_t kSiteUmask = 022;

std::string outcome(const launch::SideCommand& command, int status, bool late) {
  if (late) return command.what + " took longer than " + format_duration(command.time_limit);
  if (WIFSIGNALED(status))
    return command.what + " was ended by signal " + std::to_string(WTERMSIG(status));
  return command.what + " exited with " + std::to_string(WEXITSTATUS(status));
}

/// How the job ended, for a command that runs after it.
/// @source LSF: LSB_JOBEXIT_STAT is the status of wait(2), LSB_JOBEXIT_INFO names the signal
void add_exit_words(std::vector<std::string>& env, const launch::ExitRecord* record) {
  if (record == nullptr) return;
  env.push_back("LSB_JOBEXIT_STAT=" + std::to_string(record->status));
  if (!WIFSIGNALED(record->status)) return;
  int signal = WTERMSIG(record->status);
  const char* name = ::sigabbrev_np(signal);
  env.push_back("LSB_JOBEXIT_INFO=SIGNAL " + std::to_string(signal) + " SIG" + (name ? name : "?"));
}

}  // namespace

void Shepherd::start_side(launch::SideCommand command, SideKind kind, std::uint32_t number) {
  const launch::Account ours{::geteuid(), ::getegid(), {}};
  const std::string root = "/";
  const launch::TaskSpec none;
  const std::vector<launch::ResourceCap> no_caps;
  bool site = command.privileged;
  prolog_ = prolog_ || site;
  proc::Exec exec{site ? ours : spec_.account,
                  command.argv,
                  command.env,
                  site                  ? root
                  : command.cwd.empty() ? spec_.cwd
                                        : command.cwd,
                  false,
                  site ? kSiteUmask : spec_.umask,
                  no_caps,
                  none.cpus,
                  none.in,
                  none.folders,
                  -1,
                  -1,
                  site ? std::vector<std::string>{} : cgroup_.joins(false)};
  auto child = proc::spawn(exec);
  Side side{std::move(command), kind, number, {}, false, {}};
  if (!child) return end_side(std::move(side), 2 << 8);
  if (side.command.time_limit > Duration{}) side.kill_at = steady_now() + side.command.time_limit;
  side.trouble = std::move(child->trouble);
  own_.insert(child->pid);
  sides_.emplace(child->pid, std::move(side));
}

/// Called for the end of every side command; the next of its kind is started.
void Shepherd::end_side(Side side, int status) {
  if (side.cancelled) return;
  bool failed = status != 0 || side.late;
  auto text = outcome(side.command, status, side.late);
  if (side.kind == SideKind::Notice)
    return link_.say(launch::Noticed{side.number, side.late ? -1 : status});
  if (side.command.privileged && failed) link_.say(launch::ScriptFailed{text});
  if (side.kind == SideKind::Before && failed)
    refuse_tasks(side.command.privileged ? EndCause::PrologFailed : EndCause::PreExecFailed, text,
                 status != 0 ? status : SIGKILL);
  else if (side.kind == SideKind::Before) start_waiting_tasks();
}

/// Starts the next command that goes before the tasks, or the tasks.
void Shepherd::start_waiting_tasks() {
  if (ready_ || (spec_.tasks.empty() && finishing_)) return;
  if (!spec_.before.empty()) {
    auto next = std::move(spec_.before.front());
    spec_.before.erase(spec_.before.begin());
    return start_side(std::move(next), SideKind::Before);
  }
  ready_ = true;
  // The commands before them, which may fetch an image, are not on the job's time.
  start_run_limit(steady_now());
  for (auto& task : std::exchange(spec_.tasks, {})) start(std::move(task));
  if (any_running()) tell_start();
}

/// The tasks that wait will never run; what runs before them is ended.
void Shepherd::refuse_tasks(EndCause cause, const std::string& text, int status) {
  spec_.before.clear();
  std::erase_if(spec_.after, [this](const auto& c) { return !c.privileged || !prolog_; });
  cancel_sides(SideKind::Before);
  for (auto& spec : std::exchange(spec_.tasks, {})) {
    auto [at, fresh] = tasks_.try_emplace(spec.task);
    if (!fresh) continue;
    auto& task = at->second;
    task.spec = std::move(spec);
    task.record.key = spec_.key;
    task.record.task = task.spec.task;
    task.record.started = started_;
    note_never_ran(task, cause, text, status);
  }
  if (!tasks_.empty() || cause == EndCause::Ordered) return;
  finishing_ = true;  // room for others' commands only: none will come
  end_text_ = text;
  end_cause_ = cause;
  end_status_ = status;
}

void Shepherd::cancel_sides(SideKind kind) {
  for (auto& [pid, side] : sides_) {
    if (side.kind != kind || std::exchange(side.cancelled, true)) continue;
    side.kill_at = steady_now();
  }
}

/// True: a command that goes after the tasks runs.
bool Shepherd::run_after() {
  if (spec_.after.empty()) return !sides_.empty();
  auto next = std::move(spec_.after.front());
  spec_.after.erase(spec_.after.begin());
  if (!next.privileged) add_exit_words(next.env, deciding_record());
  start_side(std::move(next), SideKind::After);
  return true;
}

void Shepherd::on(const launch::Notice& order) {
  bool running = std::any_of(sides_.begin(), sides_.end(), [&](const auto& entry) {
    return entry.second.kind == SideKind::Notice && entry.second.number == order.number;
  });
  if (!running && !finishing_) start_side(order.command, SideKind::Notice, order.number);
}

void Shepherd::fire_side_timers() {
  auto now = steady_now();
  for (auto& [pid, side] : sides_) {
    if (!side.kill_at || *side.kill_at > now) continue;
    side.kill_at.reset();
    side.late = true;
    proc::kill_all([pid = pid] {
      auto pids = proc::descendants_of(pid, {});
      pids.push_back(pid);
      return pids;
    });
  }
}

/// The run limit is near: tells the tasks as the job asked.
void Shepherd::warn() {
  warn_at_.reset();
  warned_ = true;
  if (!spec_.warning.command.argv.empty())
    return start_side(spec_.warning.command, SideKind::Warning);
  for (auto* task : chosen({}))
    if (::kill(-task->pid, spec_.warning.signal) != 0) ::kill(task->pid, spec_.warning.signal);
}

}  // namespace wm::shepherd
