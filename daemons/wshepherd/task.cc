#include "daemons/wshepherd/task.h"

#include <signal.h>

#include <algorithm>

namespace wm::shepherd {

std::vector<int> signals_to_end(const launch::EndTasks& order) {
  if (order.at_once) return {SIGKILL};
  if (order.first_signal == SIGQUIT) return {SIGQUIT, SIGKILL};
  if (order.first_signal == SIGTERM) return {SIGTERM, SIGKILL};
  return {SIGINT, SIGTERM, SIGKILL};
}

std::vector<int> signals_at_run_limit() { return {SIGUSR2, SIGINT, SIGTERM, SIGKILL}; }

std::vector<int> signals_at_limit(launch::EndCause cause) {
  if (cause == launch::EndCause::CpuLimit) return {SIGXCPU, SIGINT, SIGTERM, SIGKILL};
  return {SIGKILL};
}

void note_never_ran(Task& task, launch::EndCause cause, const std::string& text, int status) {
  task.phase = Phase::Exited;
  task.record.status = status;
  task.record.cause = cause;
  task.record.text = text;
  task.record.ended = task.record.started;
}

void note_exit(Task& task, int status, const wm::Usage& usage, WallTime now,
               const proc::Trouble& trouble) {
  task.phase = Phase::Exited;
  task.record.status = status;
  task.record.usage = usage;
  task.record.usage.cpu += task.cpu_before;
  task.record.ended = now;
  if (trouble.hindrance == proc::Hindrance::None) return;
  task.record.text = trouble.text;
  if (trouble.hindrance == proc::Hindrance::NoFolder)
    task.record.cause = launch::EndCause::NoFolder;
  if (trouble.hindrance == proc::Hindrance::NotReady)
    task.record.cause = launch::EndCause::StartFailed;
  if (trouble.hindrance == proc::Hindrance::OwnFault)
    task.record.cause = launch::EndCause::OwnFault;
}

void shed(Task& task) {
  auto& spec = task.spec;
  for (auto* words : {&spec.argv, &spec.env, &spec.folders, &spec.report_by})
    std::vector<std::string>().swap(*words);
  for (auto* files : {&spec.out, &spec.err, &spec.last_words})
    std::vector<launch::OutputFile>().swap(*files);
}

TaskNumber known_as(const Task& task) {
  return task.successor ? task.successor->task : task.record.task;
}

bool is_named(const Task& task, const std::vector<TaskNumber>& numbers) {
  return numbers.empty() ||
         std::find(numbers.begin(), numbers.end(), known_as(task)) != numbers.end();
}

}  // namespace wm::shepherd
