// What a shepherd does when wnoded tells it something. Every order may be repeated.
#include <signal.h>

#include "daemons/wshepherd/programs.h"
#include "daemons/wshepherd/shepherd.h"

namespace wm::shepherd {

// What has ended by itself before is not ended by the order, and not started again.
void Shepherd::obey(launch::ShepherdOrder order) {
  reap();
  std::visit([this](auto& o) { on(std::move(o)); }, order);
}

void Shepherd::terminate() { on(launch::Finish{"its shepherd was told to terminate"}); }

void Shepherd::take_over(std::string memo, const launch::UseLimits& limits) {
  if (!memo.empty()) attempt_.spec.memo = std::move(memo);
  attempt_.spec.limits = limits;
  attempt_.kernel.group.limit_memory(limits.mem);
}

void Shepherd::on(launch::StartTasks order) {
  take_over(std::move(order.memo), order.limits);
  if (attempt_.finishing) return;
  auto& waiting = attempt_.spec.tasks;
  if (!attempt_.ready)
    return void(waiting.insert(waiting.end(), order.tasks.begin(), order.tasks.end()));
  for (auto& task : order.tasks) starter_.start(std::move(task));
}

void Shepherd::on(launch::RestartTasks order) {
  take_over(std::move(order.memo), order.limits);
  if (attempt_.finishing) return;
  if (!order.files.empty()) {
    attempt_.spec.files = std::move(order.files);
    if (auto put = folder_.put_files(); !put)
      return end_all({{SIGKILL}}, launch::EndCause::StartFailed, put.error().text);
  }
  // What mpirun has started here is told here: it would not pass this on.
  if (order.tasks.empty()) signal_ranks(attempt_.kernel, attempt_.launched(), SIGTERM);
  successors_.replace(std::move(order.tasks), order.grace);
}

void Shepherd::on(const launch::EndTasks& order) {
  auto chosen = attempt_.chosen(order.tasks);
  if (!order.at_once) std::erase_if(chosen, [](const Task* task) { return task->ending; });
  bool whole_job = order.tasks.empty() && !order.at_once && !chosen.empty();
  EndWay way{signals_to_end(order)};
  if (whole_job) way = acts_.terminate(std::move(way.signals));
  for (auto* task : chosen) enders_.end(*task, way, launch::EndCause::Ordered, order.text);
  strays_.spare_no_longer(order.tasks);
  successors_.drop(order.tasks, order.text);
  if (!attempt_.ready) around_.refuse(launch::EndCause::Ordered, order.text, SIGKILL);
  if (!order.tasks.empty()) return;
  attempt_.told_to_end = true;
  if (attempt_.end.text.empty()) attempt_.end.text = order.text;
  if (attempt_.tasks.empty()) launched_.end(order);
}

void Shepherd::on(const launch::SignalTasks& order) {
  auto& signals = attempt_.kernel.signals;
  bool saves = order.signal == SIGTERM;  // as preemption has it
  bool whole_tree = order.signal == SIGSTOP || order.signal == SIGCONT || order.signal == SIGKILL;
  auto until = attempt_.jobs_now() + attempt_.spec.kill_interval;
  for (auto* task : attempt_.chosen(order.tasks)) {
    if (!whole_tree) task->signal = order.signal, task->obeys_until = until;
    if (whole_tree) signals.signal_tree(task->pid, order.signal);
    else if (saves && signal_around_mpi(attempt_.kernel, task->pid, order.signal)) continue;
    else if (!signals.kill(-task->pid, order.signal)) signals.kill(task->pid, order.signal);
  }
  if (!order.tasks.empty()) return;
  if (saves && signal_ranks(attempt_.kernel, attempt_.launched(), order.signal)) return;
  for (auto pid : agent_.launched()) {
    if (whole_tree) signals.signal_tree(pid, order.signal);
    else signals.kill(-pid, order.signal);
  }
}

void Shepherd::on(const launch::Finish& order) {
  attempt_.finishing = true;
  if (attempt_.end.text.empty()) attempt_.end.text = order.text;
  if (!attempt_.ready) around_.refuse(launch::EndCause::Ordered, order.text, SIGKILL);
  for (auto* task : attempt_.chosen({}))
    if (!task->ending)
      enders_.end(*task, {signals_to_end({})}, launch::EndCause::Ordered, order.text);
  strays_.spare_no_longer({});
}

void Shepherd::on(const launch::Suspend& order) { acts_.suspend(order.on); }

void Shepherd::on(const launch::LimitRun& order) {
  attempt_.spec.run_limit = order.left;
  if (attempt_.ready) run_limit_.start(attempt_.jobs_now(), order.left, attempt_.spec.warning.lead);
}

void Shepherd::on(const launch::Notice& order) {
  if (sides_.runs(SideKind::Notice, order.number) || attempt_.finishing) return;
  if (auto end = sides_.start(order.command, SideKind::Notice, order.number)) around_.on_end(*end);
}

}  // namespace wm::shepherd
