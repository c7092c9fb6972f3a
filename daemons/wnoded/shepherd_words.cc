#include "daemons/wnoded/shepherd_words.h"

#include <algorithm>
#include <utility>

#include "daemons/wnoded/attempts/term.h"
#include "daemons/wnoded/gpu_needs.h"
#include "libwm/base/exit_status.h"
#include "libwm/base/log.h"
#include "libwm/launch/part_env.h"

namespace wm::node {
namespace {

using Stage = LocalAttempt::Stage;

constexpr std::int32_t kKilled = 9;  // wait status of a process ended by SIGKILL

void log_end(const launch::AttemptKey& key, const launch::ExitRecord& record) {
  log::info("task_ended", {{"job", to_string(key.job)},
                           {"task", record.task.value},
                           {"status", shell_status(record.status)},
                           {"cause", end_cause_name(record.cause)},
                           {"why", record.text}});
}

}  // namespace

FactStarted ShepherdWords::started(const LocalAttempt& attempt,
                                   const launch::RunningTask& task) const {
  bool leased = launch::master_address(attempt.order) == host_.facts.address;
  return {attempt.key.job, attempt.key.attempt, task.task, task.pid,
          leased ? attempt.order.team.port : 0};
}

void ShepherdWords::on(LocalAttempt& attempt, const launch::ShepherdUp& word) {
  for (const auto& task : word.tasks) {
    auto& known = attempt.tasks[task.task];
    known.pid = task.pid;
    known.start = task.start;
    if (!task.ended) reporter_.say(attempt, started(attempt, task));
  }
  attempt.delivers = attempt.delivers || word.delivers;
}

void ShepherdWords::on(LocalAttempt& attempt, const launch::TaskStarted& word) {
  attempt.tasks[word.task.task].pid = word.task.pid;
  attempt.tasks[word.task.task].start = word.task.start;
  if (auto& since = attempt.tasks[word.task.task].since; since == TimePoint{})
    since = host_.env.mono();
  if (!gpus_of(attempt.order, word.task.task).empty()) gpus_.look_soon();
  attempt.reported = false;
  if (auto begun = std::exchange(attempt.begun, {}); begun != TimePoint{})
    launches_.add(std::chrono::duration<double>(host_.env.mono() - begun).count());
  reporter_.say(attempt, started(attempt, word.task));
  steering_.release_bare(attempt);
}

void ShepherdWords::on(LocalAttempt& attempt, const launch::TaskEnded& word) {
  attempt.delivers = attempt.delivers || word.delivers;
  task_ended(attempt, word.record, word.delivers);
}

void ShepherdWords::on(LocalAttempt& attempt, const launch::Delivered& word) {
  if (std::exchange(attempt.delivers, false))
    reporter_.say(attempt, FactDelivered{attempt.key.job, attempt.key.attempt, word.text});
}

void ShepherdWords::task_ended(LocalAttempt& attempt, const launch::ExitRecord& record,
                               bool delivers) {
  const auto& key = attempt.key;
  auto& task = attempt.tasks[record.task];
  if (task.ended) return;
  task.ended = true;
  if (task.until == TimePoint{}) task.until = host_.env.mono();
  if (task.pid == 0) task.pid = record.pid;
  attempt.reported = attempt.reported || !record.report.empty();
  host_.env.tell_agent(key, TaskGone{record.task, end_words(record)});
  FactEnded fact{
      key.job,      key.attempt, record.task,  record.status, term_of(record, attempt.order),
      record.usage, record.text, record.ended, record.report, delivers};
  log_end(key, record);
  if (!gpus_.keep_back(attempt, fact)) reporter_.say(attempt, std::move(fact));
  steering_.release_bare(attempt);
  auto& control = attempt.order.control;
  if (attempt.held_back.empty() || control.end || ended_well(record, attempt.order)) return;
  control.end = true;  // the master hears of the first when all are gone
  control.end_term = Term::TaskFailed;
  steering_.bring_in_line(attempt);
}

void ShepherdWords::on(LocalAttempt& attempt, const launch::AttemptEnded& word) {
  auto key = attempt.key;
  bool part = launch::is_bare_part(attempt.order) && !runs(attempt);  // others have left since
  lose_tasks(attempt, word.record);
  if (part) part_ended(attempt, word.record);
  attempt.stage = Stage::Over;
  bool known = word.record.cause != launch::EndCause::ShepherdLost;
  on(attempt, launch::Delivered{known ? ""
                                      : "whether its report is written is not known: "
                                        "its shepherd was killed"});
  host_.env.job_ports().release(key);
  bool wanted =
      !attempt.forgotten && !attempt.told.ending && word.record.cause == launch::EndCause::Exited;
  if (wanted) steering_.bring_in_line(attempt);  // a task was ordered while the last one ended
  attempts_.drop_if_done(key);
}

/// Room on this host is free again: nothing that was started in it from elsewhere is left.
void ShepherdWords::part_ended(LocalAttempt& attempt, const launch::ExitRecord& record) {
  auto end = record;
  end.pid = 0;                                                     // the shepherd's
  if (record.cause == launch::EndCause::Exited) end.text.clear();  // said of the job, not of this
  for (const auto& task : attempt.order.tasks) {
    end.task = task.task;
    task_ended(attempt, end);
    end.usage = {};  // counted once
  }
}

/// Tasks of which no end was told: their shepherd died, or never lived. One that was ordered
/// while its shepherd came to a regular end is started again by bring_in_line.
void ShepherdWords::lose_tasks(LocalAttempt& attempt, const launch::ExitRecord& record) {
  bool regular = record.cause == launch::EndCause::Exited;
  std::vector<TaskNumber> open;
  for (const auto& [number, task] : attempt.tasks)
    if (!task.ended) open.push_back(number);
  for (auto number : open) {
    if (regular && attempt.tasks[number].pid == 0 && !attempt.told.ending) {
      attempt.tasks.erase(number);
      continue;
    }
    auto lost = record;
    lost.task = number;
    lost.pid = 0;  // the shepherd's
    lost.status = kKilled;
    if (regular) lost.cause = launch::EndCause::Ordered;
    task_ended(attempt, lost);
  }
}

void ShepherdWords::on(LocalAttempt& attempt, const launch::AttemptStuck& word) {
  const auto& key = attempt.key;
  std::string pids;
  for (auto pid : word.pids) pids += (pids.empty() ? "" : " ") + std::to_string(pid);
  log::warn("attempt_stuck", {{"attempt", to_string(key)}, {"pids", pids}});
  attempt.stuck = true;
  for (const auto& [number, task] : attempt.tasks)
    if (!task.ended)
      reporter_.say(attempt,
                    FactStuck{key.job, key.attempt, number, "processes survive SIGKILL: " + pids});
}

void ShepherdWords::on(LocalAttempt& attempt, const launch::Noticed& word) {
  reporter_.say(attempt, notified(attempt.key, word));
}

void ShepherdWords::on(LocalAttempt& attempt, const launch::ScriptFailed& word) {
  const auto& key = attempt.key;
  log::warn("site_script_failed",
            {{"attempt", to_string(key)}, {"why", word.why}, {"remedy", "the host is closed"}});
  reporter_.say(attempt, FactScriptFailed{key.job, key.attempt, word.why});
}

void ShepherdWords::on_lost(LocalAttempt& attempt) {
  if (attempt.stage != Stage::Up) return;
  log::warn("shepherd_lost",
            {{"attempt", to_string(attempt.key)}, {"remedy", "its tasks are ended"}});
  attempt.stage = Stage::Sweeping;
  launch::Sweep sweep{host_.facts.cluster, attempt.key, {}, host_.times.kill_grace};
  for (const auto& [number, task] : attempt.tasks)
    if (!task.ended && task.pid > 0) sweep.tasks.push_back({task.pid, task.start});
  host_.env.launcher().sweep(sweep);
}

}  // namespace wm::node
