#include "daemons/wshepherd/shepherd.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "daemons/wshepherd/output.h"
#include "daemons/wshepherd/user_part.h"
#include "libwm/model/reason.h"
#include "libwm/proc/cgroup.h"
#include "libwm/proc/exit_log.h"
#include "libwm/proc/tree.h"

namespace wm::shepherd {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

WallTime wall_now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

wm::Usage usage_of(const rusage& used) {
  auto time = [](const timeval& t) { return seconds(t.tv_sec) + Duration(t.tv_usec); };
  constexpr std::int64_t kBlock = 512;  // of ru_inblock and ru_oublock
  return {time(used.ru_utime) + time(used.ru_stime), Bytes{used.ru_maxrss * 1024L},
          Bytes{used.ru_inblock * kBlock}, Bytes{used.ru_oublock * kBlock}};
}

/// Without the pipe the task stays what it is: the writer, or not.
void connect_turns(proc::Fd& write_end, proc::Fd& read_end) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return;
  read_end.reset(fds[0]);
  write_end.reset(fds[1]);
}

}  // namespace

Shepherd::Shepherd(Place place, launch::AttemptSpec spec, NodeLink link, proc::Fd signals)
    : place_(std::move(place)),
      spec_(std::move(spec)),
      link_(std::move(link)),
      signals_(std::move(signals)) {}

void Shepherd::run() {
  begin();
  while (!over_ || !unwritten_.empty()) {
    wait();
    take_signals();
    if (link_.connection() >= 0)
      for (auto& order : link_.take_orders()) obey(std::move(order));
    if (link_.accept()) link_.say(who_i_am());
    reap();
    fire_timers();
    watch();
    clean_up();
    conclude_tasks();
    conclude_attempt();
    record_and_tell();
  }
  for (int i = 0; i < 20 && link_.wants_write(); ++i) {
    pollfd fd{link_.connection(), POLLOUT, 0};
    ::poll(&fd, 1, 50);
    link_.flush();
  }
  link_.unlisten();
  cgroup_.remove();
}

void Shepherd::begin() {
  set_title(place_, "wshepherd " + to_string(spec_.key) + " " + place_.node);
  started_ = wall_now();
  watch_at_ = steady_now() + watch_pause();
  make_cgroup();
  if (spec_.suspended) set_suspended(true);
  put_files();
  if (agent_is_due()) start_agent();
  link_.say(who_i_am());
  start_waiting_tasks();
  record_and_tell();
}

void Shepherd::wait() {
  std::vector<pollfd> fds{{signals_.get(), POLLIN, 0}, {link_.listener(), POLLIN, 0}};
  short link_events = link_.wants_write() ? POLLIN | POLLOUT : POLLIN;
  fds.push_back({link_.connection(), link_events, 0});
  fds.push_back({warm_.descriptor(), POLLIN, 0});
  auto watch_output = [&fds](const Task& task) {
    for (int fd : {task.out.get(), task.err.get()})
      if (fd >= 0) fds.push_back({fd, POLLIN, 0});
  };
  for (auto& [number, task] : tasks_) watch_output(task);
  watch_output(agent_output_);

  auto now = steady_now();
  auto until = now + seconds(60);
  auto earliest = [&](std::optional<TimePoint> t) { until = t ? std::min(until, *t) : until; };
  if (!suspended_) earliest(run_limit_), earliest(warn_at_);
  earliest(kill_by_);
  earliest(warm_.due());
  for (const auto& [pid, side] : sides_) earliest(side.kill_at);
  if ((any_running() || spares_any()) && !suspended_) earliest(watch_at_);
  for (auto& [number, task] : tasks_) {
    if (task.phase == Phase::Ended) continue;
    if (task.ending && !task.ending->signals.empty()) earliest(task.ending->next);
    if (task.phase == Phase::Exited) earliest(now + milliseconds(200));
    if (now < task.spared_until && !suspended_) earliest(task.spared_until);
  }
  if (cleaning_) earliest(kill_pace_.next());
  if (part_ending_) earliest(now + milliseconds(20));
  if (agent_ == 0 && agent_is_due() && !finishing_) earliest(agent_next_);
  if (!unwritten_.empty() || finishing_) earliest(now + milliseconds(200));
  auto left = std::chrono::ceil<milliseconds>(until - now).count();
  ::poll(fds.data(), fds.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
  if (warm_.descriptor() >= 0) warm_.hear();
  link_.flush();
  start_copiers();
}

void Shepherd::take_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof(info)) == sizeof(info))
    if (info.ssi_signo == SIGTERM) on(launch::Finish{"its shepherd was told to terminate"});
}

void Shepherd::reap() {
  int status = 0;
  rusage used{};
  for (pid_t pid = 0; (pid = ::wait4(-1, &status, WNOHANG, &used)) > 0;)
    on_exit(pid, status, usage_of(used));
}

