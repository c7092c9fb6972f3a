#include "daemons/wnoded/steering.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "daemons/wnoded/attempts/term.h"
#include "daemons/wnoded/web_port.h"
#include "libwm/base/log.h"
#include "libwm/launch/part_env.h"
#include "libwm/launch/warm.h"

namespace wm::node {
namespace {

using Stage = LocalAttempt::Stage;

/// A process of the old size, or of a slot that leaves, is left.
bool old_is_left(const LocalAttempt& attempt) {
  const auto& order = attempt.order;
  return std::any_of(attempt.tasks.begin(), attempt.tasks.end(), [&](const auto& known) {
    const auto* wanted = ordered(order, known.first);
    bool new_one = wanted && starts(*wanted) && known.second.pid != 0 &&
                   attempt.told.relaunches == order.control.relaunches;
    return !known.second.ended && !new_one;
  });
}

void log_bound(const HostOrder& order, const launch::HostFacts& host,
               const launch::TaskSpec& task) {
  if (task.memory.nodes.empty()) return;
  bool alone = std::all_of(host.cpus.begin(), host.cpus.end(),
                           [&](const auto& cpu) { return cpu.numa == host.cpus.front().numa; });
  log::info("task_memory_bound", {{"job", to_string(order.job)},
                                  {"task", task.task.value},
                                  {"nodes", launch::cpu_list(task.memory.nodes)},
                                  {"note", alone ? "the host's only node" : ""}});
}

}  // namespace

void Steering::tell(const LocalAttempt& attempt, const launch::ShepherdOrder& words) {
  host_.env.launcher().tell(attempt.key, words);
}

void Steering::bring_in_line(LocalAttempt& attempt) {
  attempt.waits = false;
  if (attempt.forgotten) return;
  if (attempt.order.control.end) return end(attempt);
  if (attempt.order.control.preempt) warn(attempt);
  else if (mps_is_ready(attempt)) run(attempt);
  end_unwanted(attempt);
  release_bare(attempt);
}

void Steering::end(LocalAttempt& attempt) {
  auto term = attempt.order.control.end_term;
  bool at_once = term == Term::ForceOwner || term == Term::ForceAdmin;
  if (attempt.stage == Stage::Up && (at_once || !attempt.told.ending))
    tell(attempt, launch::EndTasks{{}, at_once, 0, term_words(term)});
  attempt.told.ending = true;
  never_started(attempt, term, "ended before it was started");
}

void Steering::warn(LocalAttempt& attempt) {
  if (attempt.stage == Stage::Up && !attempt.told.warned)
    tell(attempt, launch::SignalTasks{{}, SIGTERM});
  attempt.told.warned = true;
  never_started(attempt, Term::Preempt, "preempted before it was started");
}

void Steering::run(LocalAttempt& attempt) {
  if (attempt.stage == Stage::Over) return start(attempt);
  relaunch(attempt);
  start_missing(attempt);
  for (const auto& words : take_differences(attempt.order, host_.facts, attempt.told))
    tell(attempt, words);
}

/// False: daemons that its tasks need do not stand yet, or never will (the tasks' end is told
/// then).
bool Steering::mps_is_ready(LocalAttempt& attempt) {
  auto stand = gpus_.mps_for(attempt);
  if (stand == Mps::Stand::Failed)
    never_started(attempt, Term::LaunchFailed,
                  "the MPS daemon " + host_.facts.mps_program + " does not run");
  attempt.waits = stand == Mps::Stand::Starting;
  return stand == Mps::Stand::Ready;
}

void Steering::start(LocalAttempt& attempt) {
  auto& order = attempt.order;
  if (!attempt.account) return;
  auto missing = order;
  std::erase_if(missing.tasks,
                [&](const OrderedTask& t) { return !starts(t) || attempt.tasks.contains(t.task); });
  bool standby = launch::is_standby(order);
  if (missing.tasks.empty() && !opens_part(attempt) && !standby) return;
  if (auto port = meetings_.lease(attempt.key, order); !port)
    return never_started(attempt, Term::LaunchFailed, port.error().text);
  missing.team.port = order.team.port;
  auto spec = plan(attempt, std::move(missing));
  attempt.stage = Stage::Up;
  attempt.begun = host_.env.mono();
  attempt.told = told_at_start(order, std::move(attempt.told));
  log::info("attempt_start", {{"job", to_string(attempt.key.job)},
                              {"attempt", attempt.key.attempt.value},
                              {"tasks", spec.tasks.size()}});
  if (standby) spec.agent_argv.clear();  // one that is wanted comes when it is asked for
  host_.env.launcher().start(spec);
  if (!standby) return;
  if (auto warm = launch::plan_warm(order, host_.facts)) tell(attempt, *warm);
}

/// What its shepherd is made with: `missing` has the tasks that do not run yet.
launch::AttemptSpec Steering::plan(LocalAttempt& attempt, HostOrder missing) {
  auto facts = host_.facts;
  facts.owns_web_port = owns_web_port(host_.env, attempt.key, attempt.order, *attempt.account);
  auto spec = launch::plan_attempt(missing, facts, *attempt.account, host_.times);
  spec.memo = memo_of(attempt.order);
  choose_cpus(attempt);
  if (!attempt.cpus.empty()) spec.files.push_back(attempt.cpus.file(host_.facts.name));
  for (auto& task : spec.tasks) {
    attempt.tasks[task.task];
    bind(attempt, task);
    if (const auto* wanted = ordered(missing, task.task))
      gpus_.add_mps(attempt.order, *wanted, task);
  }
  return spec;
}

void Steering::choose_cpus(LocalAttempt& attempt) {
  if (!CpuBinding::is_asked(attempt.order)) return;
  auto without = attempt.cpus.choose(attempt.order, host_.facts, host_.gpus, bound_cpus(attempts_));
  for (auto task : without)
    log::warn("task_not_bound", {{"job", to_string(attempt.key.job)},
                                 {"task", task.value},
                                 {"why", "no CPUs are free that its affinity[] asks for"}});
}

void Steering::bind(const LocalAttempt& attempt, launch::TaskSpec& task) const {
  attempt.cpus.bind(attempt.order, host_.facts, task);
  log_bound(attempt.order, host_.facts, task);
}

void Steering::start_missing(LocalAttempt& attempt) {
  const auto& order = attempt.order;
  if (order.control.attach && attempt.agent.address.empty())
    tell(attempt, launch::StartAgent{{host_.facts.sbin_dir + "/wagent"},
                                     launch::agent_environment(order, host_.facts)});
  choose_cpus(attempt);
  launch::StartTasks words;
  for (const auto& task : order.tasks) {
    if (!starts(task) || attempt.tasks.contains(task.task)) continue;
    words.tasks.push_back(launch::plan_task(order, host_.facts, task));
    bind(attempt, words.tasks.back());
    gpus_.add_mps(order, task, words.tasks.back());
    attempt.tasks[task.task];
  }
  if (words.tasks.empty()) return;
  words.memo = memo_of(order);
  words.limits = launch::limits_of(order);
  tell(attempt, words);
}

/// Every process here makes room for one that knows the new size: the same task's, or that of
/// another slot when its own leaves.
void Steering::relaunch(LocalAttempt& attempt) {
  const auto& order = attempt.order;
  if (order.control.relaunches <= attempt.told.relaunches) return;
  attempt.told.relaunches = order.control.relaunches;
  meetings_.hold(attempt);
  launch::RestartTasks words;
  words.tasks = take_replacements(attempt);
  // Where nothing is replaced, the process of another host may have started MPI ranks.
  if (words.tasks.empty() && order.launch != Launch::Once) return;
  choose_cpus(attempt);
  for (auto& task : words.tasks) {
    attempt.tasks[task.spec.task].pid = 0;
    bind(attempt, task.spec);
  }
  words.files = launch::small_files(order);
  words.grace = order.leave_grace;
  words.limits = launch::limits_of(order);
  words.memo = memo_of(order);
  log::info("attempt_restart", {{"attempt", to_string(attempt.key)},
                                {"processes", words.tasks.size()},
                                {"world", task_count(order.hosts)}});
  tell(attempt, words);
}

/// Who takes the place of each process here; a slot that takes another's is known from then on, the
/// other is not.
std::vector<launch::Replacement> Steering::take_replacements(LocalAttempt& attempt) {
  const auto& order = attempt.order;
  std::vector<launch::Replacement> replaced;
  std::vector<TaskNumber> old;  // processes that are no longer wanted in their slot
  for (const auto& [number, task] : attempt.tasks) {
    if (task.ended) continue;
    const auto* wanted = ordered(order, number);
    if (wanted && starts(*wanted))
      replaced.push_back({number, launch::plan_task(order, host_.facts, *wanted)});
    else if (!wanted || !wanted->has_process) old.push_back(number);
  }
  for (const auto& task : order.tasks) {
    if (old.empty() || !starts(task) || attempt.tasks.contains(task.task)) continue;
    replaced.push_back({old.back(), launch::plan_task(order, host_.facts, task)});
    attempt.tasks.erase(old.back());
    attempt.tasks[task.task];
    old.pop_back();
  }
  return replaced;
}

void Steering::end_unwanted(LocalAttempt& attempt) {
  const auto& order = attempt.order;
  for (const auto& task : order.tasks) {
    bool leaves = task.leave && !order.team.in_place && !attempt.told.ends.contains(task.task);
    if (!task.has_process || !(task.kill || leaves) || has_ended(attempt, task.task)) continue;
    if (!attempt.tasks.contains(task.task)) {
      end_unstarted(attempt, task.task, task.kill ? task.term : Term::Left,
                    "ended before it was started");
      continue;
    }
    attempt.told.ends.insert(task.task);
    auto words = task.kill ? term_words(task.term) : "asked to leave";
    bool hangs = task.kill && task.term == Term::Hung;
    tell(attempt,
         launch::EndTasks{{task.task}, task.kill && !hangs, hangs ? SIGQUIT : SIGTERM, words});
  }
}

void Steering::never_started(LocalAttempt& attempt, Term term, const std::string& why) {
  for (const auto& task : attempt.order.tasks)
    if (task.has_process && !attempt.tasks.contains(task.task))
      end_unstarted(attempt, task.task, term, why);
}

void Steering::release_bare(LocalAttempt& attempt) {
  const auto& order = attempt.order;
  bool by_restart = order.launch == Launch::PerHost ? order.app.resize != ResizeMode::Notify
                                                    : order.app.resize == ResizeMode::Restart;
  if (!by_restart || old_is_left(attempt)) return;
  for (const auto& task : order.tasks)
    if (!task.has_process && !stays(task) && !attempt.tasks.contains(task.task))
      end_unstarted(attempt, task.task, Term::Left, "");
}

/// Reports the end of a slot without a process: it failed to start, or (empty `why`) was released.
void Steering::end_unstarted(LocalAttempt& attempt, TaskNumber task, Term term,
                             const std::string& why) {
  std::int32_t status = why.empty() ? 0 : SIGKILL;
  attempt.tasks[task].ended = true;
  reporter_.say(
      attempt,
      FactEnded{
          attempt.key.job, attempt.key.attempt, task, status, term, {}, why, host_.env.wall()});
}

}  // namespace wm::node
