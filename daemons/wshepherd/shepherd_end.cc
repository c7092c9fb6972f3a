// How a shepherd comes to the end: strays of ended tasks are killed, a task is concluded when
// nothing of it is left, the attempt when wait(2) knows no child any more.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "daemons/wshepherd/mail.h"
#include "daemons/wshepherd/output.h"
#include "daemons/wshepherd/shepherd.h"
#include "daemons/wshepherd/user_part.h"
#include "libwm/launch/job_report.h"
#include "libwm/proc/cgroup.h"
#include "libwm/proc/output_file.h"
#include "libwm/proc/tree.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;

WallTime wall_now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

/// wait(2) knows no child, not even one that has not ended.
bool childless() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

/// A pipe that somebody outside the job still holds open does not keep the task, nor a report file
/// that cannot be opened or written, as a FIFO that nobody reads, the attempt. An agent holds it
/// until the task's output is written on another host.
constexpr auto kOutputPatience = seconds(5), kAgentsPatience = seconds(30),
               kMailPatience = seconds(30);

}  // namespace

bool Shepherd::running(TaskNumber number) const {
  auto at = tasks_.find(number);
  return at != tasks_.end() && at->second.phase == Phase::Running;
}

bool Shepherd::any_running() const {
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [](const auto& entry) { return entry.second.phase == Phase::Running; });
}

bool Shepherd::ending() const {
  bool all = std::all_of(tasks_.begin(), tasks_.end(),
                         [](const auto& entry) { return entry.second.phase == Phase::Ended; });
  return finishing_ || (spec_.ends_with_last_task && !tasks_.empty() && all);
}

std::vector<pid_t> Shepherd::strays() const {
  auto except = own_;
  for (const auto& [number, task] : tasks_)
    if (task.phase == Phase::Running) except.insert(task.pid);
  return proc::descendants_of(::getpid(), except);
}

/// While other tasks run, a process below us may be a daemon that one of those started.
bool Shepherd::is_stray_to_end(pid_t pid) const {
  if (!any_running()) return true;
  proc::ProcessStat stat;
  if (!proc::read_stat(pid, stat)) return false;
  for (const auto& [number, task] : tasks_)
    if (stat.session == task.pid) return task.phase != Phase::Running;
  auto number = std::atoi(proc::variable_of(pid, launch::kTaskVariable).c_str());
  return number > 0 && !running(TaskNumber{static_cast<std::uint32_t>(number)});
}

/// The main process may end before what it started does: it has been written to till the end, or
/// obeys a signal, as a shell that wraps a program ends at once and the program still saves its
/// work.
bool Shepherd::is_spared(pid_t pid) const {
  auto now = jobs_now();
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& entry) {
    const auto& task = entry.second;
    if (task.phase != Phase::Exited || !is_of(pid, task)) return false;
    if (now < task.spared_until) return true;
    return now < task.obeys_until && proc::handles(pid, task.signal);
  });
}

bool Shepherd::spares_any() const {
  auto now = jobs_now();
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& entry) {
    return entry.second.phase == Phase::Exited && now < entry.second.spared_until;
  });
}

/// Whoever ends the job does not wait for what ended tasks have left.
void Shepherd::spare_no_longer(const std::vector<TaskNumber>& numbers) {
  auto tasks = chosen(numbers, Phase::Exited);
  if (tasks.empty()) return;
  if (suspended_) set_suspended(false);  // what is stopped does not die everywhere
  for (auto* task : tasks) task->spared_until = {};
}

void Shepherd::clean_up() {
  cleaning_ = false;
  bool needed = ending() && !any_running();  // what an agent leaves behind, too
  for (const auto& [number, task] : tasks_) needed = needed || task.phase == Phase::Exited;
  if (!needed || childless()) return;
  auto list = [this] {
    auto pids = strays();
    std::erase_if(pids, [this](pid_t pid) { return !is_stray_to_end(pid) || is_spared(pid); });
    return pids;
  };
  auto pids = list();
  if (pids.empty()) return;
  cleaning_ = true;
  if (!kill_by_) kill_by_ = steady_now() + spec_.kill_grace;
  if (!kill_pace_.is_due(std::move(pids), steady_now())) return;
  proc::kill_all(list);
  reap();
}

/// Nothing of the old task is left: the new one takes its place.
void Shepherd::succeed(TaskNumber number) {
  auto old = std::move(tasks_.extract(number).mapped());
  auto& task = tasks_[old.successor->task];
  task.spec = std::move(*old.successor);
  task.cpu_before = old.record.usage.cpu;
  start(task);
}

/// The process is of the task's session or has its mark; the last task's, if no other runs.
bool Shepherd::is_of(pid_t pid, const Task& task) const {
  proc::ProcessStat stat;
  if (!proc::read_stat(pid, stat)) return false;
  if (stat.session == task.pid || !any_running()) return true;
  return proc::variable_of(pid, launch::kTaskVariable) == std::to_string(task.spec.task.value);
}

bool Shepherd::leaves_any(const Task& task, const std::vector<pid_t>& strays) const {
  return std::any_of(strays.begin(), strays.end(), [&](pid_t pid) { return is_of(pid, task); });
}

