#include "daemons/wshepherd/orders.h"

#include <signal.h>

#include "daemons/wshepherd/programs.h"

namespace wm::shepherd {

void Orders::take_over(std::string memo, const launch::UseLimits& limits) {
  if (!memo.empty()) attempt_.spec.memo = std::move(memo);
  attempt_.spec.limits = limits;
  attempt_.env.group.limit_memory(limits.mem);
}

void Orders::on(launch::StartTasks order) {
  take_over(std::move(order.memo), order.limits);
  if (attempt_.finishing) return;
  auto& waiting = attempt_.spec.tasks;
  if (!attempt_.ready)
    return void(waiting.insert(waiting.end(), order.tasks.begin(), order.tasks.end()));
  for (auto& task : order.tasks) parts_.starter.start(std::move(task));
}

void Orders::on(launch::RestartTasks order) {
  take_over(std::move(order.memo), order.limits);
  if (attempt_.finishing) return;
  if (!order.files.empty()) {
    attempt_.spec.files = std::move(order.files);
    if (auto put = parts_.folder.put_files(); !put)
      return parts_.enders.end_all({{SIGKILL}}, launch::EndCause::StartFailed, put.error().text);
  }
  // What mpirun has started here is told here: it would not pass this on.
  if (order.tasks.empty()) signal_ranks(attempt_.env, attempt_.launched(), SIGTERM);
  parts_.successors.replace(std::move(order.tasks), order.grace);
}

void Orders::on(const launch::EndTasks& order) {
  auto chosen = attempt_.chosen(order.tasks);
  if (!order.at_once) std::erase_if(chosen, [](const Task* task) { return task->ending; });
  bool whole_job = order.tasks.empty() && !order.at_once && !chosen.empty();
  EndWay way{signals_to_end(order)};
  if (whole_job) way = parts_.acts.terminate(std::move(way.signals));
  for (auto* task : chosen) parts_.enders.end(*task, way, launch::EndCause::Ordered, order.text);
  parts_.strays.spare_no_longer(order.tasks);
  parts_.successors.drop(order.tasks, order.text);
  if (!attempt_.ready) parts_.around.refuse(launch::EndCause::Ordered, order.text, SIGKILL);
  if (!order.tasks.empty()) return;
  attempt_.told_to_end = true;
  if (attempt_.end.text.empty()) attempt_.end.text = order.text;
  if (attempt_.tasks.empty()) parts_.launched.end(order);
}

void Orders::on(const launch::SignalTasks& order) {
  auto& signals = attempt_.env.signals;
  bool saves = order.signal == SIGTERM;  // as preemption has it
  bool whole_tree = order.signal == SIGSTOP || order.signal == SIGCONT || order.signal == SIGKILL;
  auto until = attempt_.jobs_now() + attempt_.spec.kill_interval;
  for (auto* task : attempt_.chosen(order.tasks)) {
    if (!whole_tree) task->signal = order.signal, task->obeys_until = until;
    if (whole_tree) signals.signal_tree(task->pid, order.signal);
    else if (saves && signal_around_mpi(attempt_.env, task->pid, order.signal)) continue;
    else if (!signals.kill(-task->pid, order.signal)) signals.kill(task->pid, order.signal);
  }
  if (!order.tasks.empty()) return;
  if (saves && signal_ranks(attempt_.env, attempt_.launched(), order.signal)) return;
  for (auto pid : parts_.agent.launched()) {
    if (whole_tree) signals.signal_tree(pid, order.signal);
    else signals.kill(-pid, order.signal);
  }
}

void Orders::on(const launch::Finish& order) {
  attempt_.finishing = true;
  if (attempt_.end.text.empty()) attempt_.end.text = order.text;
  if (!attempt_.ready) parts_.around.refuse(launch::EndCause::Ordered, order.text, SIGKILL);
  for (auto* task : attempt_.chosen({}))
    if (!task->ending)
      parts_.enders.end(*task, {signals_to_end({})}, launch::EndCause::Ordered, order.text);
  parts_.strays.spare_no_longer({});
}

void Orders::on(const launch::LimitRun& order) {
  attempt_.spec.run_limit = order.left;
  if (attempt_.ready)
    parts_.run_limit.start(attempt_.jobs_now(), order.left, attempt_.spec.warning.lead);
}

void Orders::on(const launch::Notice& order) {
  if (parts_.sides.runs(SideKind::Notice, order.number) || attempt_.finishing) return;
  if (auto end = parts_.sides.start(order.command, SideKind::Notice, order.number))
    parts_.around.on_end(*end);
}

}  // namespace wm::shepherd
