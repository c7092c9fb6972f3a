// What a shepherd does when wnoded tells it something. Every order may be repeated.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "daemons/wshepherd/log_file.h"
#include "daemons/wshepherd/shepherd.h"
#include "libwm/proc/spawn.h"
#include "libwm/proc/tree.h"

namespace wm::shepherd {
namespace {

/// An agent that ends at once is not started for ever.
constexpr int kMaxAgentStarts = 20;
/// From SIGTERM to SIGKILL: it waits for a slow reader of an interactive job's output.
constexpr auto kAgentPatience = std::chrono::seconds(30);

/// "0=3600 3=8388608": what an agent limits the commands by that it starts.
std::string caps_variable(const std::vector<launch::ResourceCap>& caps) {
  std::string text;
  for (const auto& cap : caps)
    text +=
        (text.empty() ? "" : " ") + std::to_string(cap.resource) + "=" + std::to_string(cap.amount);
  return "WM_AGENT_CAPS=" + text;
}

/// The number by which wnoded knows it: that of the task which waits to take its place, if any.
TaskNumber known_as(const Task& task) {
  return task.successor ? task.successor->task : task.record.task;
}

bool is_named(const Task& task, const std::vector<TaskNumber>& numbers) {
  return numbers.empty() ||
         std::find(numbers.begin(), numbers.end(), known_as(task)) != numbers.end();
}

/// Where an agent writes the output of all ranks; the other ends go to whoever copies it.
struct AgentPipes {
  proc::Fd out, err;

  AgentPipes(const launch::AttemptSpec& spec, Task& copied) {
    if (spec.out.empty()) return;
    copied.spec.out = spec.out;
    copied.spec.err = spec.err;
    copied.spec.merge_err = spec.merge_err;
    connect(copied.out, out);
    if (!spec.merge_err) connect(copied.err, err);
  }

 private:
  static void connect(proc::Fd& read, proc::Fd& write) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) return;
    read.reset(fds[0]);
    write.reset(fds[1]);
  }
};

}  // namespace

void Shepherd::obey(launch::ShepherdOrder order) {
  std::visit([this](auto& o) { on(std::move(o)); }, order);
}

void Shepherd::take_over(std::string memo, const launch::UseLimits& limits) {
  if (!memo.empty()) spec_.memo = std::move(memo);
  spec_.limits = limits;
  cgroup_.limit_memory(limits.mem);
}

void Shepherd::on(launch::StartTasks order) {
  take_over(std::move(order.memo), order.limits);
  if (finishing_) return;
  if (!ready_)
    return void(spec_.tasks.insert(spec_.tasks.end(), order.tasks.begin(), order.tasks.end()));
  for (auto& task : order.tasks) start(std::move(task));
}

void Shepherd::on(launch::RestartTasks order) {
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
    auto at = std::find_if(tasks_.begin(), tasks_.end(), [&, old = old](const auto& entry) {
      return entry.second.phase != Phase::Ended && known_as(entry.second) == old;
    });
    if (at == tasks_.end()) continue;
    auto& task = at->second;
    if (task.phase != Phase::Running && !task.successor) continue;  // it has ended by itself
    task.successor = std::move(spec);
    if (task.ending) continue;
    end(task, {SIGTERM, SIGKILL}, launch::EndCause::Ordered, "restarted at another size");
    task.ending->interval = order.grace;
  }
}

void Shepherd::on(const launch::EndTasks& order) {
  for (auto* task : chosen(order.tasks)) {
    bool already = task->ending && !order.at_once;
    if (!already) end(*task, signals_to_end(order), launch::EndCause::Ordered, order.text);
  }
  spare_no_longer(order.tasks);
  for (auto& [number, task] : tasks_)
    if (is_named(task, order.tasks)) drop_successor(task, order.text);
  if (!ready_) refuse_tasks(launch::EndCause::Ordered, order.text, SIGKILL);
  if (order.tasks.empty() && end_text_.empty()) end_text_ = order.text;
  if (tasks_.empty() && order.tasks.empty() && !part_ending_)
    part_ending_ = Ending{signals_to_end(order), steady_now()};
}

/// Nothing takes its place any more: its end is that of the task which was to do so.
void Shepherd::drop_successor(Task& task, const std::string& why) {
  if (!task.successor) return;
  task.record.task = task.successor->task;
  task.record.text = why;
  task.successor.reset();
}

void Shepherd::on(const launch::SignalTasks& order) {
  bool whole_tree = order.signal == SIGSTOP || order.signal == SIGCONT || order.signal == SIGKILL;
  auto until = steady_now() + spec_.kill_interval;
  for (auto* task : chosen(order.tasks)) {
    if (!whole_tree) task->signal = order.signal, task->obeys_until = until;
    if (whole_tree) proc::signal_tree(task->pid, order.signal);
    else if (::kill(-task->pid, order.signal) != 0) ::kill(task->pid, order.signal);
  }
  if (!order.tasks.empty()) return;
  for (auto pid : launched()) {
    if (whole_tree) proc::signal_tree(pid, order.signal);
    else ::kill(-pid, order.signal);
  }
}

void Shepherd::on(launch::StartAgent order) {
  if (!spec_.agent_argv.empty() || finishing_) return;
  spec_.agent_argv = std::move(order.argv);
  spec_.agent_env = std::move(order.env);
  start_agent();
}

/// Commands that the agent started for this job: below it, not the shepherd's own tasks.
std::vector<pid_t> Shepherd::launched() const {
  return agent_ != 0 ? proc::children_of(agent_) : std::vector<pid_t>{};
}