void Shepherd::conclude_tasks() {
  start_copiers();
  std::vector<pid_t> left;
  if (!childless()) left = strays();
  std::vector<TaskNumber> succeeded;
  for (auto& [number, task] : tasks_) {
    if (task.phase != Phase::Exited) continue;
    bool leaves = leaves_any(task, left);
    if (leaves) task.seen = steady_now();  // what that writes is not lost, however long it takes
    auto patience = task.spec.tag ? kAgentsPatience : kOutputPatience;
    if (steady_now() - task.seen > patience) {
      task.out.reset();
      task.err.reset();
      if (task.copier != 0) ::kill(task.copier, SIGKILL);
    }
    if (leaves || task.copier != 0 || task.out || task.err) continue;
    if (task.successor && !finishing_) {
      succeeded.push_back(number);
      continue;
    }
    if (is_telling(task)) continue;
    task.phase = Phase::Ended;
    add_use(task.record);
    unwritten_.push_back(task.record);
  }
  for (auto number : succeeded) succeed(number);
  if (!cleaning_ && left.empty() && !any_running()) kill_by_.reset();
}

void Shepherd::conclude_attempt() {
  bool all = std::all_of(tasks_.begin(), tasks_.end(),
                         [](const auto& entry) { return entry.second.phase == Phase::Ended; });
  if (over_ || !all || !ending()) return;
  if (!finishing_ && !spec_.tasks.empty()) return;  // they wait for what runs before them
  finishing_ = true;
  end_agent();
  warm_.end();
  for (auto kind : {SideKind::Notice, SideKind::Warning}) cancel_sides(kind);
  if (!is_alone() || run_after()) return;
  if (report_ == Report::Wanted) report();
  if (reporter_ != 0 && report_until_ <= steady_now()) ::kill(reporter_, SIGKILL);
  if (report_ != Report::Done) return;
  remove_folder();
  launch::ExitRecord record;
  record.key = spec_.key;
  record.pid = ::getpid();
  record.started = started_;
  record.ended = wall_now();
  record.text = end_text_;
  record.cause = end_cause_;
  record.status = end_status_;
  record.usage = usage_;
  add_use(record);
  unwritten_.push_back(record);
  over_ = true;
}

bool Shepherd::is_alone() {
  reap();
  if (reporter_ == 0 && !childless()) return false;
  return cgroup_.pids().empty();
}

/// The first task that failed, or the first; none if there was none. Where the writer may move, it
/// decides, and none does if it was on another host.
const launch::ExitRecord* Shepherd::deciding_record() const {
  if (tasks_.empty()) return nullptr;
  for (const auto& [number, task] : tasks_)
    if (hands_over(task.spec) && task.spec.writer) return &task.record;
  if (hands_over(tasks_.begin()->second.spec)) return nullptr;
  auto failed = std::find_if(tasks_.begin(), tasks_.end(),
                             [](const auto& e) { return e.second.record.status != 0; });
  return &(failed != tasks_.end() ? failed : tasks_.begin())->second.record;
}

void Shepherd::report() {
  const auto& file = spec_.report.file;
  report_ = Report::Done;
  bool mailed = spec_.report.mail_at_end;
  if (!mailed && (file.path.empty() || file.path == "/dev/null")) return;
  if (!deciding_record()) return;
  const auto& record = *deciding_record();
  bool forced = record.cause != launch::EndCause::Exited;
  launch::ReportEnd end{spec_.key, record.status, forced ? record.text : "",
                        started_,  record.ended,  wall_now(),
                        usage_,    mean_mem()};
  const auto& own = record.usage;
  end.usage.max_mem =
      own.by_cgroup ? own.max_mem : std::max({usage_.max_mem, own.max_mem, peak_mem_});
  bool first_bytes = !output_begun_;
  UserPart part{spec_.account, spec_.cwd, spec_.umask, {}};
  auto pid = fork_as_user(part, [&] {
    if (mailed)
      return send_mail(spec_.report.sendmail, launch::job_mail(spec_.report, end),
                       spec_.report.mailed);
    auto fd = proc::open_output(file, first_bytes);
    auto text = launch::job_report(spec_.report, end);
    return fd && ::write(fd->get(), text.data(), text.size()) > 0 ? 0 : 1;
  });
  if (!pid) return;
  report_ = Report::Writing;
  reporter_ = *pid;
  report_until_ = steady_now() + (mailed ? kMailPatience : kOutputPatience);
  own_.insert(*pid);
}

void Shepherd::tell_start() {
  if (!spec_.report.mail_at_start || told_start_) return;
  told_start_ = true;
  UserPart part{spec_.account, spec_.cwd, spec_.umask, {}};
  auto text = launch::start_mail(spec_.report, spec_.key.job, wall_now());
  auto pid = fork_as_user(part, [&] {
    ::alarm(kMailPatience.count());
    return send_mail(spec_.report.sendmail, text, {});
  });
  if (pid) own_.insert(*pid);
}

/// As the user, so that a link in the folder leads nowhere the user could not go.
void Shepherd::remove_folder() {
  if (!folder_made_) return;
  auto path = attempt_folder(place_, spec_.key);
  UserPart part{spec_.account, "/", 022, {}};
  auto pid = fork_as_user(part, [&] {
    ::alarm(10);
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored))
      std::filesystem::remove_all(entry.path(), ignored);
    return 0;
  });
  if (pid) ::waitpid(*pid, nullptr, 0);
  ::rmdir(path.c_str());
}

void Shepherd::say_stuck() {
  kill_by_.reset();
  auto pids = strays();
  for (const auto& [number, task] : tasks_)
    if (task.phase == Phase::Running && task.ending) pids.push_back(task.pid);
  if (pids.empty() || stuck_told_) return;
  stuck_told_ = true;
  link_.say(launch::AttemptStuck{{pids.begin(), pids.end()}});
}

}  // namespace wm::shepherd