void Shepherd::on_exit(pid_t pid, int status, const wm::Usage& usage) {
  usage_.cpu += usage.cpu;
  usage_.max_mem = std::max(usage_.max_mem, usage.max_mem);
  usage_.read.value += usage.read.value;
  usage_.written.value += usage.written.value;
  own_.erase(pid);
  if (auto side = sides_.extract(pid)) end_side(std::move(side.mapped()), status);
  if (pid == agent_) {
    agent_ = 0;
    agent_next_ = steady_now() + milliseconds(200);
  }
  if (pid == warm_.pid()) warm_.on_exit();
  if (pid == reporter_) {
    reporter_ = 0;
    report_ = Report::Done;
    if (status != 0)
      std::fprintf(stderr, "wshepherd %s: report lost\n", to_string(spec_.key).c_str());
  }
  for (auto& [number, task] : tasks_) {
    if (task.copier == pid) {
      task.copier = 0;
      task.turns.reset();
      if (status != 0 && task.record.cause != launch::EndCause::StartFailed)
        task.record.text += task.record.text.empty() ? "output lost" : "; output lost";
    }
    if (task.teller == pid) on_told(task);
    if (task.pid != pid || task.phase != Phase::Running) continue;
    task.seen = steady_now();
    if (!task.ending && !finishing_) task.spared_until = jobs_now() + spec_.stray_grace;
    note_exit(task, status, usage, wall_now());
    if (!task.spec.devices.empty()) guard_devices();
    if (status != 0 && !task.ending && was_killed_for_memory())
      end_for(launch::EndCause::MemLimit, {});
  }
}

void Shepherd::fire_timers() {
  auto now = steady_now();
  fire_side_timers();
  if (warn_at_ && !suspended_ && *warn_at_ <= now) warn();
  if (run_limit_ && !suspended_ && *run_limit_ <= now) {
    run_limit_.reset();
    auto text =
        std::string(term_name(Term::RunLimit)) + ": " + std::string(term_text(Term::RunLimit));
    for (auto* task : chosen({}))
      end(*task, signals_at_run_limit(), launch::EndCause::RunLimit, text);
    spare_no_longer({});
  }
  for (auto& [number, task] : tasks_) {
    if (task.phase == Phase::Ended || !task.ending || task.ending->signals.empty()) continue;
    if (task.ending->next <= now) send_next(task);
  }
  if (agent_ == 0 && agent_is_due() && !ending() && agent_next_ <= now) start_agent();
  end_part();
  if (kill_by_ && *kill_by_ <= now) say_stuck();
  keep_warm();
}

/// The next signal of those that end a task; to what is left of it if its main process has
/// obeyed an earlier one.
void Shepherd::send_next(Task& task) {
  auto now = steady_now();
  int signal = task.ending->signals.front();
  task.ending->signals.erase(task.ending->signals.begin());
  task.ending->next = now + (signal == SIGQUIT ? kDumpTime : task.ending->interval);
  task.signal = signal;
  task.obeys_until = signal == SIGKILL ? now : task.ending->next;
  if (task.phase == Phase::Exited) {
    for (auto pid : strays())
      if (signal != SIGKILL && is_of(pid, task)) ::kill(pid, signal);
    return;  // SIGKILL is for clean_up
  }
  auto pid = task.pid;
  if (signal == SIGKILL) {
    proc::kill_all([pid] { return proc::tree_of(pid); });
    if (!kill_by_) kill_by_ = now + spec_.kill_grace;
    return;
  }
  if (signal == SIGQUIT) proc::signal_handlers_of(pid, signal);
  else proc::signal_tree(pid, signal);
  proc::continue_stopped(proc::tree_of(pid));  // a stopped one cannot obey
}

void Shepherd::start_copiers() {
  for (auto& [number, task] : tasks_) copy_if_ready(task);
  copy_if_ready(agent_output_);
}

void Shepherd::copy_if_ready(Task& task) {
  if (!task.out && !task.err) return;
  pollfd fds[] = {{task.out.get(), POLLIN, 0}, {task.err.get(), POLLIN, 0}};
  ::poll(fds, 2, 0);
  if (((fds[0].revents | fds[1].revents) & POLLIN) != 0) return start_copier(task);
  if (fds[0].revents != 0) task.out.reset();  // closed without a byte
  if (fds[1].revents != 0) task.err.reset();
}

void Shepherd::start_copier(Task& task) {
  ensure_folder();
  output_begun_ = true;
  int out = task.out.get(), err = task.err.get();
  proc::Fd turn;
  if (hands_over(task.spec)) connect_turns(task.turns, turn);
  UserPart part{spec_.account, spec_.cwd, spec_.umask, {out, err, turn.get()}};
  auto pid = fork_as_user(part, [&] { return copy_output(task.spec, out, err, turn.get()); });
  if (!pid) return;  // the bytes stay in the pipe; tried again at the next turn
  task.copier = *pid;
  own_.insert(*pid);
  task.out.reset();
  task.err.reset();
}

void Shepherd::record_and_tell() {
  if (unwritten_.empty()) return;
  auto written = proc::append_exits(place_.exits, {unwritten_.begin(), unwritten_.end()});
  if (!written) {
    std::fprintf(stderr, "wshepherd %s: exit record kept in memory: %s\n",
                 to_string(spec_.key).c_str(), written.error().text.c_str());
    return;
  }
  for (auto& record : std::exchange(unwritten_, {})) {
    if (record.task) link_.say(launch::TaskEnded{record});
    else link_.say(launch::AttemptEnded{record});
  }
}

}  // namespace wm::shepherd
