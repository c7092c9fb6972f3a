// What a shepherd does when wnoded tells it something. Every order may be repeated.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "daemons/wshepherd/shepherd.h"
#include "libwm/proc/spawn.h"
#include "libwm/proc/tree.h"

namespace wm::shepherd {
namespace {

TimePoint steady_now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}

/// An agent that ends at once is not started for ever.
constexpr int kMaxAgentStarts = 20;

}  // namespace

void Shepherd::obey(proc::ShepherdOrder order) {
  std::visit([this](auto& o) { on(std::move(o)); }, order);
}

void Shepherd::take_over(std::string memo, const proc::UseLimits& limits) {
  if (!memo.empty()) spec_.memo = std::move(memo);
  spec_.limits = limits;
  cgroup_.limit_memory(limits.mem);
}

void Shepherd::on(proc::StartTasks order) {
  take_over(std::move(order.memo), order.limits);
  if (finishing_) return;
  if (!ready_)
    return void(spec_.tasks.insert(spec_.tasks.end(), order.tasks.begin(), order.tasks.end()));
  for (auto& task : order.tasks) start(std::move(task));
}

void Shepherd::on(proc::RestartTasks order) {
  take_over(std::move(order.memo), order.limits);
  if (finishing_) return;
  if (!order.files.empty()) {
    spec_.files = std::move(order.files);
    put_files();
  }
  for (auto& [old, spec] : order.tasks) {
    auto waits = std::find_if(spec_.tasks.begin(), spec_.tasks.end(),
                              [&, old = old](const auto& task) { return task.task == old; });
    if (waits != spec_.tasks.end()) {
      *waits = std::move(spec);
      continue;
    }
    auto at = tasks_.find(old);
    if (at == tasks_.end() || at->second.phase != Phase::Running) continue;
    auto& task = at->second;
    task.successor = std::move(spec);
    if (task.ending) continue;
    end(task, {SIGTERM, SIGKILL}, proc::EndCause::Ordered, "restarted at another size");
    task.ending->interval = order.grace;
  }
}

void Shepherd::on(const proc::EndTasks& order) {
  for (auto* task : chosen(order.tasks)) {
    bool already = task->ending && !order.at_once;
    if (!already) end(*task, signals_to_end(order), proc::EndCause::Ordered, order.text);
  }
  for (auto* task : chosen(order.tasks)) task->successor.reset();
  if (!ready_) refuse_tasks(proc::EndCause::Ordered, order.text, SIGKILL);
  if (order.tasks.empty() && end_text_.empty()) end_text_ = order.text;
}

void Shepherd::on(const proc::SignalTasks& order) {
  bool whole_tree = order.signal == SIGSTOP || order.signal == SIGCONT || order.signal == SIGKILL;
  for (auto* task : chosen(order.tasks)) {
    if (whole_tree) proc::signal_tree(task->pid, order.signal);
    else if (::kill(-task->pid, order.signal) != 0) ::kill(task->pid, order.signal);
  }
}

void Shepherd::on(const proc::Finish& order) {
  finishing_ = true;
  if (end_text_.empty()) end_text_ = order.text;
  if (!ready_) refuse_tasks(proc::EndCause::Ordered, order.text, SIGKILL);
  for (auto* task : chosen({}))
    if (!task->ending) end(*task, signals_to_end({}), proc::EndCause::Ordered, order.text);
}

void Shepherd::start(proc::TaskSpec spec) {
  auto [at, fresh] = tasks_.try_emplace(spec.task);
  if (!fresh) return;
  at->second.spec = std::move(spec);
  start(at->second);
}

void Shepherd::start(Task& task) {
  auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  start_task(task, spec_, cgroup_.joins(true), now);
  if (task.phase == Phase::Running)
    link_.say(proc::TaskStarted{{task.spec.task, task.pid, task.record.started, false}});
  if (suspended_) set_suspended(true);
}

void Shepherd::end(Task& task, std::vector<int> signals, proc::EndCause cause,
                   const std::string& text) {
  if (suspended_) set_suspended(false);  // what is stopped cannot obey
  if (!task.ending) {
    task.record.cause = cause;
    task.record.text = text;
  }
  task.ending = Ending{std::move(signals), steady_now(), spec_.kill_interval};
}

std::vector<Task*> Shepherd::chosen(const std::vector<TaskNumber>& numbers) {
  std::vector<Task*> tasks;
  for (auto& [number, task] : tasks_) {
    bool named =
        numbers.empty() || std::find(numbers.begin(), numbers.end(), number) != numbers.end();
    if (named && task.phase == Phase::Running) tasks.push_back(&task);
  }
  return tasks;
}

proc::ShepherdUp Shepherd::who_i_am() const {
  proc::ShepherdUp up{proc::kLauncherVersion, spec_.key, ::getpid(), spec_.memo, {}};
  for (const auto& [number, task] : tasks_)
    up.tasks.push_back({number, task.pid, task.record.started, task.phase == Phase::Ended});
  return up;
}

void Shepherd::start_agent() {
  if (++agent_starts_ > kMaxAgentStarts) return spec_.agent_argv.clear();
  ensure_folder();
  auto log = place_.run + "/" + to_string(spec_.key) + ".d/agent.log";
  proc::Fd out(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  const proc::TaskSpec none;
  proc::Exec exec{spec_.account,
                  spec_.agent_argv,
                  spec_.agent_env,
                  "/",
                  false,
                  spec_.umask,
                  {},
                  none.cpus,
                  none.in,
                  none.folders,
                  out.get(),
                  out.get(),
                  cgroup_.joins(false)};
  agent_next_ = steady_now() + std::chrono::seconds(1);
  auto child = proc::spawn(exec);
  if (!child) return;
  agent_ = child->pid;
  own_.insert(agent_);
}

void Shepherd::ensure_folder() {
  if (folder_made_) return;
  auto path = attempt_folder(place_, spec_.key);
  ::mkdir(path.c_str(), 0700);
  if (::geteuid() == 0) (void)!::lchown(path.c_str(), spec_.account.uid, spec_.account.gid);
  folder_made_ = true;
}

/// The folder's owner may put something in our way: nothing is followed or opened that exists.
void Shepherd::put_files() {
  if (spec_.files.empty()) return;
  ensure_folder();
  for (const auto& file : spec_.files) {
    auto path = attempt_folder(place_, spec_.key) + "/" + file.name;
    ::unlink(path.c_str());
    proc::Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       file.executable ? 0700 : 0600));
    if (!fd) continue;
    if (::geteuid() == 0) (void)!::fchown(fd.get(), spec_.account.uid, spec_.account.gid);
    (void)!::write(fd.get(), file.text.data(), file.text.size());
  }
  spec_.files.clear();
}

}  // namespace wm::shepherd
