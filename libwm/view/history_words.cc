#include "libwm/view/history_words.h"

#include <sys/wait.h>

#include "libwm/model/reason.h"
#include "libwm/view/job_fields.h"
#include "libwm/view/job_use.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

std::string date_of(std::int64_t seconds) {
  return long_time(WallTime(std::chrono::seconds(seconds)));
}

std::string status_words(std::int64_t status) {
  int code = static_cast<int>(status);
  return WIFSIGNALED(code) ? "signal " + std::to_string(WTERMSIG(code))
                           : "exit code " + std::to_string(WEXITSTATUS(code));
}

// What an event's two numbers say; of most they are tasks before and after.
std::string numbers_text(const HistoryEvent& e) {
  auto from = std::to_string(e.from), to = std::to_string(e.to);
  if (e.event == "PROMISE") return e.to == 0 ? "withdrawn" : "to start by " + date_of(e.to);
  if (e.event == "PROMISE_ERROR")
    return e.to < 0 ? std::to_string(-e.to) + " s early" : to + " s late";
  if (e.event == "TASK_END") return "task " + from + ", " + status_words(e.to);
  if (e.event == "STUCK" || e.event == "CONDEMN") return "task " + from;
  if (e.event == "CLOCK")
    return std::string("was set ") + (e.to < 0 ? "back" : "forward") + " by " +
           format_duration(std::chrono::seconds(std::abs(e.to)));
  if (e.event == "LEAD") return "number " + to;
  if (e.event == "REQUEUE") return "number " + to;
  if (e.event == "USAGE") return "";
  return e.from == 0 && e.to == 0 ? "" : from + " -> " + to + " task(s)";
}

// "by ann" -> "ann".
std::string who(const HistoryEvent& e) {
  auto name = e.reason.starts_with("by ") ? e.reason.substr(3) : e.reason;
  return name.substr(0, name.find(':'));
}

std::string asked(const char* signal, const HistoryEvent& e) {
  auto colon = e.reason.find(": ");
  return std::string("Signal <") + signal + "> requested by user or administrator <" + who(e) +
         ">" + (colon == e.reason.npos ? "" : e.reason.substr(colon));
}

std::string dispatched(const HistoryEvent& e) {
  auto n = std::to_string(e.to);
  auto hosts = e.reason.starts_with("on ") ? e.reason.substr(3) : e.reason;
  return "Dispatched " + n + " Task(s) on Host(s) " + hosts + ", Allocated " + n +
         " Slot(s) on Host(s) " + hosts;
}

}  // namespace

std::string event_text(const HistoryEvent& e) {
  std::string text = e.event;
  if (auto numbers = numbers_text(e); !numbers.empty()) text += " " + numbers;
  if (!e.reason.empty()) text += ", " + e.reason;
  if (e.pause_ms >= 0) {
    auto ms = std::to_string(e.pause_ms);
    text += ", pause " + ms.substr(0, ms.find('.') + 3) + " ms";
  }
  if (e.steps_lost >= 0) text += ", " + std::to_string(e.steps_lost) + " steps lost";
  return text;
}

std::vector<std::string> event_lines(const HistoryJob& job, const HistoryEvent& e) {
  bool by = e.reason.starts_with("by ");
  if (e.event == "PEND_REASON" || e.event == "FREE" || e.event == "END") return {};
  if (e.event == "SUBMIT")
    return {"Submitted from host <" + job.submit_host + ">, to Queue <" + job.queue + ">, CWD <" +
            job.cwd + ">" + (e.to > 1 ? ", " + std::to_string(e.to) + " Task(s)" : "")};
  if (e.event == "DISPATCH") return {dispatched(e)};
  if (e.event == "START") {
    if (e.reason.empty()) return {"Starting"};
    auto pid = e.reason.substr(e.reason.find(' ') + 1);
    return {"Starting (" + e.reason + ")",
            "Running with execution CWD <" + job.cwd + ">, Execution Pid <" + pid + ">"};
  }
  if (e.event == "HOLD" && by)
    return {"Suspended by user or administrator <" + who(e) + "> while pending"};
  if (e.event == "RELEASE" && by)
    return {"Pending: Waiting for re-scheduling after being resumed by user or administrator <" +
            who(e) + ">"};
  if (e.event == "SUSPEND" && by)
    return {asked("STOP", e), "Suspended by the user or administrator"};
  if (e.event == "RESUME" && by) return {asked("CONT", e), "Running"};
  if (e.event == "KILL" && by) return {asked("KILL", e)};
  if (e.event == "REQUEUE" && by)
    return {"Pending: Job has been requeued by user or administrator <" + who(e) + ">"};
  return {event_text(e)};
}

std::vector<std::string> end_of_history(const HistoryJob& job) {
  auto used = " The CPU time used is " + tenths_of_seconds(job.cpu) + " seconds";
  if (job.state == state_name(JobState::Finished)) return {"Done successfully." + used + ";"};
  std::string how = "Exited.";
  if (WIFSIGNALED(job.exit_status))
    how = "Exited by signal " + std::to_string(WTERMSIG(job.exit_status)) + ".";
  else if (auto code = exit_code_text(job.exit_status); !code.empty())
    how = "Exited with exit code " + code + ".";
  std::vector<std::string> lines = {how + used + ";"};
  auto term = static_cast<Term>(job.term_number);
  auto why = job.term_number == 0 ? std::string() : ": " + std::string(term_text(term));
  if (!job.term.empty()) lines.push_back("Completed <exit>; " + job.term + why + ";");
  return lines;
}

}  // namespace wm::view
