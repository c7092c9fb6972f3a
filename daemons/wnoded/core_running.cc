// What wnoded does about an attempt that runs: it is suspended, started again at another size,
// or its notification command is asked.
#include <signal.h>

#include <algorithm>

#include "daemons/wnoded/core.h"
#include "libwm/base/exit_status.h"
#include "libwm/base/log.h"

namespace wm::node {
namespace {

/// A notification command that says nothing for so long has refused.
constexpr Duration kNoticeLimit = std::chrono::minutes(1);

const OrderedTask* ordered(const HostOrder& order, TaskNumber number) {
  auto at = std::find_if(order.tasks.begin(), order.tasks.end(),
                         [&](const OrderedTask& t) { return t.task == number; });
  return at == order.tasks.end() ? nullptr : &*at;
}

bool stays(const OrderedTask& task) { return !task.kill && !task.leave; }

}  // namespace

bool Core::serves_port(const HostOrder& order) const {
  return launch::master_address(order) == host_.address && launch::meets_at_port(order);
}

/// The rendezvous of the job's scripts is on rank 0's host, which leases ports for it before any
/// process here is told of one: those that the master has chosen, unless somebody has them.
Result<void> Core::lease_port(const launch::AttemptKey& key, HostOrder& order) {
  if (!serves_port(order)) return {};
  proc::PortRange range{host_.limits.job_port_first, host_.limits.job_port_last};
  WM_TRY(order.team.port, outside_.job_ports().lease(key, range, order.team.port));
  return {};
}

/// Ports that are told already (we have adopted the attempt, or it is started again) are held
/// again, if they can be.
void Core::hold_port(const launch::AttemptKey& key, const HostOrder& order) {
  if (!serves_port(order) || order.team.port == 0) return;
  if (auto held = outside_.job_ports().hold(key, order.team.port); !held)
    log::warn("port_not_held", {{"attempt", to_string(key)}, {"why", held.error().text}});
}

/// Every process here makes room for one that knows the new size: the same task's, or that of
/// another slot when its own leaves.
void Core::relaunch(const launch::AttemptKey& key, Entry& entry) {
  auto& order = entry.order;
  if (order.control.relaunches <= entry.relaunches) return;
  entry.relaunches = order.control.relaunches;
  hold_port(key, order);
  launch::RestartTasks restart;
  std::vector<TaskNumber> old;  // processes that are no longer wanted in their slot
  for (const auto& [number, task] : entry.tasks) {
    const auto* wanted = ordered(order, number);
    bool keeps = wanted && wanted->has_process && stays(*wanted);
    if (task.ended) continue;
    if (keeps) restart.tasks.push_back({number, launch::plan_task(order, host_, *wanted)});
    else if (!wanted || !wanted->has_process) old.push_back(number);
  }
  for (const auto& task : order.tasks) {
    if (old.empty() || !task.has_process || !stays(task) || entry.tasks.contains(task.task))
      continue;
    restart.tasks.push_back({old.back(), launch::plan_task(order, host_, task)});
    entry.tasks.erase(old.back());
    entry.tasks[task.task];
    old.pop_back();
  }
  // Where nothing is replaced, the process of another host may have started MPI ranks.
  if (restart.tasks.empty() && order.launch != Launch::Once) return;
  choose_cpus(entry);
  for (auto& task : restart.tasks) {
    entry.tasks[task.spec.task].pid = 0;
    bind(entry, task.spec);
  }
  restart.files = launch::small_files(order);
  restart.grace = order.leave_grace;
  restart.limits = launch::limits_of(order);
  restart.memo = memo_of(order);
  log::info("attempt_restart", {{"attempt", to_string(key)},
                                {"processes", restart.tasks.size()},
                                {"world", task_count(order.hosts)}});
  outside_.launcher().tell(key, restart);
}

/// Slots without a process that leave are free once no process of the old size is left here.
void Core::release_bare(const launch::AttemptKey& key, Entry& entry) {
  const auto& order = entry.order;
  bool by_restart = order.launch == Launch::PerHost ? order.app.resize != ResizeMode::Notify
                                                    : order.app.resize == ResizeMode::Restart;
  if (!by_restart) return;
  bool old_left = std::any_of(entry.tasks.begin(), entry.tasks.end(), [&](const auto& known) {
    const auto* wanted = ordered(order, known.first);
    bool new_one = wanted && wanted->has_process && stays(*wanted) && known.second.pid != 0 &&
                   entry.relaunches == order.control.relaunches;
    return !known.second.ended && !new_one;
  });
  if (old_left) return;
  for (const auto& task : order.tasks) {
    if (task.has_process || stays(task) || entry.tasks.contains(task.task)) continue;
    end_unstarted(key, entry, task.task, Term::Left, "");
  }
}

/// Reports the end of a slot without a process: it failed to start, or (empty `why`) was released.
void Core::end_unstarted(const launch::AttemptKey& key, Entry& entry, TaskNumber task, Term term,
                         const std::string& why) {
  std::int32_t status = why.empty() ? 0 : SIGKILL;
  entry.tasks[task].ended = true;
  say(entry, FactEnded{key.job, key.attempt, task, status, term, {}, why, outside_.wall()});
}

void Core::pass_on_suspension(const launch::AttemptKey& key, Entry& entry) {
  if (entry.suspended == entry.order.control.suspend) return;
  entry.suspended = entry.order.control.suspend;
  outside_.launcher().tell(key, launch::Suspend{entry.order.control.suspend});
}

void Core::pass_on_run_limit(const launch::AttemptKey& key, Entry& entry) {
  Duration limit = entry.order.resolved.run_limit;
  if (entry.run_limit == limit) return;
  entry.run_limit = limit;
  outside_.launcher().tell(key, launch::LimitRun{entry.order.run_left});
}

void Core::pass_on_writer(const launch::AttemptKey& key, Entry& entry) {
  if (!entry.order.team.writer ||
      std::exchange(entry.writer, entry.order.team.writer) == entry.order.team.writer)
    return;
  outside_.launcher().tell(key, launch::WriteAsked{entry.writer});
}

/// @source LSF: LSB_RESIZE_EVENT, LSB_RESIZE_HOSTS, LSB_RESIZE_NOTIFY_OK, LSB_RESIZE_NOTIFY_FAIL
void Core::pass_on_notice(const launch::AttemptKey& key, Entry& entry) {
  const auto& order = entry.order;
  if (!order.change.notice || order.change.notice->number <= entry.noticed) return;
  auto first = std::find_if(order.tasks.begin(), order.tasks.end(),
                            [](const OrderedTask& t) { return t.has_process; });
  if (first == order.tasks.end()) return;
  entry.noticed = order.change.notice->number;
  auto command =
      launch::user_command(order, host_, *first, "notification command", order.change.command);
  command.time_limit = kNoticeLimit;
  for (const auto& entry_text :
       {"LSB_RESIZE_EVENT=" + std::string(order.change.notice->grow ? "grow" : "shrink"),
        "LSB_RESIZE_HOSTS=" + order.change.hosts, std::string("LSB_RESIZE_NOTIFY_OK=0"),
        std::string("LSB_RESIZE_NOTIFY_FAIL=1")})
    command.env.push_back(entry_text);
  outside_.launcher().tell(key, launch::Notice{order.change.notice->number, std::move(command)});
}

void Core::on(const launch::AttemptKey& key, Entry& entry, const launch::Noticed& word) {
  bool ok = word.status == 0;
  auto text = ok ? std::string()
                 : "the notification command " +
                       (word.status < 0 ? "did not answer within " + format_duration(kNoticeLimit)
                                        : "said " + std::to_string(shell_status(word.status)));
  say(entry, FactNotified{key.job, key.attempt, word.number, ok, text});
}

void Core::on(const launch::AttemptKey& key, Entry& entry, const launch::ScriptFailed& word) {
  log::warn("site_script_failed",
            {{"attempt", to_string(key)}, {"why", word.why}, {"remedy", "the host is closed"}});
  say(entry, FactScriptFailed{key.job, key.attempt, word.why});
}

}  // namespace wm::node
