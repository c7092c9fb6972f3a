// Seconds per state, event lines, and the JSON document; nlohmann stays in this file.
#include "libwm/view/history.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/view/format.h"
#include "libwm/view/history_words.h"
#include "libwm/view/job_fields.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

constexpr int kCell = 8;
constexpr std::string_view kPendReason = "PEND_REASON";

// The columns of bhist's table, from left to right.
enum SpentColumn : std::size_t { Pend, Psusp, Run, Ususp, Ssusp, Unkwn };
using Spent = std::array<Duration, 6>;

// The state that an event leads to from another one; of most the same.
SpentColumn after(const HistoryEvent& event, SpentColumn state, SpentColumn before_stop) {
  bool stopped = state == Ususp || state == Ssusp;
  if (event.event == "HOLD") return Psusp;
  if (event.event == "START") return Run;
  if (event.event == "RELEASE" || event.event == "REQUEUE" || event.event == "PREEMPT") return Pend;
  if (event.event == "SUSPEND" && !stopped) return Ususp;
  if (event.event == "PARK" && !stopped) return Ssusp;
  if (event.event == "RESUME" && stopped) return before_stop;
  if (event.event == "UNKNOWN") return Unkwn;
  return state;
}

// By how much the clock was set.
Duration set_by(const HistoryEvent& event) {
  return std::chrono::seconds(event.event == "CLOCK" ? event.to : 0);
}

// Was it held when it was submitted? Then it is released without ever having been put on hold.
bool began_held(const HistoryJob& job) {
  auto is_either = [](const auto& e) { return e.event == "HOLD" || e.event == "RELEASE"; };
  auto first = std::ranges::find_if(job.events, is_either);
  return first == job.events.end() ? job.state == state_name(JobState::Held)
                                   : first->event == "RELEASE";
}

// The state that its events tell, from one to the next. If its first start is not among
// them the record's counts.
Spent spent(const HistoryJob& job, WallTime now) {
  Spent columns{};
  SpentColumn state = began_held(job) ? Psusp : Pend, before_stop = state;
  WallTime since = job.submitted;
  // The record's dates go by the newest clock, those of events by the clock of their time.
  for (const auto& event : job.events) since -= set_by(event);
  auto turn = [&](SpentColumn to, WallTime at) {
    columns[state] += std::max(Duration{}, at - since);
    since = std::max(since, at);
    if (to == Ususp || to == Ssusp) before_stop = state;
    state = to;
  };
  bool told = std::ranges::any_of(job.events, [](const auto& e) { return e.event == "START"; });
  if (!told && job.started != WallTime{}) turn(Run, job.started);
  SpentColumn known = state;  // what it was before its host fell silent
  for (const auto& event : job.events) {
    since += set_by(event);
    auto to = event.event == "KNOWN" && state == Unkwn ? known : after(event, state, before_stop);
    if (to == Unkwn && state != Unkwn) known = state;
    if (to != state) turn(to, event.time);
  }
  turn(state, job.ended == WallTime{} ? now : job.ended);
  return columns;
}

std::string cells(const Spent& columns) {
  std::string text;
  std::int64_t total = 0;
  for (Duration column : columns) {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(column).count();
    text += fit(std::to_string(seconds), kCell);
    total += seconds;
  }
  return text + std::to_string(total);
}

Json event_json(const HistoryEvent& e) {
  Json object;
  object["TIME"] = epoch_seconds(e.time);
  object["EVENT"] = e.event;
  object["FROM"] = e.from;
  object["TO"] = e.to;
  object["REASON"] = e.reason;
  if (e.pause_ms >= 0) object["PAUSE_MS"] = e.pause_ms;
  if (e.steps_lost >= 0) object["STEPS_LOST"] = e.steps_lost;
  return object;
}

Json job_json(const HistoryJob& job) {
  Json record;
  record["JOBID"] = to_string(job.id);
  record["USER"] = job.user;
  record["JOB_NAME"] = job.name;
  record["QUEUE"] = job.queue;
  record["PROJ_NAME"] = job.project;
  record["APPLICATION"] = job.app;
  record["PLAN"] = job.plan;
  record["COMMAND"] = job.command;
  record["WM_STATE"] = job.state;
  record["EXIT_CODE"] = exit_code_text(job.exit_status);
  record["EXIT_REASON"] = job.term;
  record["EVENTS"] = Json::array();
  for (const auto& event : job.events) record["EVENTS"].push_back(event_json(event));
  return record;
}