/// One step of ending what was launched here: a signal when it is due; over when none is left.
void Shepherd::end_part() {
  if (!part_ending_ || finishing_) return;
  auto pids = launched();
  auto& ending = *part_ending_;
  if (pids.empty() || (ending.signals.empty() && ending.next <= steady_now())) {
    finishing_ = true;
    return;
  }
  if (ending.signals.empty() || ending.next > steady_now()) return;
  for (auto pid : pids) {
    proc::signal_tree(pid, ending.signals.front());
    proc::continue_stopped(proc::tree_of(pid));
  }
  ending.signals.erase(ending.signals.begin());
  ending.next = steady_now() + spec_.kill_interval;
}

/// It may still have output to deliver; what it started is not wanted any more. While it writes
/// for ranks of other hosts, nobody who ends the job by force is kept waiting.
void Shepherd::end_agent() {
  if (agent_ == 0) return;
  bool waits = !spec_.out.empty() && end_text_.empty();
  if (!agent_kill_by_) {
    agent_kill_by_ = steady_now() + kAgentPatience;
    ::kill(agent_, SIGTERM);
  } else if (*agent_kill_by_ <= steady_now() && !waits) {
    ::kill(agent_, SIGKILL);
  }
}

void Shepherd::on(const launch::Finish& order) {
  finishing_ = true;
  if (end_text_.empty()) end_text_ = order.text;
  if (!ready_) refuse_tasks(launch::EndCause::Ordered, order.text, SIGKILL);
  for (auto* task : chosen({}))
    if (!task->ending) end(*task, signals_to_end({}), launch::EndCause::Ordered, order.text);
  spare_no_longer({});
}

/// What the writer before has written stays, whatever was asked.
void Shepherd::on(const launch::WriteAsked& order) {
  auto change = [&](launch::TaskSpec& spec) {
    bool writes = spec.task == order.task;
    if (writes && !spec.writer)
      for (auto* files : {&spec.asked_out, &spec.asked_err})
        for (auto& file : *files) file.overwrite = false;
    output_begun_ = output_begun_ || (writes && !spec.writer);
    return std::exchange(spec.writer, writes) != writes;
  };
  for (auto& spec : spec_.tasks) change(spec);
  for (auto& [number, task] : tasks_)
    if (change(task.spec) && task.turns)
      (void)!::write(task.turns.get(), task.spec.writer ? "1" : "0", 1);
}

void Shepherd::on(launch::KeepWarm order) { warm_.want(std::move(order), steady_now()); }

/// Its output is of the folder's: what it says matters to nobody but whoever wonders why
/// newcomers start cold.
void Shepherd::keep_warm() {
  auto now = steady_now();
  if (finishing_) return warm_.end();
  warm_.note_tasks(any_running(), now);
  auto due = warm_.due();
  if (!due || *due > now) return;
  ensure_folder();
  auto out = open_log(attempt_folder(place_, spec_.key) + "/warm.log");
  warm_.look(spec_, cgroup_.joins(true), out.get(), now);
  if (warm_.pid() != 0) own_.insert(warm_.pid());
}

void Shepherd::start(launch::TaskSpec spec) {
  auto [at, fresh] = tasks_.try_emplace(spec.task);
  if (!fresh) return;
  at->second.spec = std::move(spec);
  start(at->second);
}

void Shepherd::start(Task& task) {
  auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  guard_devices();
  start_task(task, spec_, cgroup_.joins(true), warm_, now);
  if (task.phase == Phase::Running) {
    bool makes = std::any_of(task.spec.out.begin(), task.spec.out.end(),
                             [](const auto& file) { return file.at_start; });
    output_begun_ = output_begun_ || makes;
    link_.say(launch::TaskStarted{{task.spec.task, task.pid, task.record.started, false}});
  }
  if (suspended_) set_suspended(true);
}

void Shepherd::end(Task& task, std::vector<int> signals, launch::EndCause cause,
                   const std::string& text) {
  if (suspended_) set_suspended(false);  // what is stopped cannot obey
  if (!task.ending) {
    task.record.cause = cause;
    task.record.text = text;
  }
  task.ending = Ending{std::move(signals), steady_now(), spec_.kill_interval};
}

std::vector<Task*> Shepherd::chosen(const std::vector<TaskNumber>& numbers, Phase phase) {
  std::vector<Task*> tasks;
  for (auto& [number, task] : tasks_)
    if (is_named(task, numbers) && task.phase == phase) tasks.push_back(&task);
  return tasks;
}

launch::ShepherdUp Shepherd::who_i_am() const {
  launch::ShepherdUp up{launch::kLauncherVersion, spec_.key, ::getpid(), spec_.memo, {}};
  for (const auto& [number, task] : tasks_)
    up.tasks.push_back(
        {task.record.task, task.pid, task.record.started, task.phase == Phase::Ended});
  return up;
}

/// Where no task waits for it, it lets nobody in before the commands that go before tasks, the
/// look for the image among them, are done.
bool Shepherd::agent_is_due() const {
  return !spec_.agent_argv.empty() && (ready_ || !spec_.tasks.empty());
}

void Shepherd::start_agent() {
  if (++agent_starts_ > kMaxAgentStarts) return spec_.agent_argv.clear();
  ensure_folder();
  auto out = open_log(attempt_folder(place_, spec_.key) + "/agent.log");
  const launch::TaskSpec none;
  auto env = spec_.agent_env;
  env.push_back(caps_variable(spec_.caps));
  AgentPipes pipes(spec_, agent_output_);
  if (pipes.err) env.push_back("WM_AGENT_ERR=" + std::to_string(pipes.err.get()));
  int to = pipes.out ? pipes.out.get() : out.get();
  proc::Exec exec{
      spec_.account, spec_.agent_argv, env,          "/", false,     spec_.umask,         {},
      none.cpus,     none.in,          none.folders, to,  out.get(), cgroup_.joins(false)};
  exec.keep = pipes.err.get();
  exec.hold_term = true;
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