// @source LSF bhist -l: MEMORY USAGE
std::string memory_of(const HistoryJob& job) {
  if (job.max_mem.value <= 0) return "";
  auto mega = [](Bytes bytes) { return std::to_string(bytes.value >> 20) + " Mbytes"; };
  auto mean = job.mean_mem.value > 0 ? job.mean_mem : job.max_mem;
  return "\n MEMORY USAGE:\n MAX MEM: " + mega(job.max_mem) + ";  AVG MEM: " + mega(mean) + "\n";
}

// What it waited for, each with the time from which it did.
std::string waits_of(const HistoryJob& job) {
  std::string text;
  for (const auto& event : job.events)
    if (event.event == kPendReason)
      text += " " + long_time(event.time) + ": " + event.reason + "\n";
  return text.empty() ? "" : "\n PEND REASONS:\n" + text;
}

}  // namespace

std::string history_table(std::span<const HistoryJob> jobs, WallTime now, bool wide) {
  std::string text =
      "Summary of time in seconds spent in various states:\n"
      "JOBID   USER    JOB_NAME  PEND    PSUSP   RUN     USUSP   SSUSP   UNKWN   TOTAL\n";
  for (const auto& job : jobs)
    text += (wide ? at_least(to_string(job.id), 7) + " " + at_least(printable(job.user), 7) + " " +
                        at_least(printable(job.name), 9)
                  : fit(to_string(job.id), 7) + " " + fit(job.user, 7) + " " + fit(job.name, 9)) +
            " " + cells(spent(job, now)) + "\n";
  return text;
}

std::string history_long(const HistoryJob& job, WallTime now, bool wide) {
  auto line = [&](const std::string& text) {
    return wide ? printable(text) + "\n" : wrapped(text);
  };
  std::string head = "Job <" + to_string(job.id) + ">, Job Name <" + job.name + ">, User <" +
                     job.user + ">, Project <" + job.project + ">, Application <" + job.app +
                     ">, Plan <" + job.plan + ">, Command <" + job.command + ">";
  std::string text = "\n" + line(head);
  for (const auto& event : job.events)
    for (const auto& words : event_lines(job, event))
      text += line(long_time(event.time) + ": " + words + ";");
  if (job.ended != WallTime{})
    for (const auto& words : end_of_history(job)) text += line(long_time(job.ended) + ": " + words);
  return text + memory_of(job) + waits_of(job) +
         "\nSummary of time in seconds spent in various states by " + long_time(now) +
         "\n  PEND    PSUSP   RUN     USUSP   SSUSP   UNKWN   TOTAL\n  " + cells(spent(job, now)) +
         "\n";
}

std::string history_events(std::span<const HistoryJob> jobs, WallTime from, WallTime to) {
  std::vector<std::pair<WallTime, std::string>> lines;
  auto add = [&](WallTime at, const HistoryJob& job, const std::string& what) {
    if (at < from || (to != WallTime{} && at >= to)) return;
    auto text = long_time(at) + ": Job <" + to_string(job.id) + "> " + what;
    lines.emplace_back(at, printable(text) + "\n");
  };
  for (const auto& job : jobs) {
    for (const auto& event : job.events)
      if (event.event != kPendReason) add(event.time, job, event_text(event) + ";");
    if (job.ended != WallTime{})
      for (const auto& words : end_of_history(job)) add(job.ended, job, words);
  }
  std::ranges::stable_sort(lines, {}, &std::pair<WallTime, std::string>::first);
  std::string text;
  for (const auto& line : lines) text += line.second;
  return text;
}

std::string history_json(std::span<const HistoryJob> jobs) {
  Json document;
  document["COMMAND"] = "bhist";
  document["JOBS"] = jobs.size();
  document["RECORDS"] = Json::array();
  for (const auto& job : jobs) document["RECORDS"].push_back(job_json(job));
  return to_text(document, 2) + "\n";
}

}  // namespace wm::view
